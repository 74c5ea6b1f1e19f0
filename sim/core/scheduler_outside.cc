// SPDX-License-Identifier: BSD-3-Clause
//
// A scheduler that simulates a part of a target, while other processes simulate the rest.
//
// What another process has to give raises a counter that a model waits for like for the tokens of a
// link; waiting for it is no deadlock. Ends of nodes travel with the tokens: whoever takes a token
// has been told of every end that happened before it was put in, so the rule of the end of a run
// (ARCHITECTURE.md, "Time and order") holds whoever simulates what.
#include <algorithm>
#include <utility>

#include "core/check.h"
#include "core/scheduler_impl.h"

namespace firesim {

void Scheduler::Impl::add_outside_input(size_t model, const std::atomic<uint64_t> &until,
                                        uint32_t latency_cycles, const std::string &from) {
  FIRESIM_CHECK(!prepared_, "what comes from outside is known before the run");
  Input input;
  input.until = &until;
  input.outside = from;
  Slot &slot = slots_.at(model);
  slot.inputs.push_back(std::move(input));
  slot.grid_cycles = std::min(slot.grid_cycles, latency_cycles);
  has_outside_ = true;
  for (const Output &output : slot.outputs) {
    // What goes out to another process was put in at the other end of this link.
    for (Link &link : links_) {
      if (link.a_to_b.get() == output.channel) link.puts_a = false;
      if (link.b_to_a.get() == output.channel) link.puts_b = false;
    }
    if (output.channel != nullptr) output.channel->leave_out_hash();
  }
}

void Scheduler::Impl::set_part(uint64_t diameter_cycles) {
  FIRESIM_CHECK(!prepared_, "the whole target is known before the run");
  is_part_ = true;
  diameter_ = diameter_cycles;
}

void Scheduler::Impl::wake(size_t model) {
  // Pairs with the fence in release_slot: either the model sees what has come, or we see it idle.
  fence();
  const std::lock_guard lock(ready_mutex_);
  if (single_worker_) {
    news_.push_back(model);
    has_news_.store(true, std::memory_order_relaxed);
  } else if (try_queue(slots_.at(model))) {
    note_waited(slots_.at(model), host_ticks());
    ready_.push_back(model);
    ready_count_.store(ready_.size(), std::memory_order_relaxed);
  } else {
    return;
  }
  wake_worker();
}

// A single worker touches the models and the ready list without a lock, so nobody else does while
// it works. Guarded by ready_mutex_.
void Scheduler::Impl::take_news() {
  has_news_.store(false, std::memory_order_relaxed);
  for (const size_t model : news_) {
    if (!try_queue(slots_.at(model))) continue;
    note_waited(slots_.at(model), host_ticks());
    ready_.push_back(model);
  }
  news_.clear();
}

void Scheduler::Impl::set_outside(OutsideWait outside) {
  FIRESIM_CHECK(!prepared_, "who waits for what comes from outside is known before the run");
  outside_ = std::move(outside);
}

// Waits outside unless another worker does; false then. Called with the lock held, which is let go
// of meanwhile.
bool Scheduler::Impl::wait_outside(std::unique_lock<std::mutex> &lock) {
  if (!outside_.wait || outside_waiter_) return false;
  outside_waiter_ = std::this_thread::get_id();
  lock.unlock();
  outside_.wait();
  lock.lock();
  outside_waiter_.reset();
  // Somebody must wait there while this worker works.
  if (parked_workers_ > 0) ready_changed_.notify_one();
  return true;
}

// As queue_all, while workers may work. Guarded by ready_mutex_.
void Scheduler::Impl::queue_all_from_outside() {
  if (!single_worker_) return queue_all();
  for (size_t model = 0; model < slots_.size(); ++model) news_.push_back(model);
  has_news_.store(true, std::memory_order_relaxed);
  wake_all_workers();
}

// The ready list has got something. Guarded by ready_mutex_, as is the next one.
void Scheduler::Impl::wake_worker() {
  const bool own = outside_waiter_ == std::this_thread::get_id();  // it comes back, and takes it
  if (parked_workers_ > 0 && !(own && ready_.size() <= 1)) {
    ready_changed_.notify_one();
  } else if (outside_waiter_ && !own) {
    outside_.interrupt();
  }
}

void Scheduler::Impl::wake_all_workers() {
  ready_changed_.notify_all();
  if (outside_waiter_ && outside_waiter_ != std::this_thread::get_id()) outside_.interrupt();
}

void Scheduler::Impl::note_remote_end(const NodeEnd &end) {
  {
    const std::lock_guard lock(end_mutex_);
    const bool known = std::any_of(ends_.begin(), ends_.end(),
                                   [&](const NodeEnd &other) { return other.node == end.node; });
    if (known) return;
    count_end(end);
    if (!prepared_ || !lower_limit()) return;  // `prepare` heeds what is known before
  }
  fence();
  const std::lock_guard lock(ready_mutex_);
  queue_all_from_outside();
}

std::vector<NodeEnd> Scheduler::Impl::ends_from(size_t first) const {
  const std::lock_guard lock(end_mutex_);
  if (first >= ends_.size()) return {};
  return {ends_.begin() + static_cast<std::ptrdiff_t>(first), ends_.end()};
}

void Scheduler::Impl::fail(const std::string &message) {
  {
    const std::lock_guard lock(end_mutex_);
    if (error_.empty()) error_ = message;
  }
  request_stop();
}

}  // namespace firesim
