// SPDX-License-Identifier: BSD-3-Clause
//
// A first-in first-out queue in one array that grows and never shrinks, so that it does not
// allocate in steady state (std::deque does, for every few elements).
#pragma once

#include <cstddef>
#include <vector>

namespace firesim {

template <typename T>
class RingQueue {
 public:
  bool empty() const { return first_ == next_; }
  size_t size() const { return next_ - first_; }
  T &front() { return slots_[first_ & (slots_.size() - 1)]; }

  // Element `index`, counted from the front.
  const T &at(size_t index) const { return slots_[(first_ + index) & (slots_.size() - 1)]; }

  // Adds an element with all its members at their defaults, to be filled in place.
  T &push_back() {
    if (size() == slots_.size()) grow();
    T &slot = slots_[next_++ & (slots_.size() - 1)];
    slot = T();
    return slot;
  }

  void pop_front() { ++first_; }

 private:
  void grow() {
    std::vector<T> larger(slots_.empty() ? 16 : 2 * slots_.size());  // a power of two
    const size_t count = size();
    for (size_t i = 0; i < count; ++i) larger[i] = slots_[(first_ + i) & (slots_.size() - 1)];
    slots_ = std::move(larger);
    first_ = 0;
    next_ = count;
  }

  std::vector<T> slots_;
  size_t first_ = 0;  // both only ever increase
  size_t next_ = 0;
};

}  // namespace firesim
