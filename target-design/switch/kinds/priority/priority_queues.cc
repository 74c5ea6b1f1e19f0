// SPDX-License-Identifier: BSD-3-Clause
//
// The switch with classes: what happens in a cycle, pauses, and how frames leave; see
// priority_switch.h.
#include <algorithm>
#include <set>
#include <stdexcept>

#include "switch/kinds/priority/priority_switch.h"

namespace firesim::priority {

namespace {

constexpr uint64_t kQuantumFlits = 512 / 64;
constexpr uint16_t kLongestPause = UINT16_MAX;

}  // namespace

// Of the time of 512 bits at the speed of the port, rounded up.
uint64_t PrioritySwitch::quantum_cycles(uint32_t port) const {
  const SwitchPortConfig &config = config_.ports[port];
  return (kQuantumFlits * config.rate_period + config.rate_increment - 1) / config.rate_increment;
}

// The next cycle in which anything happens.
uint64_t PrioritySwitch::next_event() const {
  uint64_t next = UINT64_MAX;
  if (!stamped_.empty()) next = std::min(next, stamped_.begin()->first.first);
  if (!pauses_.empty()) next = std::min(next, pauses_.begin()->first.first);
  for (const Port &port : ports_) {
    next = std::min({next, port.release_at, next_begin(port)});
    for (const Class &one : port.classes) {
      if (one.is_off) next = std::min(next, one.refresh);
      if (one.blocked_since == UINT64_MAX || settings_.watchdog_cycles == 0) continue;
      next = std::min(next, one.blocked_since + settings_.watchdog_cycles);
    }
  }
  return std::max(next, now_);
}

void PrioritySwitch::step(uint64_t cycle) {
  for (uint32_t port = 0; port < port_count(); ++port) {
    if (ports_[port].release_at <= cycle) release(port, cycle);
  }
  for (auto one = pauses_.begin(); one != pauses_.end() && one->first.first <= cycle;) {
    obey(one->first.second, cycle, one->second);
    one = pauses_.erase(one);
  }
  for (auto one = stamped_.begin(); one != stamped_.end() && one->first.first <= cycle;) {
    forward(one->first, one->second);
    one = stamped_.erase(one);
  }
  for (uint32_t port = 0; port < port_count(); ++port) {
    refresh(port, cycle);
    begin_frame(port, cycle);
    watch(port, cycle);
  }
}

// The final flit of the port's frame left in the cycle before.
void PrioritySwitch::release(uint32_t port, uint64_t cycle) {
  Port &own = ports_[port];
  const Queued frame = std::move(*own.current);
  own.current.reset();
  own.release_at = UINT64_MAX;
  ++own.counters.packets_out;
  own.counters.bytes_out += frame.bytes();
  if (frame.is_pause) return;
  Class &out = own.classes[frame.one_class];
  ++out.counters.packets_out;
  out.bytes -= frame.bytes();
  own.counters.queue_bytes -= frame.bytes();
  if (!frame.has_input_room) {
    own.lossy_bytes -= frame.bytes();
    return;
  }
  Class &in = ports_[frame.ingress].classes[frame.one_class];
  in.in_bytes -= frame.bytes();
  if (in.is_off && in.in_bytes <= settings_.xon_bytes) {
    tell(frame.ingress, frame.one_class, cycle, false);
  }
}

// A pause frame that came in by the port acts.
void PrioritySwitch::obey(uint32_t port, uint64_t cycle, const PriorityPause &pause) {
  for (uint32_t one = 0; one < kClasses; ++one) {
    if ((pause.classes >> one & 1) == 0 || settings_.pauses_class[one] == 0) continue;
    Class &own = ports_[port].classes[one];
    ++own.counters.pauses_received;
    if (own.paused_until > own.paused_from) {
      own.counters.paused_cycles += std::min(own.paused_until, cycle) - own.paused_from;
    }
    if (!is_paused(own, cycle)) own.blocked_since = UINT64_MAX;
    own.paused_from = cycle;
    own.paused_until = cycle + pause.quanta[one] * quantum_cycles(port);
  }
}

// Pauses the far end of a port, or lets it go on.
void PrioritySwitch::tell(uint32_t port, uint32_t one_class, uint64_t cycle, bool stop) {
  Class &own = ports_[port].classes[one_class];
  PriorityPause pause;
  pause.classes = static_cast<uint8_t>(1u << one_class);
  pause.quanta[one_class] = stop ? kLongestPause : 0;
  Queued frame{std::make_shared<const std::vector<uint64_t>>(pause_frame(pause, port)), port,
               one_class};
  frame.is_pause = true;
  ports_[port].control.push_back(std::move(frame));
  own.is_off = stop;
  own.refresh = cycle + kLongestPause / 2 * quantum_cycles(port);
  ++(stop ? own.counters.pauses_sent : own.counters.resumes_sent);
}

void PrioritySwitch::refresh(uint32_t port, uint64_t cycle) {
  for (uint32_t one = 0; one < kClasses; ++one) {
    const Class &own = ports_[port].classes[one];
    if (own.is_off && own.refresh <= cycle) tell(port, one, cycle, true);
  }
}

// The first cycle from now on in which the port can begin a frame.
uint64_t PrioritySwitch::next_begin(const Port &port) const {
  if (port.current) return UINT64_MAX;
  const uint64_t free = std::max(port.next_cycle, now_);
  if (!port.control.empty()) return free;
  uint64_t next = UINT64_MAX;
  for (const Class &one : port.classes) {
    if (!one.queue.empty()) next = std::min(next, is_paused(one, free) ? one.paused_until : free);
  }
  return next;
}

void PrioritySwitch::begin_frame(uint32_t port, uint64_t cycle) {
  Port &own = ports_[port];
  if (own.current || own.next_cycle > cycle) return;
  std::deque<Queued> *from = own.control.empty() ? nullptr : &own.control;
  for (uint32_t i = 0; from == nullptr && i < kClasses; ++i) {
    // From the highest class down, or from the one behind the last one on.
    const uint32_t one = settings_.strict ? kClasses - 1 - i : (own.last_class + 1 + i) % kClasses;
    Class &candidate = own.classes[one];
    if (candidate.queue.empty() || is_paused(candidate, cycle)) continue;
    from = &candidate.queue;
    own.last_class = one;
  }
  if (from == nullptr) return;
  own.current = std::move(from->front());
  from->pop_front();
  own.sent_flits = 0;
  own.next_cycle = cycle;
  send(port);
}

// Sends what is left of the port's frame, as far as the advance goes.
void PrioritySwitch::send(uint32_t port) {
  Port &own = ports_[port];
  if (!own.current) return;
  const SwitchPortConfig &config = config_.ports[port];
  const std::vector<uint64_t> &flits = *own.current->flits;
  const bool is_limited = config.rate_increment < config.rate_period;
  while (own.sent_flits < flits.size()) {
    uint64_t allowed = flits.size() - own.sent_flits;
    if (is_limited) {
      const uint64_t window = own.next_cycle / config.rate_period;
      if (window != own.window) own.window_flits = 0;
      own.window = window;
      if (own.window_flits == config.rate_increment) {
        own.next_cycle = (window + 1) * config.rate_period;
        continue;
      }
      const uint64_t window_left = (window + 1) * config.rate_period - own.next_cycle;
      allowed =
          std::min({allowed, uint64_t{config.rate_increment - own.window_flits}, window_left});
    }
    if (own.next_cycle >= end_cycle_) return;
    const auto count = static_cast<uint32_t>(std::min(allowed, end_cycle_ - own.next_cycle));
    outputs_[port].append_run(static_cast<uint32_t>(own.next_cycle - start_cycle_),
                              flits.data() + own.sent_flits, count,
                              own.sent_flits + count == flits.size());
    if (throughput_) throughput_->add_out(port, own.next_cycle, count);
    own.sent_flits += count;
    if (is_limited) own.window_flits += count;
    own.next_cycle += count;
  }
  if (own.release_at != UINT64_MAX) return;
  own.release_at = own.next_cycle;
  if (capture_)
    capture(false, port, own.next_cycle - 1, flits, {own.current->stamp, own.current->ingress});
}

// Ends the run where a class has been paused for too long.
void PrioritySwitch::watch(uint32_t port, uint64_t cycle) {
  for (uint32_t i = 0; i < kClasses; ++i) {
    Class &one = ports_[port].classes[i];
    if (one.queue.empty() || !is_paused(one, cycle)) {
      one.blocked_since = UINT64_MAX;
      continue;
    }
    if (one.blocked_since == UINT64_MAX) one.blocked_since = cycle;
    if (settings_.watchdog_cycles == 0 || cycle - one.blocked_since < settings_.watchdog_cycles) {
      continue;
    }
    throw std::runtime_error(
        "class " + std::to_string(i) + " of port " + std::to_string(port) +
        " has been paused since cycle " + std::to_string(one.blocked_since) + " while " +
        std::to_string(one.bytes) +
        " bytes wait: pauses wait for each other in a circle, or nothing is taken");
  }
}

// Classes that are paused while frames wait, with the ports that these frames came in by: what such
// a port has paused waits for what has paused this one.
nlohmann::json PrioritySwitch::waits() const {
  nlohmann::json all = nlohmann::json::array();
  for (uint32_t port = 0; port < port_count(); ++port) {
    for (uint32_t i = 0; i < kClasses; ++i) {
      const Class &one = ports_[port].classes[i];
      if (one.queue.empty() || one.blocked_since == UINT64_MAX) continue;
      std::set<uint32_t> from;
      for (const Queued &frame : one.queue) {
        if (frame.has_input_room && ports_[frame.ingress].classes[i].is_off) {
          from.insert(frame.ingress);
        }
      }
      all.push_back({{"port", port},
                     {"class", i},
                     {"since_cycle", one.blocked_since},
                     {"bytes", one.bytes},
                     {"from_ports", from}});
    }
  }
  return all;
}

}  // namespace firesim::priority
