// SPDX-License-Identifier: BSD-3-Clause
//
// What the scheduler's worker threads do: find a model that can advance, advance it, wake those
// that waited for its tokens.
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <exception>

#include "core/check.h"
#include "core/scheduler_impl.h"

namespace firesim {

namespace {

constexpr int kSpins = 2000;  // a few microseconds: less than parking and waking would take

void pause_cpu() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

uint64_t thread_cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace

void Scheduler::Impl::work() {
  std::vector<size_t> woken;
  woken.reserve(slots_.size());
  uint64_t ticks = host_ticks();
  for (;;) {
    const size_t index = next_work(woken, ticks);
    if (index == kNone) break;
    run_slot(index, woken, ticks);
  }
  const std::lock_guard lock(ready_mutex_);
  worker_cpu_ns_ += thread_cpu_ns();
}

// `ticks` becomes the time when it is taken if that took a while. A single worker needs no lock but
// to wait, to end, and for what comes from outside.
size_t Scheduler::Impl::next_work(std::vector<size_t> &woken, uint64_t &ticks) {
  const bool alone = single_worker_ && !has_news_.load(std::memory_order_relaxed) &&
                     !stop_.load(std::memory_order_relaxed) &&
                     !hold_.load(std::memory_order_relaxed);
  if (alone) {
    for (const size_t index : woken) ready_.push_back(index);
    woken.clear();
    if (!ready_.empty()) {
      const size_t index = ready_.front();
      ready_.pop_front();
      return index;
    }
  }
  const size_t index = exchange_work(woken);
  ticks = host_ticks();  // it may have waited
  return index;
}

// Puts the woken models on the ready list and takes one from it: one lock per advance.
size_t Scheduler::Impl::exchange_work(std::vector<size_t> &woken) {
  std::unique_lock lock(ready_mutex_);
  ready_.insert(ready_.end(), woken.begin(), woken.end());
  take_news();
  // One of them is for this worker.
  const size_t for_others = ready_.empty() ? 0 : ready_.size() - 1;
  for (size_t i = std::min<size_t>(for_others, parked_workers_); i > 0; --i) {
    ready_changed_.notify_one();
  }
  if (for_others > parked_workers_ && outside_waiter_) outside_.interrupt();
  woken.clear();
  if (stop_.load(std::memory_order_relaxed)) finished_ = true;
  while (!has_work() && !finished_) {
    --active_workers_;
    go_quiet();
    // Parks for a pause even if the list has something: it must not keep the lock from those that
    // still work.
    if (!has_work() && !finished_) park(lock);
    ++active_workers_;
    take_news();
    if (stop_.load(std::memory_order_relaxed)) finished_ = true;
  }
  if (finished_) {
    wake_all_workers();
    --active_workers_;
    return kNone;
  }
  const size_t index = ready_.front();
  ready_.pop_front();
  ready_count_.store(ready_.size(), std::memory_order_relaxed);
  return index;
}

// Whether a worker may take something. A single one works without the lock, so it takes nothing in
// a pause, however much comes from outside. Guarded by ready_mutex_.
bool Scheduler::Impl::has_work() const { return !ready_.empty() && may_take(); }

bool Scheduler::Impl::may_take() const {
  return !hold_.load(std::memory_order_relaxed) && !(single_worker_ && paused_);
}

// Waits until the ready list may have something or the run is over.
void Scheduler::Impl::park(std::unique_lock<std::mutex> &lock) {
  ready_count_.store(0, std::memory_order_relaxed);
  if (wait_outside(lock)) return;
  if (may_spin_) {
    lock.unlock();
    spin_for_work();
    lock.lock();
  }
  ++parked_workers_;
  ready_changed_.wait(lock, [this] {
    return (!(ready_.empty() && news_.empty()) && may_take()) || finished_ || must_wait_outside();
  });
  --parked_workers_;
}

void Scheduler::Impl::spin_for_work() const {
  for (int i = 0; i < kSpins; ++i) {
    if (ready_count_.load(std::memory_order_relaxed) > 0) return;
    pause_cpu();
  }
}

// With nothing ready and nobody working, every model is at the limit, or the run is stuck.
void Scheduler::Impl::go_quiet() {
  if (active_workers_ > 0) return;
  if (hold_.load(std::memory_order_relaxed)) {
    choose_pause_cycle();
    if (hold_.load(std::memory_order_relaxed)) return;  // until a cycle has been agreed upon
  }
  if (paused_ || !ready_.empty()) return;
  const uint64_t limit = limit_.load(std::memory_order_acquire);
  const bool complete = std::all_of(slots_.begin(), slots_.end(), [limit](const Slot &slot) {
    return slot.cycle.load(std::memory_order_relaxed) >= limit;
  });
  if (complete && limit == pause_cycle_) {
    paused_ = true;
    wake_supervisor();
    return;
  }
  if (!complete && has_outside_) return;  // what is missing may still come
  finished_ = true;
  if (!complete) fail(describe_deadlock());
}

// Is there an input without tokens for all cycles before `wanted`? Otherwise `available` is the
// cycle up to which all inputs have tokens. Looks first where tokens were missing last time.
bool Scheduler::Impl::blocked(Slot &slot, uint64_t wanted, uint64_t &available) const {
  const size_t count = slot.inputs.size();
  const size_t hint = slot.blocked_input.load(std::memory_order_relaxed);
  const size_t first = hint == kNone ? 0 : hint;
  available = UINT64_MAX;
  for (size_t i = 0; i < count; ++i) {
    const size_t input = first + i < count ? first + i : first + i - count;
    const uint64_t here = slot.inputs[input].available();
    if (here < wanted) {
      slot.blocked_input.store(input, std::memory_order_relaxed);
      slot.wanted_cycle.store(wanted, std::memory_order_relaxed);
      return true;
    }
    available = std::min(available, here);
  }
  slot.blocked_input.store(kNone, std::memory_order_relaxed);
  return false;
}

// The first cycle worth advancing to.
uint64_t Scheduler::Impl::wanted_cycle(const Slot &slot, uint64_t limit) const {
  if (options_.random_batch_seed != 0) {
    return std::min(slot.cycle.load(std::memory_order_relaxed) + 1, limit);
  }
  return std::min(slot.next_grid_cycle, limit);
}

bool Scheduler::Impl::can_advance(Slot &slot, uint64_t limit) const {
  if (slot.threw || slot.cycle.load(std::memory_order_relaxed) >= limit) {
    slot.blocked_input.store(kNone, std::memory_order_relaxed);
    return false;
  }
  uint64_t available = 0;
  return !blocked(slot, wanted_cycle(slot, limit), available);
}

// The cycle the model can advance to now; its present cycle if it cannot.
uint64_t Scheduler::Impl::next_target(Slot &slot) {
  const uint64_t now = slot.cycle.load(std::memory_order_relaxed);
  const uint64_t limit_before = limit_.load(std::memory_order_acquire);
  uint64_t available = 0;
  if (now >= limit_before || blocked(slot, wanted_cycle(slot, limit_before), available)) return now;
  // Read again, after the tokens: whoever lowers the limit does so before it pushes tokens.
  const uint64_t limit = limit_.load(std::memory_order_acquire);
  const uint64_t reach = std::min({available, limit, now + slot.max_step_cycles});
  if (reach <= now) return now;
  if (options_.random_batch_seed != 0) {
    return now + (slot.random() % 4 == 0 ? 1 : 1 + slot.random() % (reach - now));
  }
  if (reach == limit) return limit;
  if (reach < slot.next_grid_cycle) return now;
  const uint64_t beyond = reach - slot.next_grid_cycle;
  // Most often it is the very next point of the grid; a division takes long.
  return beyond < slot.grid_cycles ? slot.next_grid_cycle : reach - beyond % slot.grid_cycles;
}

// `ticks` is when it begins, and afterwards when it has ended.
void Scheduler::Impl::run_slot(size_t index, std::vector<size_t> &woken, uint64_t &ticks) {
  Slot &slot = slots_[index];
  slot.since_ticks.store(ticks, std::memory_order_relaxed);
  slot.state.store(SlotState::kRunning, std::memory_order_relaxed);
  try {
    const uint64_t target = next_target(slot);
    if (target > slot.cycle.load(std::memory_order_relaxed)) {
      advance_slot(slot, target);
      const uint64_t now = host_ticks();
      slot.busy_ticks.store(slot.busy_ticks.load(std::memory_order_relaxed) + now - ticks,
                            std::memory_order_relaxed);
      slot.since_ticks.store(now, std::memory_order_relaxed);
      ticks = now;
      ++slot.advances;
      wake_consumers(slot, woken, now);
    }
    if (slot.model->end() && !slot.ended.load(std::memory_order_relaxed)) {
      slot.ended.store(true, std::memory_order_relaxed);
    }
  } catch (const GivenUp &) {
    slot.threw = true;
  } catch (const std::exception &error) {
    slot.threw = true;
    fail(slot.model->name() + ": " + error.what());
  }
  release_slot(index, woken);
}

void Scheduler::Impl::advance_slot(Slot &slot, uint64_t target) {
  const uint64_t start = slot.cycle.load(std::memory_order_relaxed);
  const auto cycles = static_cast<uint32_t>(target - start);
  const size_t ports = slot.in_batches.size();
  for (size_t i = 0; i < ports; ++i) {
    Channel *channel = slot.inputs[i].channel;
    if (channel != nullptr) {
      channel->take(start, cycles, slot.in_batches[i]);
    } else {
      slot.in_batches[i].reset(start, cycles);
    }
    slot.out_batches[i].reset(start, cycles);
  }
  for (size_t i = ports; i < slot.inputs.size(); ++i) {
    if (slot.inputs[i].channel == nullptr) continue;
    slot.inputs[i].channel->take(start, cycles, slot.hidden_batch);
  }
  slot.model->advance(start, cycles, slot.in_batches, slot.out_batches);
  const bool limit_lowered = slot.model->end() && note_end(slot, start, target);
  for (size_t i = 0; i < ports; ++i) {
    const Batch &batch = slot.out_batches[i];
    FIRESIM_CHECK(batch.start_cycle() == start && batch.cycles() == cycles,
                  "a model must not change the span of its output batches");
    if (slot.outputs[i].channel != nullptr) slot.outputs[i].channel->push(slot.out_batches[i]);
  }
  for (size_t i = ports; i < slot.outputs.size(); ++i) {
    slot.hidden_batch.reset(start, cycles);
    slot.outputs[i].channel->push(slot.hidden_batch);
  }
  set_cycle(slot, target);
  if (!limit_lowered) return;
  // Models that waited for a grid point may now reach the limit instead. The fence pairs with the
  // one in release_slot.
  fence();
  const std::lock_guard lock(ready_mutex_);
  queue_all();
}

void Scheduler::Impl::wake_consumers(const Slot &slot, std::vector<size_t> &woken, uint64_t ticks) {
  // Pairs with the fence in release_slot: either the consumer sees our tokens when it looks again,
  // or we see it idle.
  fence();
  for (const Output &output : slot.outputs) {
    if (output.channel == nullptr) continue;
    Slot &consumer = slots_[output.consumer];
    if (consumer.state.load(std::memory_order_acquire) != SlotState::kIdle) continue;
    if (consumer.blocked_input.load(std::memory_order_relaxed) != output.consumer_input) continue;
    if (output.channel->available() < consumer.wanted_cycle.load(std::memory_order_relaxed)) {
      continue;
    }
    if (!try_queue(consumer)) continue;
    note_waited(consumer, ticks);
    woken.push_back(output.consumer);
  }
}

// Called by who took a model off its idle state: if it lacked tokens, it has waited until now. The
// clock of another worker may be a little behind.
void Scheduler::Impl::note_waited(Slot &slot, uint64_t ticks) {
  if (slot.blocked_input.load(std::memory_order_relaxed) == kNone) return;
  const uint64_t since = slot.since_ticks.load(std::memory_order_relaxed);
  if (ticks <= since) return;
  slot.waited_ticks.store(slot.waited_ticks.load(std::memory_order_relaxed) + ticks - since,
                          std::memory_order_relaxed);
}

// Lets go of a slot, and takes it back for the ready list if it can go on.
void Scheduler::Impl::release_slot(size_t index, std::vector<size_t> &woken) {
  Slot &slot = slots_[index];
  const uint64_t limit = limit_.load(std::memory_order_acquire);
  if (can_advance(slot, limit)) {
    slot.state.store(SlotState::kQueued, std::memory_order_relaxed);
    woken.push_back(index);
    return;
  }
  // can_advance stored what the slot waits for. After letting go, look once more.
  const size_t input = slot.blocked_input.load(std::memory_order_relaxed);
  const uint64_t wanted = slot.wanted_cycle.load(std::memory_order_relaxed);
  slot.state.store(SlotState::kIdle, std::memory_order_release);
  fence();
  const bool changed = (input != kNone && slot.inputs[input].available() >= wanted) ||
                       limit_.load(std::memory_order_acquire) != limit;
  if (changed && try_queue(slot)) woken.push_back(index);
}

// Stores and loads before it come before those after it, for all workers.
void Scheduler::Impl::fence() const {
  if (!single_worker_) std::atomic_thread_fence(std::memory_order_seq_cst);
}

void Scheduler::Impl::set_cycle(Slot &slot, uint64_t cycle) const {
  slot.cycle.store(cycle, std::memory_order_relaxed);
  if (cycle == slot.next_grid_cycle) {
    slot.next_grid_cycle += slot.grid_cycles;
  } else if (cycle > slot.next_grid_cycle) {
    slot.next_grid_cycle = (cycle / slot.grid_cycles + 1) * slot.grid_cycles;
  }
}

bool Scheduler::Impl::try_queue(Slot &slot) const {
  if (single_worker_) {
    if (slot.state.load(std::memory_order_relaxed) != SlotState::kIdle) return false;
    slot.state.store(SlotState::kQueued, std::memory_order_relaxed);
    return true;
  }
  SlotState expected = SlotState::kIdle;
  return slot.state.compare_exchange_strong(expected, SlotState::kQueued,
                                            std::memory_order_acq_rel);
}

// Takes note of the end of a model's node; true if that lowered the limit of the run.
bool Scheduler::Impl::note_end(const Slot &slot, uint64_t start, uint64_t target) {
  if (slot.ended.load(std::memory_order_relaxed)) return false;
  const ModelEnd &end = *slot.model->end();
  FIRESIM_CHECK(end.cycle >= start && end.cycle < target,
                "a node must end in a cycle of the advance that reports it");
  const std::lock_guard lock(end_mutex_);
  count_end({slot.model->name(), slot.counts_for_end, end});
  return lower_limit();
}

// After an end has become known: true if that lowered the limit of the run. Guarded by end_mutex_.
bool Scheduler::Impl::lower_limit() {
  if (end_decided_ == UINT64_MAX) return false;
  const uint64_t limit = end_decided_ + diameter_;
  if (limit >= end_limit_) return false;
  end_limit_ = limit;
  if (limit >= limit_.load(std::memory_order_relaxed)) return false;
  limit_.store(limit, std::memory_order_release);
  return true;
}

// The one rule of what decides the end of a run, for ends that happen and for those that a snapshot
// has kept: a failed assert at once, the ends of nodes that count as configured, any other end
// never.
void Scheduler::Impl::count_end(const NodeEnd &one) {
  const ModelEnd &end = one.end;
  ends_.push_back(one);
  if (end.assert_failed) end_decided_ = std::min(end_decided_, end.cycle);
  if (!one.counts) return;
  ++ended_nodes_;
  last_end_ = std::max(last_end_, end.cycle);
  if (options_.end_with_first) end_decided_ = std::min(end_decided_, end.cycle);
  if (ended_nodes_ == node_count_) end_decided_ = std::min(end_decided_, last_end_);
}

}  // namespace firesim
