// SPDX-License-Identifier: BSD-3-Clause
//
// What a switch counts per port, and its throughput over time.
#pragma once

#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/histogram.h"
#include "core/state.h"

namespace firesim {

// Bytes are those on the wire, pad bytes and the rounding up to whole flits included.
struct PortCounters {
  uint64_t packets_in = 0;  // arrived whole, dropped ones included
  uint64_t bytes_in = 0;
  uint64_t packets_out = 0;  // left whole
  uint64_t bytes_out = 0;
  // Dropped on arrival.
  uint64_t dropped_runt = 0;
  uint64_t dropped_oversize = 0;
  uint64_t dropped_unknown_destination = 0;
  uint64_t dropped_reflected = 0;  // the destination is behind the port it came from
  // Dropped at this output because the queue was full. A cut-through switch, which does not know
  // the length yet, counts the room a packet would have taken.
  uint64_t dropped_queue_full = 0;
  uint64_t dropped_queue_full_bytes = 0;
  // Flits in the queue now and at most, of packets that have not left whole. Of one that is cut
  // through, those that have arrived, not the room it reserves.
  uint64_t queue_bytes = 0;
  uint64_t peak_queue_bytes = 0;

  nlohmann::json to_json() const;
  void save(StateWriter &state) const;
  void load(StateReader &state);
};

// How long packets waited at each output, and how many were in its queue.
class QueueHistograms {
 public:
  explicit QueueHistograms(uint32_t ports) : ports_(ports) {}

  // The first flit of a packet left so many cycles after it was forwarded.
  void waited(uint32_t port, uint64_t cycles) { ports_[port].wait.add(cycles); }
  // `packets` were in the queue in the cycles from the last call on, before `cycle`.
  void held(uint32_t port, size_t packets, uint64_t cycle) {
    Port &here = ports_[port];
    if (cycle <= here.since) return;
    here.packets.add(packets, cycle - here.since);
    here.since = cycle;
  }
  void start_at(uint64_t cycle) {
    for (Port &port : ports_) port.since = cycle;
  }

  nlohmann::json to_json() const;
  void save(StateWriter &state) const;
  void load(StateReader &state, uint64_t cycle);

 private:
  struct Port {
    Histogram wait;
    Histogram packets;
    uint64_t since = 0;
  };
  std::vector<Port> ports_;
};

// CSV of bytes in and out of each port in each interval. Intervals in which a port was silent have
// no line, so that idle time costs nothing.
class ThroughputLog {
 public:
  // Throws std::runtime_error if the file cannot be written.
  ThroughputLog(const std::string &path, uint64_t interval_cycles, uint32_t ports);

  // Flits in consecutive cycles from `cycle` on; cycles must lie in the present advance.
  void add_in(uint32_t port, uint64_t cycle, uint64_t flits) { add(2 * port, cycle, flits); }
  void add_out(uint32_t port, uint64_t cycle, uint64_t flits) { add(2 * port + 1, cycle, flits); }

  // What is known of intervals that are not over; `start_at` leaves out all before `cycle`.
  void save(StateWriter &state) const;
  void load(StateReader &state, uint64_t cycle);
  void start_at(uint64_t cycle) { first_interval_ = cycle / interval_cycles_; }

  // All cycles before `cycle` are known: writes the intervals that are over.
  void complete_until(uint64_t cycle);
  // Writes the last, shorter interval too.
  void finish();

 private:
  void add(size_t column, uint64_t cycle, uint64_t flits);
  void write_interval(uint64_t interval);

  const std::string path_;
  const uint64_t interval_cycles_;
  const size_t columns_;  // in and out of each port
  std::ofstream file_;
  uint64_t first_interval_ = 0;  // of those kept in `flits_`
  std::vector<uint64_t> flits_;  // `columns_` per interval
};

}  // namespace firesim
