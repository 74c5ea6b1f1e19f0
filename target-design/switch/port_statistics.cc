// SPDX-License-Identifier: BSD-3-Clause
//
// Counters and throughput of a switch's ports.
#include "switch/port_statistics.h"

#include <algorithm>
#include <stdexcept>

#include "switch/switch_config.h"

namespace firesim {

nlohmann::json PortCounters::to_json() const {
  return {{"packets_in", packets_in},
          {"bytes_in", bytes_in},
          {"packets_out", packets_out},
          {"bytes_out", bytes_out},
          {"dropped_runt", dropped_runt},
          {"dropped_oversize", dropped_oversize},
          {"dropped_unknown_destination", dropped_unknown_destination},
          {"dropped_reflected", dropped_reflected},
          {"dropped_queue_full", dropped_queue_full},
          {"dropped_queue_full_bytes", dropped_queue_full_bytes},
          {"queue_bytes", queue_bytes},
          {"peak_queue_bytes", peak_queue_bytes}};
}

void PortCounters::save(StateWriter &state) const {
  const uint64_t values[] = {packets_in,
                             bytes_in,
                             packets_out,
                             bytes_out,
                             dropped_runt,
                             dropped_oversize,
                             dropped_unknown_destination,
                             dropped_reflected,
                             dropped_queue_full,
                             dropped_queue_full_bytes,
                             queue_bytes,
                             peak_queue_bytes};
  state.u64s(values);
}

void PortCounters::load(StateReader &state) {
  uint64_t *const values[] = {&packets_in,
                              &bytes_in,
                              &packets_out,
                              &bytes_out,
                              &dropped_runt,
                              &dropped_oversize,
                              &dropped_unknown_destination,
                              &dropped_reflected,
                              &dropped_queue_full,
                              &dropped_queue_full_bytes,
                              &queue_bytes,
                              &peak_queue_bytes};
  const std::vector<uint64_t> saved = state.u64s(std::size(values));
  if (saved.size() != std::size(values)) state.fail("found too few counters of a port");
  for (size_t i = 0; i < saved.size(); ++i) *values[i] = saved[i];
}

nlohmann::json QueueHistograms::to_json() const {
  nlohmann::json found = nlohmann::json::array();
  for (size_t port = 0; port < ports_.size(); ++port) {
    const auto add = [&](const char *what, const char *unit, const Histogram &histogram) {
      nlohmann::json one = histogram.to_json();
      one["what"] = what;
      one["unit"] = unit;
      one["port"] = port;
      found.push_back(std::move(one));
    };
    add("wait", "cycles", ports_[port].wait);
    add("queue", "packets", ports_[port].packets);
  }
  return found;
}

void QueueHistograms::save(StateWriter &state) const {
  state.u64(ports_.size());
  for (const Port &port : ports_) {
    port.wait.save(state);
    port.packets.save(state);
    state.u64(port.since);
  }
}

void QueueHistograms::load(StateReader &state, uint64_t cycle) {
  state.expect("the number of ports with histograms", ports_.size());
  for (Port &port : ports_) {
    port.wait.load(state);
    port.packets.load(state);
    port.since = state.u64(cycle);
  }
}

ThroughputLog::ThroughputLog(const std::string &path, uint64_t interval_cycles, uint32_t ports)
    : path_(path), interval_cycles_(interval_cycles), columns_(2 * size_t{ports}), file_(path) {
  file_ << "cycle,port,bytes_in,bytes_out\n" << std::flush;
  if (!file_) throw std::runtime_error("cannot write " + path_);
}

void ThroughputLog::add(size_t column, uint64_t cycle, uint64_t flits) {
  while (flits > 0) {
    const uint64_t interval = cycle / interval_cycles_;
    const uint64_t here = std::min(flits, (interval + 1) * interval_cycles_ - cycle);
    const size_t row = (interval - first_interval_) * columns_;
    if (flits_.size() < row + columns_) flits_.resize(row + columns_);
    flits_[row + column] += here;
    cycle += here;
    flits -= here;
  }
}

void ThroughputLog::write_interval(uint64_t interval) {
  const size_t row = (interval - first_interval_) * columns_;
  for (size_t column = 0; column < columns_; column += 2) {
    const uint64_t in = flits_[row + column];
    const uint64_t out = flits_[row + column + 1];
    if (in == 0 && out == 0) continue;
    file_ << interval * interval_cycles_ << ',' << column / 2 << ',' << in * kFlitBytes << ','
          << out * kFlitBytes << '\n';
  }
}

void ThroughputLog::save(StateWriter &state) const {
  state.u64(first_interval_);
  state.u64s(flits_);
}

void ThroughputLog::load(StateReader &state, uint64_t cycle) {
  first_interval_ = state.u64();
  flits_ = state.u64s(SIZE_MAX);
  // All intervals before are complete, as every advance leaves them.
  if (first_interval_ != cycle / interval_cycles_) state.fail("found throughput of another time");
  if (flits_.size() % columns_ != 0) state.fail("found throughput of a part of the ports");
}

void ThroughputLog::complete_until(uint64_t cycle) {
  const uint64_t next = cycle / interval_cycles_;
  if (next <= first_interval_) return;
  if (!flits_.empty()) {
    const uint64_t kept = flits_.size() / columns_;
    const uint64_t over = std::min(kept, next - first_interval_);
    for (uint64_t i = 0; i < over; ++i) write_interval(first_interval_ + i);
    flits_.erase(flits_.begin(), flits_.begin() + static_cast<ptrdiff_t>(over * columns_));
    file_.flush();
    if (!file_) throw std::runtime_error("cannot write " + path_ + " (disk full?)");
  }
  first_interval_ = next;
}

void ThroughputLog::finish() {
  const uint64_t kept = flits_.size() / columns_;
  for (uint64_t i = 0; i < kept; ++i) write_interval(first_interval_ + i);
  flits_.clear();
  file_.flush();
}

}  // namespace firesim
