// SPDX-License-Identifier: BSD-3-Clause
//
// Unplanned pauses of a target that several processes simulate.
//
// The workers of every process stand still while the processes tell each other how far their models
// have got; the greatest cycle of all becomes the limit everywhere. Planned pauses need none of
// this: they are at the same cycles in all processes. Nor do two pauses come into each other's way:
// nobody passes a planned one before it is over everywhere, so a cycle that is agreed upon lies
// after the last pause. It may lie after the next one, and the next agreement be made before it is
// reached; so all of them are kept, and every process pauses at every one.
#include <algorithm>

#include "core/check.h"
#include "core/scheduler_impl.h"

namespace firesim {

void Scheduler::set_agreement(PauseAgreement agreement) {
  impl_->set_agreement(std::move(agreement));
}
void Scheduler::hold() { impl_->hold(); }
void Scheduler::pause_at(uint64_t cycle) { impl_->pause_at(cycle); }

void Scheduler::Impl::set_agreement(PauseAgreement agreement) {
  FIRESIM_CHECK(!prepared_, "who agrees on pauses is known before the run");
  agreement_ = std::move(agreement);
}

// Guarded by ready_mutex_.
void Scheduler::Impl::want_pause() {
  if (finished_ || pause_wanted_ || !agreement_.want) return;
  pause_wanted_ = true;
  agreement_.want();
  begin_hold();
}

// Guarded by ready_mutex_.
void Scheduler::Impl::begin_hold() {
  hold_.store(true, std::memory_order_relaxed);
  must_tell_reached_ = false;
  reached_cycle_ = 0;
  if (active_workers_ == 0) note_reached();
}

void Scheduler::Impl::hold() {
  uint64_t reached = PauseAgreement::kOver;
  {
    const std::lock_guard lock(ready_mutex_);
    if (!finished_ && !paused_) return begin_hold();
    if (paused_) {
      // It stays held after the pause. Told from here, as the thread of `run` is at the pause.
      hold_.store(true, std::memory_order_relaxed);
      reached = reached_cycle_ = pause_cycle_;
    }
  }
  agreement_.reached(reached);
}

// No worker works, and none will before `pause_at`. Guarded by ready_mutex_.
void Scheduler::Impl::note_reached() {
  if (reached_cycle_ != 0) return;  // known already
  reached_cycle_ =
      std::max(greatest_cycle(), last_pause_cycle_ + (timed_pause_ ? kMaxGridCycles : 1));
  must_tell_reached_ = true;
  wake_supervisor();
}

// By the thread of `run`, with the lock held, which is let go of meanwhile.
void Scheduler::Impl::tell_reached(std::unique_lock<std::mutex> &lock) {
  must_tell_reached_ = false;
  const uint64_t reached = reached_cycle_;
  lock.unlock();
  agreement_.reached(reached);
  lock.lock();
}

void Scheduler::Impl::pause_at(uint64_t cycle) {
  const std::lock_guard lock(ready_mutex_);
  hold_.store(false, std::memory_order_relaxed);
  if (cycle == PauseAgreement::kOver) {
    pause_wanted_ = false;
  } else {
    agreed_cycles_.insert(cycle);
  }
  // One that is at a pause heeds it when that is over.
  if (cycle != PauseAgreement::kOver && !paused_) {
    pause_cycle_ = std::min(pause_cycle_, cycle);
    limit_.store(std::min(limit_.load(std::memory_order_relaxed), cycle),
                 std::memory_order_release);
  }
  queue_all_from_outside();
}

}  // namespace firesim
