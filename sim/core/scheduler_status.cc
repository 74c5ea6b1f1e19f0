// SPDX-License-Identifier: BSD-3-Clause
//
// What a scheduler says of itself while it runs: where every model is, what it waits for, how long
// it has computed and waited, and what the links have carried. Nothing here holds a worker up.
#include <map>

#include "core/scheduler_impl.h"

namespace firesim {

std::vector<ModelStatus> Scheduler::status() const { return impl_->status(); }
std::vector<LinkStatus> Scheduler::link_status() const { return impl_->link_status(); }

void Scheduler::Impl::begin_clock() {
  start_time_ = std::chrono::steady_clock::now();
  start_ticks_ = host_ticks();
}

// How long a tick takes, by how many there were since the start.
double Scheduler::Impl::s_per_tick(uint64_t now_ticks) const {
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_time_;
  const uint64_t ticks = now_ticks > start_ticks_ ? now_ticks - start_ticks_ : 0;
  return ticks == 0 ? 0 : passed.count() / static_cast<double>(ticks);
}

std::vector<ModelStatus> Scheduler::Impl::status() const {
  std::vector<ModelStatus> all;
  std::map<std::string, int> exit_codes;
  for (const NodeEnd &end : ends_from(0)) exit_codes.emplace(end.node, end.end.exit_code);
  const uint64_t limit = end_limit();
  const uint64_t now = host_ticks();
  const double tick_s = s_per_tick(now);
  for (const Slot &slot : slots_) {
    ModelStatus &one = all.emplace_back();
    one.name = slot.model->name();
    one.cycle = slot.cycle.load(std::memory_order_relaxed);
    one.queue = slot.model->queue_status();
    const size_t input = slot.blocked_input.load(std::memory_order_relaxed);
    const SlotState state = slot.state.load(std::memory_order_relaxed);
    const bool waits = state == SlotState::kIdle && input != kNone;
    if (slot.ended.load(std::memory_order_relaxed) || one.cycle >= limit) {
      one.state = "ended";
    } else if (!waits) {
      one.state = "running";
    } else {
      one.state = "waiting";
      one.waiting_for = producer_name(slot.inputs[input]);
    }
    // What it does at this moment counts, too: a single advance may take seconds.
    const uint64_t since = slot.since_ticks.load(std::memory_order_relaxed);
    const uint64_t going = now > since ? now - since : 0;
    const uint64_t busy = slot.busy_ticks.load(std::memory_order_relaxed);
    const uint64_t waited = slot.waited_ticks.load(std::memory_order_relaxed);
    const bool computes = state == SlotState::kRunning;
    one.busy_s = static_cast<double>(busy + (computes ? going : 0)) * tick_s;
    one.waiting_s = static_cast<double>(waited + (waits ? going : 0)) * tick_s;
    if (const auto end = exit_codes.find(one.name); end != exit_codes.end()) {
      one.exit_code = end->second;
    }
    for (size_t i = 0; i < slot.in_batches.size(); ++i) {
      if (slot.inputs[i].channel == nullptr) continue;
      one.packets_in += slot.inputs[i].channel->packets();
      one.packets_out += slot.outputs[i].channel->packets();
    }
  }
  return all;
}

std::vector<LinkStatus> Scheduler::Impl::link_status() const {
  std::vector<LinkStatus> all;
  const auto count = [](const Channel &channel) {
    return TrafficCount{channel.flits(), channel.packets()};
  };
  for (const Link &link : links_) {
    if (link.hidden) continue;
    LinkStatus &one = all.emplace_back();
    if (link.puts_a) one.a_to_b = count(*link.a_to_b);
    if (link.puts_b) one.b_to_a = count(*link.b_to_a);
  }
  return all;
}

const std::string &Scheduler::Impl::producer_name(const Input &input) const {
  return input.channel == nullptr ? input.outside : slots_[input.producer].model->name();
}

}  // namespace firesim
