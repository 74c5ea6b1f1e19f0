// SPDX-License-Identifier: BSD-3-Clause
//
// The store-and-forward switch in a snapshot: its packets, where each of them waits, its counters.
//
// Between two advances every packet has storage of its own. A packet is held by an input port, by
// those waiting to be forwarded, or by any number of output queues; one that nobody holds is gone.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "core/state.h"
#include "switch/store_and_forward.h"

namespace firesim {

namespace {

constexpr const char *kHistograms = "queue_histograms";
constexpr uint64_t kNoPacket = UINT64_MAX;
constexpr uint64_t kMostCycle = uint64_t{1} << 63;
constexpr uint64_t kMostStampCycles = uint64_t{1} << 32;  // after the start of an advance
constexpr size_t kMaxSegments = size_t{1} << 32;

void save_packet(const Packet &packet, StateWriter &state) {
  state.u64s({packet.data, packet.flits});
  state.u64(packet.stamp);
  state.u64(packet.admission_bytes);
  state.u64(packet.ingress);
  state.boolean(packet.complete);
  // One segment for all flits in consecutive cycles, however the batches were cut.
  std::vector<uint64_t> segments;
  for (const ReadySegment &segment : packet.segments) {
    const size_t end = segments.size();
    if (end > 0 && segment.cycle - segments[end - 1] == segment.first_flit - segments[end - 2]) {
      continue;
    }
    segments.push_back(segment.first_flit);
    segments.push_back(segment.cycle);
  }
  state.u64s(packet.has_segments ? std::span<const uint64_t>(segments)
                                 : std::span<const uint64_t>());
}

void load_packet(Packet &packet, StateReader &state, uint64_t max_flits, uint32_t ports) {
  const std::vector<uint64_t> flits = state.u64s(max_flits);
  PacketPool::append(packet, flits.data(), static_cast<uint32_t>(flits.size()));
  packet.stamp = state.u64(kMostCycle);
  packet.admission_bytes = state.u64(max_flits * sizeof(uint64_t));
  packet.ingress = static_cast<uint32_t>(state.u64(ports - 1));
  packet.complete = state.boolean();
  const std::vector<uint64_t> segments = state.u64s(kMaxSegments);
  packet.segments.clear();
  uint64_t next_flit = 0;  // the first segment begins with the packet
  for (size_t i = 0; i + 1 < segments.size(); i += 2) {
    const bool in_order = i == 0 ? segments[i] == 0 : segments[i] >= next_flit;
    if (segments[i] >= flits.size() || !in_order || segments[i + 1] > kMostCycle) {
      state.fail("found a segment that does not fit its packet");
    }
    packet.segments.push_back({static_cast<uint32_t>(segments[i]), segments[i + 1]});
    next_flit = segments[i] + 1;
  }
  packet.has_segments = !packet.segments.empty();
  packet.references = 0;  // counted as the holders are read
}

Packet *find_packet(StateReader &state, const std::vector<Packet *> &packets) {
  const uint64_t index = state.u64();
  if (index == kNoPacket) return nullptr;
  if (index >= packets.size())
    state.fail("found packet " + std::to_string(index) + " of " + std::to_string(packets.size()));
  ++packets[index]->references;
  return packets[index];
}

Packet *need_packet(StateReader &state, const std::vector<Packet *> &packets) {
  Packet *packet = find_packet(state, packets);
  if (packet == nullptr) state.fail("found no packet, expected one");
  if (packet->flits == 0) state.fail("found a packet of no flits, expected at least one");
  return packet;
}

}  // namespace

std::string StoreAndForwardSwitch::fingerprint() const {
  return std::to_string(port_count()) + " ports, packets of up to " +
         std::to_string(config_.max_packet_bytes) + " bytes";
}

// In the order in which they will be forwarded; they come in that of the host's batches.
std::vector<StoreAndForwardSwitch::Pending> StoreAndForwardSwitch::pending_in_order() const {
  std::vector<Pending> pending = pending_;
  std::sort(pending.begin(), pending.end(), [](const Pending &a, const Pending &b) {
    return std::pair(a.stamp, a.packet->ingress) < std::pair(b.stamp, b.packet->ingress);
  });
  return pending;
}

// Every packet once, in an order that depends on nothing but the state.
std::vector<const Packet *> StoreAndForwardSwitch::held_packets() const {
  std::vector<const Packet *> packets;
  std::unordered_map<const Packet *, bool> seen;
  const auto add = [&](const Packet *packet) {
    if (packet != nullptr && seen.emplace(packet, true).second) packets.push_back(packet);
  };
  for (const Assembly &assembly : assemblies_) add(assembly.packet);
  for (const Pending &pending : pending_in_order()) add(pending.packet);
  for (const OutputQueue &queue : queues_) {
    for (size_t i = 0; i < queue.packets.size(); ++i) add(queue.packets.at(i).packet);
  }
  return packets;
}

void StoreAndForwardSwitch::save(StateWriter &state) const {
  state.section("switch", 1);
  const std::vector<const Packet *> packets = held_packets();
  std::unordered_map<const Packet *, uint64_t> index = {{nullptr, kNoPacket}};
  state.u64(packets.size());
  for (const Packet *packet : packets) {
    index.emplace(packet, index.size() - 1);
    save_packet(*packet, state);
  }
  for (uint32_t port = 0; port < port_count(); ++port) {
    const Assembly &assembly = assemblies_[port];
    const OutputQueue &queue = queues_[port];
    state.u64(index.at(assembly.packet));
    state.u64(assembly.flits);
    state.u64(queue.bytes);
    state.u64(queue.next_cycle);
    state.u64(queue.window);
    state.u64(queue.window_flits);
    state.u64(queue.packets.size());
    for (size_t i = 0; i < queue.packets.size(); ++i) {
      state.u64(index.at(queue.packets.at(i).packet));
      state.u64(queue.packets.at(i).sent);
    }
    counters_[port].save(state);
  }
  state.u64(pending_.size());
  for (const Pending &pending : pending_in_order()) {
    state.u64(pending.stamp);
    state.u64(index.at(pending.packet));
  }
  state.section("throughput", 1);
  state.u64(throughput_ ? config_.throughput_interval_cycles : 0);
  if (throughput_) throughput_->save(state);
  if (!histograms_) return;
  state.section(kHistograms, 1);
  histograms_->save(state);
}

std::vector<Packet *> StoreAndForwardSwitch::load_packets(StateReader &state) {
  std::vector<Packet *> packets;
  for (uint64_t left = state.u64(); left > 0; --left) {
    packets.push_back(pool_.make_empty());
    load_packet(*packets.back(), state, max_packet_flits_, port_count());
  }
  return packets;
}

void StoreAndForwardSwitch::load_port(uint32_t port, StateReader &state,
                                      const std::vector<Packet *> &packets, uint64_t cycle) {
  Assembly &assembly = assemblies_[port];
  OutputQueue &queue = queues_[port];
  assembly.packet = find_packet(state, packets);
  assembly.flits = state.u64();
  queue.bytes = state.u64();
  queue.next_cycle = state.u64(kMostCycle);
  queue.window = state.u64(kMostCycle);
  // The limit may have been another one.
  const uint64_t most_flits = queue.rate_limited ? config_.ports[port].rate_increment : UINT32_MAX;
  queue.window_flits = static_cast<uint32_t>(std::min<uint64_t>(state.u64(UINT32_MAX), most_flits));
  uint64_t queued_bytes = 0;
  for (uint64_t left = state.u64(); left > 0; --left) {
    Queued &queued = queue.packets.push_back();
    queued.packet = need_packet(state, packets);
    queued.sent = static_cast<uint32_t>(state.u64(queued.packet->flits));
    queued_bytes += queued.packet->admission_bytes;
    hold(port, *queued.packet);
  }
  if (queued_bytes != queue.bytes) state.fail("found a queue that does not hold its packets");
  check_first(port, state, cycle);
  counters_[port].load(state);
  if (queue.packets.empty()) return;
  count_held(port, std::max<uint64_t>(cycle, 1) - 1);
  is_busy_[port] = 1;
  busy_ports_.push_back(port);
}

// What the port sends next leaves in a cycle that is still to come.
void StoreAndForwardSwitch::check_first(uint32_t port, const StateReader &state, uint64_t cycle) {
  const OutputQueue &queue = queues_[port];
  if (queue.packets.empty()) return;
  const Queued &front = queue.packets.at(0);
  const Packet &packet = *front.packet;
  if (front.sent == packet.flits) {
    if (packet.complete) state.fail("found a packet in a queue that it has left");
    return;  // the rest has not arrived
  }
  uint64_t next = std::max(queue.next_cycle, packet.stamp);
  if (packet.has_segments) flits_ready(packet, front.sent, next);
  if (next < cycle) state.fail("found a packet that should have left before");
}

void StoreAndForwardSwitch::load(StateReader &state, uint64_t cycle) {
  state.section("switch", 1);
  const std::vector<Packet *> packets = load_packets(state);
  for (uint32_t port = 0; port < port_count(); ++port) load_port(port, state, packets, cycle);
  for (uint64_t left = state.u64(); left > 0; --left) {
    const uint64_t stamp = state.u64();
    if (stamp < cycle) state.fail("found a packet that should have been forwarded before");
    if (stamp - cycle > kMostStampCycles) state.fail("found a packet that is never forwarded");
    pending_.push_back({stamp, need_packet(state, packets)});
    next_stamp_ = std::min(next_stamp_, stamp);
  }
  for (const Packet *packet : packets) {
    if (packet->references == 0) state.fail("found a packet that is nowhere in the switch");
  }
  state.section("throughput", 1);
  const uint64_t interval_cycles = state.u64();
  if (throughput_ && interval_cycles == config_.throughput_interval_cycles) {
    throughput_->load(state, cycle);
  } else if (interval_cycles != 0) {  // not wanted any more, or in other intervals: begins here
    state.u64();
    state.u64s(SIZE_MAX);
    if (throughput_) throughput_->start_at(cycle);
  } else if (throughput_) {
    throughput_->start_at(cycle);
  }
  load_histograms(state, cycle);
}

// A snapshot has them if the run that made it did; else they begin here.
void StoreAndForwardSwitch::load_histograms(StateReader &state, uint64_t cycle) {
  end_cycle_ = cycle;
  if (!state.next_section_is(kHistograms)) {
    if (histograms_) histograms_->start_at(cycle);
    return;
  }
  state.section(kHistograms, 1);
  QueueHistograms unwanted(port_count());
  (histograms_ ? *histograms_ : unwanted).load(state, cycle);
}

void StoreAndForwardSwitch::start_at(uint64_t cycle) {
  if (throughput_) throughput_->start_at(cycle);
  if (histograms_) histograms_->start_at(cycle);
  end_cycle_ = cycle;
}

}  // namespace firesim
