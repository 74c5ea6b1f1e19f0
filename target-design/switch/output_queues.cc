// SPDX-License-Identifier: BSD-3-Clause
//
// The store-and-forward switch: output queues, their byte and rate limits.
#include <algorithm>

#include "core/check.h"
#include "switch/store_and_forward.h"

namespace firesim {

// Puts a packet into the queue of a port in the cycle of its stamp, or drops it.
void StoreAndForwardSwitch::enqueue(uint32_t port, Packet *packet) {
  OutputQueue &queue = queues_[port];
  PortCounters &counters = counters_[port];
  // What left before this cycle has made room; what leaves in this cycle has not.
  send_until(port, packet->stamp);
  if (queue.bytes + packet->admission_bytes > queue.room_bytes) {
    ++counters.dropped_queue_full;
    counters.dropped_queue_full_bytes += packet->admission_bytes;
    return;
  }
  queue.bytes += packet->admission_bytes;
  hold(port, *packet);
  count_held(port, packet->stamp);
  ++packet->references;
  if (histograms_) histograms_->held(port, queue.packets.size(), packet->stamp);
  queue.packets.push_back().packet = packet;
  if (is_busy_[port] != 0) return;
  is_busy_[port] = 1;
  busy_ports_.push_back(port);
}

// Sends what the port can send in the cycles before `end_cycle`.
void StoreAndForwardSwitch::send_until(uint32_t port, uint64_t end_cycle) {
  OutputQueue &queue = queues_[port];
  while (!queue.packets.empty()) {
    Queued &front = queue.packets.front();
    const Packet &packet = *front.packet;
    uint64_t cycle = std::max(queue.next_cycle, packet.stamp);
    uint32_t flits = packet.flits - front.sent;
    if (packet.has_segments) flits = flits_ready(packet, front.sent, cycle);
    if (flits == 0) return;
    if (queue.rate_limited) flits = rate_allowance(port, cycle, flits);
    queue.next_cycle = cycle;  // also when it lies beyond the end: nothing can leave before
    if (cycle >= end_cycle) return;
    flits = static_cast<uint32_t>(std::min<uint64_t>(flits, end_cycle - cycle));
    const bool last = packet.complete && front.sent + flits == packet.flits;
    outputs_[port].append_shared(static_cast<uint32_t>(cycle - start_cycle_),
                                 packet.data + front.sent, flits, last, packet.buffer);
    if (throughput_) throughput_->add_out(port, cycle, flits);
    if (histograms_ && front.sent == 0) histograms_->waited(port, cycle - packet.stamp);
    front.sent += flits;
    queue.window_flits += flits;
    queue.next_cycle = cycle + flits;
    if (last) packet_sent(port);
  }
}

// How many flits of a packet with segments from `sent` on can leave in consecutive cycles, and from
// which cycle, which is moved on if need be. 0 if the next flit has not arrived.
uint32_t StoreAndForwardSwitch::flits_ready(const Packet &packet, uint32_t sent, uint64_t &cycle) {
  auto next = std::upper_bound(
      packet.segments.begin(), packet.segments.end(), sent,
      [](uint32_t flit, const ReadySegment &segment) { return flit < segment.first_flit; });
  const ReadySegment &segment = *(next - 1);
  cycle = std::max(cycle, segment.cycle + (sent - segment.first_flit));
  return (next == packet.segments.end() ? packet.flits : next->first_flit) - sent;
}

// How many of `flits` the rate limit lets pass from `cycle` on, which is moved to the next window
// if this one is used up.
uint32_t StoreAndForwardSwitch::rate_allowance(uint32_t port, uint64_t &cycle, uint32_t flits) {
  const SwitchPortConfig &config = config_.ports[port];
  OutputQueue &queue = queues_[port];
  const uint64_t window = cycle / config.rate_period;
  if (window != queue.window) {
    queue.window = window;
    queue.window_flits = 0;
  }
  if (queue.window_flits == config.rate_increment) {
    ++queue.window;
    queue.window_flits = 0;
    cycle = queue.window * config.rate_period;
  }
  const uint64_t window_end = (queue.window + 1) * config.rate_period;
  return static_cast<uint32_t>(
      std::min<uint64_t>({flits, config.rate_increment - queue.window_flits, window_end - cycle}));
}

// How many flits of a packet with segments have arrived and spent the switching latency by `cycle`.
uint64_t StoreAndForwardSwitch::flits_there(const Packet &packet, uint64_t cycle) {
  // From the back: the last segments are those of about now.
  for (auto segment = packet.segments.rbegin(); segment != packet.segments.rend(); ++segment) {
    if (segment->cycle > cycle) continue;
    const bool is_last = segment == packet.segments.rbegin();
    const uint64_t end_flit = is_last ? packet.flits : (segment - 1)->first_flit;
    return std::min(end_flit, segment->first_flit + (cycle - segment->cycle) + 1);
  }
  return 0;
}

// Adds a packet to what the queue of a port holds.
void StoreAndForwardSwitch::hold(uint32_t port, const Packet &packet) {
  OutputQueue &queue = queues_[port];
  if (packet.has_segments) {
    queue.arriving.push_back(&packet);
  } else {
    queue.whole_bytes += packet.bytes();
  }
}

// Counts what the queue of a port holds in `cycle`: the packets of which the final flit has not
// left before, of each the flits that are there.
void StoreAndForwardSwitch::count_held(uint32_t port, uint64_t cycle) {
  OutputQueue &queue = queues_[port];
  uint64_t arriving_bytes = 0;
  size_t kept = 0;
  for (const Packet *packet : queue.arriving) {
    const uint64_t flits = flits_there(*packet, cycle);
    if (packet->complete && flits == packet->flits) {
      queue.whole_bytes += packet->bytes();
    } else {
      arriving_bytes += flits * kFlitBytes;
      queue.arriving[kept++] = packet;
    }
  }
  queue.arriving.resize(kept);
  queue.held_bytes = queue.whole_bytes + arriving_bytes;
  PortCounters &counters = counters_[port];
  counters.peak_queue_bytes = std::max(counters.peak_queue_bytes, queue.held_bytes);
}

// Says what is in the queues to threads that ask, which may be in the middle of an advance.
void StoreAndForwardSwitch::show_queues() {
  uint64_t bytes = 0;
  double fullest = 0;
  for (const uint32_t port : busy_ports_) {
    const OutputQueue &queue = queues_[port];
    bytes += queue.held_bytes;
    const auto room = static_cast<double>(queue.room_bytes);
    fullest = std::max(fullest, static_cast<double>(queue.held_bytes) / room);
  }
  shown_bytes_.store(bytes, std::memory_order_relaxed);
  shown_fullest_.store(fullest, std::memory_order_relaxed);
}

std::optional<QueueStatus> StoreAndForwardSwitch::queue_status() const {
  return QueueStatus{shown_bytes_.load(std::memory_order_relaxed),
                     shown_fullest_.load(std::memory_order_relaxed)};
}

// The final flit of the first packet in the queue has left.
void StoreAndForwardSwitch::packet_sent(uint32_t port) {
  OutputQueue &queue = queues_[port];
  PortCounters &counters = counters_[port];
  Packet *packet = queue.packets.front().packet;
  FIRESIM_CHECK(queue.bytes >= packet->admission_bytes, "queue holds less than its packets");
  // The queue grows until a packet leaves, in that cycle too: so no peak is missed.
  if (!queue.arriving.empty()) count_held(port, queue.next_cycle - 1);
  queue.bytes -= packet->admission_bytes;
  queue.whole_bytes -= packet->bytes();
  ++counters.packets_out;
  counters.bytes_out += packet->bytes();
  if (capture_) capture_->outbound(port, queue.next_cycle - 1, *packet);
  if (histograms_) histograms_->held(port, queue.packets.size(), queue.next_cycle);
  pool_.release(packet);
  queue.packets.pop_front();
}

}  // namespace firesim
