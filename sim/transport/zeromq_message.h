// SPDX-License-Identifier: BSD-3-Clause
//
// Gives a message to a socket of libzmq, and takes one from it, without a copy.
//
// ThreadSanitizer sees nothing of the order that libzmq keeps between its threads, so there a copy
// is made, which it is told not to look at: then no memory is seen by two threads.
#pragma once

#include <zmq.h>

#include <cstdint>
#include <span>
#include <utility>

#include "core/mesh.h"

#ifdef __SANITIZE_THREAD__
#include <cstring>

extern "C" void AnnotateIgnoreReadsBegin(const char *file, int line);
extern "C" void AnnotateIgnoreReadsEnd(const char *file, int line);
#endif

namespace firesim {

#ifdef __SANITIZE_THREAD__
inline void copy_unseen(void *to, const void *from, size_t bytes) {
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
  std::memcpy(to, from, bytes);
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
}
#endif

// Gives the whole next message to `use`; false when there is none.
template <typename Use>
bool take_message(void *socket, Use use) {
  zmq_msg_t parcel;
  zmq_msg_init(&parcel);
  const bool found = zmq_msg_recv(&parcel, socket, ZMQ_DONTWAIT) >= 0;
  if (found) {
    const auto *data = static_cast<const uint8_t *>(zmq_msg_data(&parcel));
#ifdef __SANITIZE_THREAD__
    Message message(zmq_msg_size(&parcel));
    copy_unseen(message.data(), data, message.size());
    use(std::span<const uint8_t>(message));
#else
    use(std::span(data, zmq_msg_size(&parcel)));
#endif
  }
  zmq_msg_close(&parcel);
  return found;
}

// A connection that has just ended is reported by its monitor.
inline void give_message(void *socket, Message message) {
  zmq_msg_t parcel;
#ifdef __SANITIZE_THREAD__
  zmq_msg_init_size(&parcel, message.size());
  copy_unseen(zmq_msg_data(&parcel), message.data(), message.size());
#else
  auto *kept = new Message(std::move(message));
  zmq_msg_init_data(
      &parcel, kept->data(), kept->size(),
      [](void *, void *owner) { delete static_cast<Message *>(owner); }, kept);
#endif
  if (zmq_msg_send(&parcel, socket, ZMQ_DONTWAIT) < 0) zmq_msg_close(&parcel);
}

}  // namespace firesim
