// SPDX-License-Identifier: BSD-3-Clause
//
// Pauses: all models are brought to one and the same cycle, so that they can be saved, and go on.
//
// A planned pause is a limit beyond which no model goes, like the end of the run. For an unplanned
// one the workers first stop where they are; then the greatest cycle that any model has reached
// becomes the limit. So nothing the models do depends on pauses.
#include <algorithm>
#include <utility>

#include "core/check.h"
#include "core/scheduler_impl.h"
#include "core/state.h"

namespace firesim {

void Scheduler::save_link(const std::string &name, StateWriter &state) const {
  write_link(state, direction(name, true), direction(name, false));
}
DirectionState Scheduler::direction(const std::string &name, bool a_to_b) const {
  const Link &link = impl_->find_link(name);
  return (a_to_b ? link.a_to_b : link.b_to_a)->state();
}
void Scheduler::restore_direction(const std::string &name, bool a_to_b, DirectionState state) {
  const Link &link = impl_->find_link(name);
  (a_to_b ? link.a_to_b : link.b_to_a)->restore(std::move(state), "the snapshot: link " + name);
}
void Scheduler::load_link(const std::string &name, StateReader &state) {
  impl_->load_link(name, state);
}

void Scheduler::Impl::set_pauses(PauseOptions pauses) {
  FIRESIM_CHECK(!prepared_, "pauses are planned before the run");
  pauses_ = std::move(pauses);
}

void Scheduler::Impl::start_at(uint64_t cycle) {
  FIRESIM_CHECK(!prepared_, "the start is set before the run");
  start_cycle_ = cycle;
  for (Link &link : links_) {
    link.a_to_b->start_at(cycle);
    link.b_to_a->start_at(cycle);
  }
}

std::vector<std::string> Scheduler::Impl::link_names() const {
  std::vector<std::string> names;
  for (const Link &link : links_) {
    if (!link.hidden) names.push_back(link.name);
  }
  return names;
}

const Link &Scheduler::Impl::find_link(const std::string &name) const {
  const auto found = std::find_if(links_.begin(), links_.end(), [&](const Link &link) {
    return !link.hidden && link.name == name;
  });
  FIRESIM_CHECK(found != links_.end(), "the link exists");
  return *found;
}

void Scheduler::Impl::load_link(const std::string &name, StateReader &state) {
  const Link &link = find_link(name);
  LinkState saved = read_link(state, link.a_to_b->latency_cycles(), start_cycle_);
  link.a_to_b->restore(std::move(saved.a_to_b), "the snapshot: link " + name);
  link.b_to_a->restore(std::move(saved.b_to_a), "the snapshot: link " + name);
}

// Nodes may have ended before the snapshot that the run goes on from.
void Scheduler::Impl::restore_ends() {
  for (Slot &slot : slots_) {
    if (!slot.model->end()) continue;
    slot.ended = true;
    count_end({slot.model->name(), slot.counts_for_end, *slot.model->end()});
  }
  if (end_decided_ == UINT64_MAX) return;
  end_limit_ = std::min(end_limit_, std::max(end_decided_ + diameter_, start_cycle_));
}

uint64_t Scheduler::Impl::end_limit() const {
  const std::lock_guard lock(end_mutex_);
  return end_limit_;
}

// Sets the limit to the first planned pause after `after`, or to the end of the run.
void Scheduler::Impl::plan_pause(uint64_t after) {
  last_pause_cycle_ = after;
  pause_cycle_ = pauses_.next_cycle ? pauses_.next_cycle(after) : UINT64_MAX;
  agreed_cycles_.erase(agreed_cycles_.begin(), agreed_cycles_.upper_bound(after));
  if (!agreed_cycles_.empty()) pause_cycle_ = std::min(pause_cycle_, *agreed_cycles_.begin());
  FIRESIM_CHECK(pause_cycle_ > after, "the next pause comes after the last one");
  limit_.store(std::min(end_limit(), pause_cycle_), std::memory_order_release);
}

void Scheduler::Impl::request_pause() {
  const std::lock_guard lock(ready_mutex_);
  hold_workers();
}

// The last worker to park chooses the cycle; after a pause all are parked until they have woken up,
// and then nobody would. Guarded by ready_mutex_.
void Scheduler::Impl::hold_workers() {
  if (paused_) {
    again_ = true;
    return;
  }
  if (agrees()) return want_pause();
  hold_.store(true, std::memory_order_relaxed);
  if (active_workers_ == 0 && !finished_) choose_pause_cycle();
}

uint64_t Scheduler::Impl::greatest_cycle() const {
  uint64_t cycle = start_cycle_;
  for (const Slot &slot : slots_) {
    cycle = std::max(cycle, slot.cycle.load(std::memory_order_relaxed));
  }
  return cycle;
}

// No worker works: the cycle no model has passed is known. Guarded by ready_mutex_.
void Scheduler::Impl::choose_pause_cycle() {
  if (agrees()) return note_reached();
  hold_.store(false, std::memory_order_relaxed);
  uint64_t cycle = greatest_cycle();
  // However short the interval: the target gets on between two pauses.
  if (timed_pause_) cycle = std::max(cycle, last_pause_cycle_ + kMaxGridCycles);
  pause_cycle_ = std::min(pause_cycle_, cycle);
  limit_.store(std::min(limit_.load(std::memory_order_relaxed), cycle), std::memory_order_release);
  queue_all();
}

// Every model that nobody holds looks again what it can do. Guarded by ready_mutex_.
void Scheduler::Impl::queue_all() {
  const uint64_t ticks = host_ticks();
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (!try_queue(slots_[i])) continue;
    note_waited(slots_[i], ticks);
    ready_.push_back(i);
  }
  wake_all_workers();
}

// Every model stands at `pause_cycle_` and all workers are parked. Called with the lock held, which
// is let go of for the time of the pause.
void Scheduler::Impl::pause(std::unique_lock<std::mutex> &lock) {
  const uint64_t cycle = pause_cycle_;
  pause_wanted_ = false;
  do {
    again_ = false;
    timed_pause_done_ = std::exchange(timed_pause_, false);
    lock.unlock();
    if (pauses_.at_pause) pauses_.at_pause(cycle, timed_pause_done_);
    lock.lock();
  } while (again_);
  paused_ = false;
  if (pauses_.resumed) pauses_.resumed();
  if (cycle == end_limit()) {
    finished_ = true;
    return;
  }
  plan_pause(cycle);
  queue_all();
}

}  // namespace firesim
