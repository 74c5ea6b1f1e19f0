// SPDX-License-Identifier: BSD-3-Clause
//
// Storage of flits that several batches, on several threads, can refer to at once.
//
// A buffer is filled by one batch. Once another batch refers to a part of it, that part does not
// change any more, so that a switch passes on what it got without copying it. The last batch that
// lets go of a buffer puts it on a short list of its thread, from which the next batch takes it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace firesim {

class alignas(64) FlitBuffer {
 public:
  // A buffer with room for at least `flits` >= 1, and one reference, the caller's.
  static FlitBuffer *make(uint32_t flits);

  // Stands for flits that lie elsewhere, as long as somebody keeps `owner`. It has no room itself.
  static FlitBuffer *standing_for(std::shared_ptr<const void> owner);

  FlitBuffer(const FlitBuffer &) = delete;
  FlitBuffer &operator=(const FlitBuffer &) = delete;

  uint32_t capacity() const { return capacity_; }  // flits
  uint64_t *data() { return reinterpret_cast<uint64_t *>(this + 1); }

  void retain() { references_.fetch_add(1, std::memory_order_relaxed); }

  // Gives up a reference; the buffer must not be used through it again.
  void release() {
    if (is_unique() || references_.fetch_sub(1, std::memory_order_acq_rel) == 1) recycle();
  }

  // Whether the caller's reference is the only one, and so remains: only holders can add one.
  bool is_unique() const { return references_.load(std::memory_order_acquire) == 1; }

 private:
  friend class FlitBufferCache;

  explicit FlitBuffer(uint32_t capacity) : capacity_(capacity) {}
  explicit FlitBuffer(std::shared_ptr<const void> owner) : capacity_(0), owner_(std::move(owner)) {}
  void recycle();

  std::atomic<uint32_t> references_{1};
  const uint32_t capacity_;
  const std::shared_ptr<const void> owner_;  // null for one with room
};

}  // namespace firesim
