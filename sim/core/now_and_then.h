// SPDX-License-Identifier: BSD-3-Clause
//
// When a file that grows is written out for people who watch the run: at most once a second of wall
// time, and so seldom that the writing takes a hundredth of the time.
#pragma once

#include <algorithm>
#include <chrono>

namespace firesim {

class NowAndThen {
 public:
  explicit NowAndThen(std::chrono::nanoseconds least = std::chrono::seconds(1))
      : least_(least), next_(Clock::now() + least) {}

  // Does the work if it is time to. Otherwise it costs a look at the clock.
  template <typename Work>
  void when_due(Work work) {
    const Clock::time_point begun = Clock::now();
    if (begun < next_) return;
    work();
    const Clock::time_point ended = Clock::now();
    next_ = ended + std::max<Clock::duration>(least_, kShare * (ended - begun));
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int kShare = 100;

  Clock::duration least_;
  Clock::time_point next_;
};

}  // namespace firesim
