// SPDX-License-Identifier: BSD-3-Clause
//
// Where buffers of flits come from and go to.
#include "core/flit_buffer.h"

#include <array>
#include <bit>
#include <new>
#include <vector>

#include "core/check.h"

namespace firesim {

namespace {

// Capacities are 4, 5, 6 or 7 times a power of two, so that little is wasted, and at least this.
constexpr uint32_t kLeastFlits = 64;
constexpr size_t kClasses = 4 * 27;                      // up to 2^32 flits
constexpr uint64_t kMaxCachedFlits = uint64_t{4} << 20;  // 32 MiB per thread

// Smallest class that holds `flits`, which are rounded up to its capacity.
size_t size_class(uint64_t &flits) {
  if (flits < kLeastFlits) flits = kLeastFlits;
  const int shift = std::bit_width(flits - 1) - 3;
  const uint64_t top = ((flits - 1) >> shift) + 1;  // 5 to 8
  flits = top << shift;
  return static_cast<size_t>(shift - 3) * 4 + (top - 5);
}

}  // namespace

// Buffers a thread has let go of, the latest ones first, as they may still be in its CPU's cache.
class FlitBufferCache {
 public:
  ~FlitBufferCache() {
    for (const std::vector<FlitBuffer *> &one : free_) {
      for (FlitBuffer *buffer : one) destroy(buffer);
    }
  }

  FlitBuffer *take(uint32_t flits) {
    uint64_t capacity = flits;
    const size_t index = size_class(capacity);
    FIRESIM_CHECK(index < kClasses && capacity <= UINT32_MAX, "buffer of flits is too large");
    std::vector<FlitBuffer *> &free = free_[index];
    if (free.empty()) {
      void *memory = ::operator new(sizeof(FlitBuffer) + capacity * sizeof(uint64_t),
                                    std::align_val_t(alignof(FlitBuffer)));
      return new (memory) FlitBuffer(static_cast<uint32_t>(capacity));
    }
    FlitBuffer *buffer = free.back();
    free.pop_back();
    cached_flits_ -= capacity;
    buffer->references_.store(1, std::memory_order_relaxed);
    return buffer;
  }

  void give(FlitBuffer *buffer) {
    if (cached_flits_ + buffer->capacity() > kMaxCachedFlits) return destroy(buffer);
    uint64_t capacity = buffer->capacity();
    free_[size_class(capacity)].push_back(buffer);
    cached_flits_ += capacity;
  }

 private:
  static void destroy(FlitBuffer *buffer) {
    buffer->~FlitBuffer();
    ::operator delete(buffer, std::align_val_t(alignof(FlitBuffer)));
  }

  std::array<std::vector<FlitBuffer *>, kClasses> free_;
  uint64_t cached_flits_ = 0;
};

namespace {

thread_local FlitBufferCache cache;

}  // namespace

FlitBuffer *FlitBuffer::make(uint32_t flits) { return cache.take(flits); }

FlitBuffer *FlitBuffer::standing_for(std::shared_ptr<const void> owner) {
  return new FlitBuffer(std::move(owner));
}

void FlitBuffer::recycle() {
  if (owner_) {
    delete this;
  } else {
    cache.give(this);
  }
}

}  // namespace firesim
