// SPDX-License-Identifier: BSD-3-Clause
//
// The switch with classes in a snapshot: frames, pauses, counters; see priority_switch.h.
#include <algorithm>

#include "switch/kinds/priority/priority_switch.h"

namespace firesim::priority {

namespace {

constexpr uint64_t kMostCycle = uint64_t{1} << 62;
constexpr uint64_t kMostFrames = uint64_t{1} << 32;

}  // namespace

std::string PrioritySwitch::fingerprint() const {
  return std::to_string(port_count()) + " ports with classes, packets of up to " +
         std::to_string(config_.max_packet_bytes) + " bytes";
}

void PrioritySwitch::save_port(const Port &port, StateWriter &state) const {
  const auto write = [&state](const Queued &frame) {
    state.u64s(*frame.flits);
    state.u64(frame.ingress);
    state.u64(frame.one_class);
    state.u64(frame.stamp);
    state.boolean(frame.has_input_room);
    state.boolean(frame.is_pause);
  };
  const auto write_all = [&](const std::deque<Queued> &frames) {
    state.u64(frames.size());
    for (const Queued &frame : frames) write(frame);
  };
  state.u64s(port.assembly);
  state.u64(port.assembly_flits);
  for (const Class &one : port.classes) {
    write_all(one.queue);
    state.boolean(one.is_off);
    for (const uint64_t value :
         {one.refresh, one.paused_from, one.paused_until, one.blocked_since, one.ecn_frames}) {
      state.u64(value);
    }
    for (const auto &[name, member] : kClassCounters) state.u64(one.counters.*member);
  }
  write_all(port.control);
  state.boolean(port.current.has_value());
  if (port.current) write(*port.current);
  for (const uint64_t value : {uint64_t{port.sent_flits}, port.next_cycle, port.window,
                               uint64_t{port.window_flits}, uint64_t{port.last_class}}) {
    state.u64(value);
  }
  port.counters.save(state);
}

void PrioritySwitch::save(StateWriter &state) const {
  state.section("priority", 2);
  for (const Port &port : ports_) save_port(port, state);
  state.u64(stamped_.size());
  for (const auto &[order, flits] : stamped_) {
    state.u64(order.first);
    state.u64(order.second);
    state.u64s(*flits);
  }
  state.u64(pauses_.size());
  for (const auto &[order, pause] : pauses_) {
    state.u64(order.first);
    state.u64(order.second);
    state.u64(pause.classes);
    for (const uint16_t quanta : pause.quanta) state.u64(quanta);
  }
  state.section("throughput", 1);
  state.u64(throughput_ ? config_.throughput_interval_cycles : 0);
  if (throughput_) throughput_->save(state);
}

PrioritySwitch::Queued PrioritySwitch::load_frame(StateReader &state) const {
  Queued frame{std::make_shared<const std::vector<uint64_t>>(state.u64s(max_flits_))};
  if (frame.flits->empty()) state.fail("found a frame of no flits, expected at least one");
  frame.ingress = static_cast<uint32_t>(state.u64(port_count() - 1));
  frame.one_class = static_cast<uint32_t>(state.u64(kClasses - 1));
  frame.stamp = state.u64(kMostCycle);
  frame.has_input_room = state.boolean();
  frame.is_pause = state.boolean();
  return frame;
}

// What is waiting takes its room again, so that no sum has to be believed.
void PrioritySwitch::load_port(uint32_t number, StateReader &state, uint64_t cycle) {
  Port &port = ports_[number];
  port.counters.queue_bytes = 0;
  const auto take = [&](const Queued &frame) {
    Class &in = ports_[frame.ingress].classes[frame.one_class];
    (frame.has_input_room ? in.in_bytes : port.lossy_bytes) += frame.bytes();
    port.classes[frame.one_class].bytes += frame.bytes();
  };
  port.assembly = state.u64s(max_flits_);
  port.assembly_flits = state.u64(kMostCycle);
  for (uint32_t i = 0; i < kClasses; ++i) {
    Class &one = port.classes[i];
    for (uint64_t left = state.u64(kMostFrames); left > 0; --left) {
      one.queue.push_back(load_frame(state));
      one.queue.back().is_pause = false;
      if (one.queue.back().one_class != i)
        state.fail("found a frame in the queue of another class");
      take(one.queue.back());
    }
    one.is_off = state.boolean();
    for (uint64_t *value :
         {&one.refresh, &one.paused_from, &one.paused_until, &one.blocked_since, &one.ecn_frames}) {
      *value = state.u64();
    }
    for (const auto &[name, member] : kClassCounters) one.counters.*member = state.u64();
  }
  for (uint64_t left = state.u64(kMostFrames); left > 0; --left) {
    port.control.push_back(load_frame(state));
    port.control.back().is_pause = true;
  }
  if (state.boolean()) {
    port.current = load_frame(state);
    if (!port.current->is_pause) take(*port.current);
  }
  port.sent_flits = static_cast<uint32_t>(state.u64(UINT32_MAX));
  port.next_cycle = state.u64(kMostCycle);
  port.window = state.u64(kMostCycle);
  port.window_flits = static_cast<uint32_t>(state.u64(config_.ports[number].rate_increment));
  port.last_class = static_cast<uint32_t>(state.u64(kClasses - 1));
  port.counters.load(state);
  if (!port.current) return;
  if (port.sent_flits > port.current->flits->size() || port.next_cycle < cycle) {
    state.fail("found a frame that should have left before");
  }
  if (port.sent_flits == port.current->flits->size()) port.release_at = port.next_cycle;
}

void PrioritySwitch::load(StateReader &state, uint64_t cycle) {
  now_ = cycle;
  state.section("priority", 2);
  for (uint32_t port = 0; port < port_count(); ++port) load_port(port, state, cycle);
  for (uint64_t left = state.u64(kMostFrames); left > 0; --left) {
    const uint64_t stamp = state.u64(kMostCycle);
    const auto port = static_cast<uint32_t>(state.u64(port_count() - 1));
    auto flits = std::make_shared<const std::vector<uint64_t>>(state.u64s(max_flits_));
    if (stamp < cycle || flits->empty()) state.fail("found a frame that should be in a queue");
    stamped_.emplace(Order{stamp, port}, std::move(flits));
  }
  for (uint64_t left = state.u64(kMostFrames); left > 0; --left) {
    const uint64_t acts = state.u64(kMostCycle);
    const auto port = static_cast<uint32_t>(state.u64(port_count() - 1));
    PriorityPause pause;
    pause.classes = static_cast<uint8_t>(state.u64(UINT8_MAX));
    for (uint16_t &quanta : pause.quanta) quanta = static_cast<uint16_t>(state.u64(UINT16_MAX));
    if (acts < cycle) state.fail("found a pause that should act before");
    pauses_.emplace(Order{acts, port}, pause);
  }
  state.section("throughput", 1);
  const uint64_t interval_cycles = state.u64();
  if (throughput_ && interval_cycles == config_.throughput_interval_cycles) {
    throughput_->load(state, cycle);
    return;
  }
  if (interval_cycles != 0) {  // not wanted any more, or in other intervals: begins here
    state.u64();
    state.u64s(SIZE_MAX);
  }
  if (throughput_) throughput_->start_at(cycle);
}

void PrioritySwitch::start_at(uint64_t cycle) {
  now_ = cycle;
  for (Port &port : ports_) port.next_cycle = std::max(port.next_cycle, cycle);
  if (throughput_) throughput_->start_at(cycle);
}

}  // namespace firesim::priority
