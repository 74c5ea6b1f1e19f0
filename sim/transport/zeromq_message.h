// SPDX-License-Identifier: BSD-3-Clause
//
// Gives a message to a socket of libzmq, and takes one from it, without a copy.
//
// ThreadSanitizer sees nothing of the order that libzmq keeps between its threads, so there a copy
// is made, which it is told not to look at: then no memory is seen by two threads.
#pragma once

#include <zmq.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "core/mesh.h"

#ifdef FIRESIM_THREAD_SANITIZER
extern "C" void AnnotateIgnoreReadsBegin(const char *file, int line);
extern "C" void AnnotateIgnoreReadsEnd(const char *file, int line);
#endif

namespace firesim {

// Keeps a message of libzmq.
class ZeroMqMessage {
 public:
  explicit ZeroMqMessage(zmq_msg_t &message) {
    zmq_msg_init(&message_);
    zmq_msg_move(&message_, &message);
  }
  ~ZeroMqMessage() { zmq_msg_close(&message_); }
  ZeroMqMessage(const ZeroMqMessage &) = delete;
  ZeroMqMessage &operator=(const ZeroMqMessage &) = delete;

  std::span<const uint8_t> bytes() {
    return {static_cast<const uint8_t *>(zmq_msg_data(&message_)), zmq_msg_size(&message_)};
  }

 private:
  zmq_msg_t message_;
};

inline void copy_unseen(void *to, const void *from, size_t bytes) {
#ifdef FIRESIM_THREAD_SANITIZER
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
  std::memcpy(to, from, bytes);
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
#else
  std::memcpy(to, from, bytes);
#endif
}

// The whole next message; nothing when there is none.
inline std::optional<Parcel> take_message(void *socket) {
  zmq_msg_t taken;
  zmq_msg_init(&taken);
  if (zmq_msg_recv(&taken, socket, ZMQ_DONTWAIT) < 0) return std::nullopt;
  auto message = std::make_shared<ZeroMqMessage>(taken);
  const std::span<const uint8_t> bytes = message->bytes();
#ifdef FIRESIM_THREAD_SANITIZER
  auto copy = std::make_shared<Message>(bytes.size());
  copy_unseen(copy->data(), bytes.data(), bytes.size());
  return Parcel{*copy, copy};
#else
  return Parcel{bytes, std::move(message)};
#endif
}

// A connection that has just ended is reported by its monitor.
inline void give_message(void *socket, Message message) {
#ifdef FIRESIM_THREAD_SANITIZER
  constexpr size_t kMostCopiedBytes = SIZE_MAX;
#else
  constexpr size_t kMostCopiedBytes = 1024;  // costs less than to keep track of an owner
#endif
  zmq_msg_t parcel;
  if (message.size() <= kMostCopiedBytes) {
    zmq_msg_init_size(&parcel, message.size());
    copy_unseen(zmq_msg_data(&parcel), message.data(), message.size());
  } else {
    auto *kept = new Message(std::move(message));
    zmq_msg_init_data(
        &parcel, kept->data(), kept->size(),
        [](void *, void *owner) { delete static_cast<Message *>(owner); }, kept);
  }
  if (zmq_msg_send(&parcel, socket, ZMQ_DONTWAIT) < 0) zmq_msg_close(&parcel);
}

}  // namespace firesim
