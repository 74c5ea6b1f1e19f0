// SPDX-License-Identifier: BSD-3-Clause
//
// The store-and-forward switch: arrival and forwarding. Sending is in output_queues.cc.
#include "switch/store_and_forward.h"

#include <algorithm>
#include <tuple>

#include "core/atomic_file.h"
#include "core/check.h"
#include "switch/route.h"

namespace firesim {

namespace {

// An advance is worked through in slices of about this many cycles, so that what is kept of a
// packet is still in the CPU's cache when the packet leaves, and few have to be sorted at a time.
constexpr uint64_t kSliceCycles = 256;

}  // namespace

StoreAndForwardSwitch::StoreAndForwardSwitch(SwitchConfig config)
    : Model(config.name),
      config_(with_flood_ports(std::move(config))),
      max_packet_flits_(config_.max_packet_bytes / kFlitBytes),
      table_(config_.mac_table),
      counters_(config_.ports.size()),
      assemblies_(config_.ports.size()),
      queues_(config_.ports.size()),
      is_busy_(config_.ports.size()) {
  for (uint32_t port = 0; port < port_count(); ++port) {
    const SwitchPortConfig &own = config_.ports[port];
    queues_[port].room_bytes = own.buffer_bytes;
    queues_[port].rate_limited = own.rate_increment < own.rate_period;
  }
  if (!config_.throughput_file.empty()) {
    throughput_ = std::make_unique<ThroughputLog>(config_.throughput_file,
                                                  config_.throughput_interval_cycles, port_count());
  }
  if (!config_.histograms_file.empty()) {
    histograms_ = std::make_unique<QueueHistograms>(port_count());
  }
  if (!config_.capture_file.empty()) {
    capture_ = std::make_unique<PacketCapture>(config_.capture_file, config_.name, port_count(),
                                               config_.clock_hz, config_.capture_side);
  }
}

StoreAndForwardSwitch::~StoreAndForwardSwitch() {
  try {
    if (throughput_) throughput_->finish();
    if (statistics_written_) return;
    write_statistics();
    write_histograms();
  } catch (const std::exception &) {
    // Nothing can be done about it here; the run has already failed.
  }
}

void StoreAndForwardSwitch::advance(uint64_t start_cycle, uint32_t cycles, std::span<Batch> inputs,
                                    std::span<Batch> outputs) {
  const uint64_t end_cycle = start_cycle + cycles;
  start_cycle_ = start_cycle;
  end_cycle_ = end_cycle;
  outputs_ = outputs;
  receive_all(inputs, end_cycle);
  if (next_stamp_ < end_cycle) forward_until(end_cycle);
  size_t kept = 0;
  for (const uint32_t port : busy_ports_) {
    send_until(port, end_cycle);
    count_held(port, end_cycle - 1);
    is_busy_[port] = queues_[port].packets.empty() ? 0 : 1;
    if (is_busy_[port] != 0) busy_ports_[kept++] = port;
  }
  busy_ports_.resize(kept);
  show_queues();
  pool_.end_advance();
  if (throughput_) throughput_->complete_until(end_cycle);
  if (capture_) capture_->end_advance();
}

// Receives everything, and forwards along the way what has been overtaken.
void StoreAndForwardSwitch::receive_all(std::span<Batch> inputs, uint64_t end_cycle) {
  uint64_t next_cycle = end_cycle;
  for (uint32_t port = 0; port < inputs.size(); ++port) {
    if (inputs[port].empty()) continue;
    start_receiving(port, inputs[port]);
    next_cycle = std::min(next_cycle, start_cycle_ + arrivals_.back().next->offset);
  }
  const bool streaming = forwards_at_first_flit();
  while (!arrivals_.empty()) {
    const uint64_t slice_end = std::min(next_cycle + kSliceCycles, end_cycle);
    next_cycle = end_cycle;
    size_t kept = 0;
    for (Arrival &arrival : arrivals_) {
      if (streaming) {
        receive_streaming(arrival, slice_end);
      } else {
        receive_store(arrival, slice_end);
      }
      if (arrival.next == arrival.end) continue;
      next_cycle = std::min(next_cycle, start_cycle_ + arrival.next->offset);
      arrivals_[kept++] = arrival;
    }
    arrivals_.resize(kept);
    // All that has been stamped before this cycle is known.
    if (next_stamp_ < slice_end) forward_until(slice_end);
  }
}

void StoreAndForwardSwitch::start_receiving(uint32_t port, const Batch &batch) {
  if (throughput_) {
    for (const Run &run : batch.runs()) {
      throughput_->add_in(port, batch.start_cycle() + run.offset, run.length);
    }
  }
  Arrival &arrival = arrivals_.emplace_back();
  arrival.port = port;
  arrival.next = batch.runs().data();
  arrival.end = arrival.next + batch.runs().size();
}

// Receives the runs that begin before `end_cycle`.
void StoreAndForwardSwitch::receive_store(Arrival &arrival, uint64_t end_cycle) {
  for (; arrival.next != arrival.end; ++arrival.next) {
    const Run &run = *arrival.next;
    if (start_cycle_ + run.offset >= end_cycle) return;
    if (arrival.flits > 0 &&
        (run.data != arrival.first + arrival.flits || run.buffer != arrival.buffer)) {
      hold_part(arrival.port, arrival.first, arrival.flits);  // the rest lies elsewhere
      arrival.flits = 0;
    }
    if (arrival.flits == 0) {
      arrival.first = run.data;
      arrival.buffer = run.buffer;
    }
    arrival.flits += run.length;
    if (!run.last) continue;
    end_packet(arrival.port, start_cycle_ + run.end() - 1, arrival.first, arrival.flits,
               arrival.buffer);
    arrival.flits = 0;
  }
  if (arrival.flits > 0) hold_part(arrival.port, arrival.first, arrival.flits);
}

// Keeps the beginning of a packet for the next batch; of one that is too long, only its length.
void StoreAndForwardSwitch::hold_part(uint32_t port, const uint64_t *data, uint32_t flits) {
  Assembly &assembly = assemblies_[port];
  assembly.flits += flits;
  if (assembly.flits > max_packet_flits_) {
    if (assembly.packet != nullptr) pool_.release(assembly.packet);
    assembly.packet = nullptr;
    return;
  }
  if (assembly.packet == nullptr) assembly.packet = pool_.make_empty();
  PacketPool::append(*assembly.packet, data, flits);
}

// The final `flits` flits of a packet have arrived, the last one in `last_cycle`.
void StoreAndForwardSwitch::end_packet(uint32_t port, uint64_t last_cycle, const uint64_t *data,
                                       uint32_t flits, FlitBuffer *buffer) {
  Assembly &assembly = assemblies_[port];
  Packet *packet = std::exchange(assembly.packet, nullptr);
  const uint64_t total = std::exchange(assembly.flits, 0) + flits;
  if (!count_and_check(port, total)) {
    if (packet != nullptr) pool_.release(packet);
    return;
  }
  if (packet != nullptr) {
    PacketPool::append(*packet, data, flits);
  } else {
    packet = pool_.borrow(data, flits, buffer);
    __builtin_prefetch(data);  // for the destination address
  }
  packet->complete = true;
  packet->ingress = port;
  packet->admission_bytes = packet->bytes();
  add_pending(packet, last_cycle + config_.switching_latency_cycles);
  if (capture_) capture_->inbound(port, last_cycle, *packet);
}

// Counts a packet that has arrived; false if it is to be dropped for its length.
bool StoreAndForwardSwitch::count_and_check(uint32_t port, uint64_t flits) {
  PortCounters &counters = counters_[port];
  ++counters.packets_in;
  counters.bytes_in += flits * kFlitBytes;
  if (flits < config_.min_packet_flits) {
    ++counters.dropped_runt;
    return false;
  }
  if (flits > max_packet_flits_) {
    ++counters.dropped_oversize;
    return false;
  }
  return true;
}

// Receives the runs that begin before `end_cycle`.
void StoreAndForwardSwitch::receive_streaming(Arrival &arrival, uint64_t end_cycle) {
  for (; arrival.next != arrival.end; ++arrival.next) {
    const uint64_t cycle = start_cycle_ + arrival.next->offset;
    if (cycle >= end_cycle) return;
    stream_run(arrival.port, cycle, *arrival.next);
  }
}

// A stretch of a packet that is forwarded while it arrives. Beyond the longest allowed length it is
// cut off: what has left cannot be called back.
void StoreAndForwardSwitch::stream_run(uint32_t port, uint64_t cycle, const Run &run) {
  Assembly &assembly = assemblies_[port];
  if (assembly.flits == 0) {
    assembly.packet = pool_.make_empty();
    ++assembly.packet->references;  // one for the assembly, one for the way to the outputs
    assembly.packet->ingress = port;
    assembly.packet->admission_bytes = max_packet_flits_ * kFlitBytes;
  }
  assembly.flits += run.length;
  if (Packet *packet = assembly.packet; packet != nullptr) {
    const bool is_new = packet->flits == 0;
    const auto room = static_cast<uint32_t>(max_packet_flits_ - packet->flits);
    const uint32_t kept = std::min(run.length, room);
    const uint64_t ready = cycle + config_.switching_latency_cycles;
    if (kept > 0) {
      packet->segments.push_back({packet->flits, ready});
      packet->has_segments = true;
    }
    PacketPool::append(*packet, run.data, kept);
    if (is_new) add_pending(packet, ready);
    if (packet->flits == max_packet_flits_ || run.last) {
      packet->complete = true;
      if (capture_) capture_->inbound(port, cycle + kept - 1, *packet);
      pool_.release(packet);
      assembly.packet = nullptr;
    }
  }
  if (run.last) count_and_check(port, std::exchange(assembly.flits, 0));
}

void StoreAndForwardSwitch::add_pending(Packet *packet, uint64_t stamp) {
  packet->stamp = stamp;
  next_stamp_ = std::min(next_stamp_, stamp);
  pending_.push_back({stamp, packet});
}

// Forwards, in order, the packets stamped before `end_cycle`.
void StoreAndForwardSwitch::forward_until(uint64_t end_cycle) {
  size_t kept = 0;
  next_stamp_ = UINT64_MAX;
  for (const Pending &pending : pending_) {
    if (pending.stamp < end_cycle) {
      // Stamps are within 2^32 cycles of the start of the advance, ports below kMaxSwitchPorts.
      const uint64_t order = (pending.stamp - start_cycle_) * kMaxSwitchPorts;
      due_.push_back({order + pending.packet->ingress, pending.packet});
    } else {
      next_stamp_ = std::min(next_stamp_, pending.stamp);
      pending_[kept++] = pending;
    }
  }
  pending_.resize(kept);
  // Two packets of one port never have the same stamp.
  std::sort(due_.begin(), due_.end(), [](const Due &a, const Due &b) { return a.order < b.order; });
  for (const Due &due : due_) forward(due.packet);
  due_.clear();
}

void StoreAndForwardSwitch::forward(Packet *packet) {
  PortCounters &counters = counters_[packet->ingress];
  destinations_.clear();
  if (!route(*packet, destinations_)) ++counters.dropped_unknown_destination;
  for (const uint32_t port : destinations_) {
    FIRESIM_CHECK(port < queues_.size(), "packet routed to a port that does not exist");
    if (port == packet->ingress) {
      ++counters.dropped_reflected;
    } else {
      enqueue(port, packet);
    }
  }
  pool_.release(packet);
}

bool StoreAndForwardSwitch::route(const Packet &packet, std::vector<uint32_t> &outputs) {
  return route_by_address(config_, table_, packet.destination(), packet.ingress, outputs);
}

void StoreAndForwardSwitch::finish(uint64_t end_cycle) {
  static_cast<void>(end_cycle);
  if (throughput_) throughput_->finish();
  write_statistics();
  write_histograms();
  statistics_written_ = true;
}

PortCounters StoreAndForwardSwitch::counters(uint32_t port) const {
  PortCounters counters = counters_.at(port);
  counters.queue_bytes = queues_[port].held_bytes;
  return counters;
}

nlohmann::json StoreAndForwardSwitch::statistics() const {
  nlohmann::json ports = nlohmann::json::array();
  for (uint32_t port = 0; port < port_count(); ++port) ports.push_back(counters(port).to_json());
  return {{"ports", ports}};
}

void StoreAndForwardSwitch::write_statistics() const {
  if (config_.statistics_file.empty()) return;
  nlohmann::json all = statistics();
  all["name"] = name();
  write_file_atomically(config_.statistics_file, all.dump(1) + "\n");
}

void StoreAndForwardSwitch::write_histograms() const {
  if (!histograms_) return;
  QueueHistograms whole = *histograms_;
  for (uint32_t port = 0; port < port_count(); ++port) {
    whole.held(port, queues_[port].packets.size(), end_cycle_);
  }
  const nlohmann::json all = {{"histograms", whole.to_json()}};
  write_file_atomically(config_.histograms_file, all.dump() + "\n");
}

}  // namespace firesim
