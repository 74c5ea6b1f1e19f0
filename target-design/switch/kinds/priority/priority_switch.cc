// SPDX-License-Identifier: BSD-3-Clause
//
// The switch with classes: frames come in and are put into queues; see priority_switch.h.
#include "switch/kinds/priority/priority_switch.h"

#include <algorithm>

#include "core/atomic_file.h"
#include "core/token_hash.h"
#include "switch/make_switch.h"
#include "switch/route.h"

namespace firesim::priority {

PrioritySwitch::PrioritySwitch(SwitchConfig config, Fields &settings)
    : Model(config.name),
      config_(with_flood_ports(std::move(config))),
      settings_(read_settings(settings, static_cast<uint32_t>(config_.ports.size()))),
      max_flits_(config_.max_packet_bytes / kFlitBytes),
      draws_(mix_uniform(settings_.ecn_seed) ^ hash_text(name())),
      table_(config_.mac_table),
      ports_(config_.ports.size()) {
  if (!config_.throughput_file.empty()) {
    throughput_ = std::make_unique<ThroughputLog>(config_.throughput_file,
                                                  config_.throughput_interval_cycles, port_count());
  }
  if (!config_.capture_file.empty()) {
    capture_ = std::make_unique<PacketCapture>(config_.capture_file, config_.name, port_count(),
                                               config_.clock_hz, config_.capture_side);
  }
}

PrioritySwitch::~PrioritySwitch() {
  try {
    if (throughput_) throughput_->finish();
    if (!statistics_written_) write_statistics();
  } catch (const std::exception &) {
    // Nothing can be done about it here; the run has already failed.
  }
}

void PrioritySwitch::advance(uint64_t start_cycle, uint32_t cycles, std::span<Batch> inputs,
                             std::span<Batch> outputs) {
  start_cycle_ = start_cycle;
  end_cycle_ = start_cycle + cycles;
  outputs_ = outputs;
  for (uint32_t port = 0; port < port_count(); ++port) {
    receive(port, inputs[port]);
    send(port);
  }
  for (uint64_t cycle = next_event(); cycle < end_cycle_; cycle = next_event()) {
    step(cycle);
    now_ = cycle + 1;
  }
  now_ = end_cycle_;
  if (throughput_) throughput_->complete_until(end_cycle_);
  if (capture_) capture_->end_advance();
}

void PrioritySwitch::receive(uint32_t port, const Batch &batch) {
  Port &own = ports_[port];
  for (const Run &run : batch.runs()) {
    if (throughput_) throughput_->add_in(port, batch.start_cycle() + run.offset, run.length);
    own.assembly_flits += run.length;
    if (own.assembly_flits <= max_flits_) {
      own.assembly.insert(own.assembly.end(), run.data, run.data + run.length);
    }
    if (run.last) end_frame(port, batch.start_cycle() + run.end() - 1);
  }
}

void PrioritySwitch::end_frame(uint32_t port, uint64_t last_cycle) {
  Port &own = ports_[port];
  std::vector<uint64_t> flits = std::exchange(own.assembly, {});
  const uint64_t total = std::exchange(own.assembly_flits, 0);
  ++own.counters.packets_in;
  own.counters.bytes_in += total * kFlitBytes;
  if (total < config_.min_packet_flits) {
    ++own.counters.dropped_runt;
    return;
  }
  if (total > max_flits_) {
    ++own.counters.dropped_oversize;
    return;
  }
  const uint64_t stamp = last_cycle + config_.switching_latency_cycles;
  if (capture_) capture(true, port, last_cycle, flits, {stamp, port});
  if (const std::optional<PriorityPause> pause = read_pause(flits)) {
    pauses_.emplace(Order{last_cycle + 1, port}, *pause);  // for this switch alone
    return;
  }
  stamped_.emplace(Order{stamp, port},
                   std::make_shared<const std::vector<uint64_t>>(std::move(flits)));
}

void PrioritySwitch::capture(bool is_inbound, uint32_t port, uint64_t cycle,
                             const std::vector<uint64_t> &flits, Order order) {
  Packet packet;
  std::tie(packet.stamp, packet.ingress) = order;
  packet.data = flits.data();
  packet.flits = static_cast<uint32_t>(flits.size());
  if (is_inbound) {
    capture_->inbound(port, cycle, packet);
  } else {
    capture_->outbound(port, cycle, packet);
  }
}

void PrioritySwitch::forward(Order order, const Flits &flits) {
  const auto [stamp, ingress] = order;
  const uint32_t one_class = class_of(*flits, settings_.class_by, settings_.default_class);
  destinations_.clear();
  if (!route_by_address(config_, table_, flits->front() >> 16, ingress, destinations_)) {
    ++ports_[ingress].counters.dropped_unknown_destination;
  }
  for (const uint32_t port : destinations_) {
    if (port == ingress) {
      ++ports_[ingress].counters.dropped_reflected;
    } else {
      enqueue(port, order, one_class, flits);
    }
  }
  Class &in = ports_[ingress].classes[one_class];
  in.counters.peak_in_bytes = std::max(in.counters.peak_in_bytes, in.in_bytes);
  if (in.in_bytes > settings_.xoff_bytes && !in.is_off) tell(ingress, one_class, stamp, true);
}

// Whether there is room for a frame that is to leave by a port; then it has been taken.
bool PrioritySwitch::take_room(uint32_t port, const Queued &frame) {
  if (frame.has_input_room) {
    Class &in = ports_[frame.ingress].classes[frame.one_class];
    if (in.in_bytes + frame.bytes() > settings_.xoff_bytes + settings_.headroom_bytes) return false;
    in.in_bytes += frame.bytes();
    return true;
  }
  Port &out = ports_[port];
  if (out.lossy_bytes + frame.bytes() > config_.ports[port].buffer_bytes) return false;
  out.lossy_bytes += frame.bytes();
  return true;
}

void PrioritySwitch::enqueue(uint32_t port, Order order, uint32_t one_class, Flits flits) {
  const auto [stamp, ingress] = order;
  Port &out = ports_[port];
  Class &own = out.classes[one_class];
  Queued frame{std::move(flits), ingress, one_class, stamp};
  frame.has_input_room =
      settings_.pauses_class[one_class] != 0 && settings_.pauses_port[ingress] != 0;
  if (!take_room(port, frame)) {
    ++out.counters.dropped_queue_full;
    out.counters.dropped_queue_full_bytes += frame.bytes();
    ++own.counters.dropped;
    return;
  }
  frame.flits = marked(port, one_class, std::move(frame.flits));
  own.bytes += frame.bytes();
  own.counters.peak_bytes = std::max(own.counters.peak_bytes, own.bytes);
  out.counters.queue_bytes += frame.bytes();
  out.counters.peak_queue_bytes = std::max(out.counters.peak_queue_bytes, out.counters.queue_bytes);
  own.queue.push_back(std::move(frame));
}

// The frame with a mark, if it gets one for what waits before it.
PrioritySwitch::Flits PrioritySwitch::marked(uint32_t port, uint32_t one_class, Flits flits) {
  Class &own = ports_[port].classes[one_class];
  if (settings_.ecn_most_bytes == 0 || !is_ecn_capable(*flits)) return flits;
  const uint64_t number = own.ecn_frames++;
  const uint64_t queue = uint64_t{port} * kClasses + one_class;
  const uint64_t draw = mix_uniform(mix_uniform(draws_ ^ queue) ^ number);
  if (!settings_.mark_chance(own.bytes).hits(draw)) return flits;
  ++own.counters.ecn_marked;
  auto copy = std::make_shared<std::vector<uint64_t>>(*flits);
  mark_congestion(*copy);
  return copy;
}

void PrioritySwitch::finish(uint64_t end_cycle) {
  static_cast<void>(end_cycle);
  if (throughput_) throughput_->finish();
  write_statistics();
  statistics_written_ = true;
}

ClassCounters PrioritySwitch::counters(uint32_t port, uint32_t one_class) const {
  const Class &own = ports_.at(port).classes.at(one_class);
  ClassCounters counters = own.counters;
  const uint64_t until = std::min(own.paused_until, now_);
  if (until > own.paused_from) counters.paused_cycles += until - own.paused_from;
  return counters;
}

nlohmann::json PrioritySwitch::statistics() const {
  nlohmann::json ports = nlohmann::json::array();
  for (uint32_t port = 0; port < port_count(); ++port) {
    nlohmann::json all = ports_[port].counters.to_json();
    nlohmann::json classes = nlohmann::json::object();
    ClassCounters sum;
    for (uint32_t one = 0; one < kClasses; ++one) {
      const ClassCounters counters = this->counters(port, one);
      nlohmann::json values;
      uint64_t any = 0;
      for (const auto &[name, member] : kClassCounters) {
        values[name] = counters.*member;
        sum.*member += counters.*member;
        any |= counters.*member;
      }
      if (any != 0) classes[std::to_string(one)] = std::move(values);
    }
    all["ecn_marked"] = sum.ecn_marked;
    all["pauses_sent"] = sum.pauses_sent;
    all["pauses_received"] = sum.pauses_received;
    all["classes"] = std::move(classes);
    ports.push_back(std::move(all));
  }
  return {{"ports", ports}, {"pauses_that_wait", waits()}};
}

void PrioritySwitch::write_statistics() const {
  if (config_.statistics_file.empty()) return;
  nlohmann::json all = statistics();
  all["name"] = name();
  write_file_atomically(config_.statistics_file, all.dump(1) + "\n");
}

}  // namespace firesim::priority

FIRESIM_MODELS(registry) {
  registry.add(firesim::ModelRole::kSwitch, "priority",
               firesim::make_switch<firesim::priority::PrioritySwitch>);
}
