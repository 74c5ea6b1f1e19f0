// SPDX-License-Identifier: BSD-3-Clause
//
// A scheduler that simulates a part of a target, while other processes simulate the rest.
//
// What another process has to give raises a counter that a model waits for like for the tokens of a
// link; waiting for it is no deadlock. Ends of nodes travel with the tokens: whoever takes a token
// has been told of every end that happened before it was put in, so the rule of the end of a run
// (ARCHITECTURE.md, "Time and order") holds whoever simulates what.
#include <algorithm>

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
  single_worker_ = false;
  for (const Output &output : slot.outputs) {
    // What goes out to another process was put in at the other end of this link.
    for (Link &link : links_) {
      if (link.a_to_b.get() == output.channel) link.puts_a = false;
      if (link.b_to_a.get() == output.channel) link.puts_b = false;
    }
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
  if (!try_queue(slots_.at(model))) return;
  ready_.push_back(model);
  ready_count_.store(ready_.size(), std::memory_order_relaxed);
  ready_changed_.notify_one();
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
  queue_all();
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
