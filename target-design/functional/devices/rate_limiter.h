// SPDX-License-Identifier: BSD-3-Clause
// The token bucket of the RTL's NIC: `increment` flits in every `period` cycles under load.
#pragma once

#include <algorithm>
#include <cstdint>

namespace firesim::functional {

class RateLimiter {
 public:
  // In `cycle`, with a full bucket.
  RateLimiter(uint16_t increment, uint16_t period)
      : increment_(increment), period_(period), count_(increment) {}

  // What the register holds: increment in bits 15:0, period above.
  uint32_t rate() const { return uint32_t{period_} << 16 | increment_; }
  void set_rate(uint32_t rate, uint64_t cycle) {
    idle_until(cycle);
    increment_ = static_cast<uint16_t>(rate);
    period_ = static_cast<uint16_t>(rate >> 16);
  }

  // Every flit passes at once.
  bool unlimited() const {
    return increment_ != 0 && count_ == increment_ && increment_ >= std::max<uint32_t>(period_, 1);
  }
  // The first cycle from `cycle` on in which a flit may pass; UINT64_MAX if none ever may.
  uint64_t next_pass(uint64_t cycle) {
    idle_until(cycle);
    if (count_ != 0) return cycle;
    return increment_ == 0 ? UINT64_MAX : cycle + cycles_to_refill();
  }
  // A flit passes in `cycle`, as `next_pass` allowed.
  void pass(uint64_t cycle) {
    idle_until(cycle);
    step(count_ - 1);
  }

  // Full, with the timer at rest: then the cycle means nothing.
  bool is_resting() const { return count_ == increment_ && timer_ == 0; }

  // State, for snapshots: bucket, timer, cycle.
  uint32_t count() const { return count_; }
  uint32_t timer() const { return timer_; }
  uint64_t cycle() const { return cycle_; }
  void restore(uint32_t rate, uint32_t count, uint32_t timer, uint64_t cycle) {
    increment_ = static_cast<uint16_t>(rate);
    period_ = static_cast<uint16_t>(rate >> 16);
    count_ = count;
    timer_ = timer;
    cycle_ = cycle;
  }

 private:
  // Cycles until the bucket is full again if no flit passes.
  uint64_t cycles_to_refill() const { return timer_ + 1 >= period_ ? 1 : period_ - timer_; }

  // One cycle, at whose end the bucket would hold `after`.
  void step(uint32_t after) {
    const bool fills = after >= increment_ || timer_ + 1 >= period_;
    count_ = fills ? increment_ : after;
    timer_ = fills ? 0 : timer_ + 1;
    ++cycle_;
  }

  // Cycles up to `cycle`, excluded, without a flit.
  void idle_until(uint64_t cycle) {
    if (cycle <= cycle_) return;
    const uint64_t idle = cycle - cycle_;
    if (count_ >= increment_ || idle >= cycles_to_refill()) {
      // Once full, it stays so and the timer rests. A refill in the very last cycle too.
      count_ = increment_;
      timer_ = 0;
    } else {
      timer_ += static_cast<uint32_t>(idle);
    }
    cycle_ = cycle;
  }

  uint16_t increment_, period_;
  uint32_t count_;
  uint32_t timer_ = 0;
  uint64_t cycle_ = 0;
};

}  // namespace firesim::functional
