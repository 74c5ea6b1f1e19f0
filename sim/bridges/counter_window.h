// SPDX-License-Identifier: BSD-3-Clause
// Counting within a window: what counters have come to in its cycles alone, and events that open
// and close it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bridges/driver.h"

namespace firesim::bridges {

// Counts in the cycles between turn() with true and turn() with false, over and over.
class CounterWindow {
 public:
  explicit CounterWindow(size_t counters) : totals_(counters), base_(counters) {}

  bool is_open() const { return open_; }
  // From `cycle` on it is open, or closed. The counters are those of `cycle`.
  void turn(bool open, uint64_t cycle, const std::vector<OutputPort> &counters);
  // Before `cycle`: the cycles in which it was open, and what a counter has come to in them.
  uint64_t cycles(uint64_t cycle) const { return cycles_ + (open_ ? cycle - since_ : 0); }
  uint64_t count(size_t counter, const std::vector<OutputPort> &counters) const {
    return totals_[counter] + (open_ ? counters[counter]() - base_[counter] : 0);
  }

  void save(StateWriter &state) const;
  void load(StateReader &state);

 private:
  bool open_ = false;
  uint64_t cycles_ = 0, since_ = 0;
  std::vector<uint64_t> totals_;  // of windows that are closed
  std::vector<uint64_t> base_;    // the counters when it opened
};

// Opens once an event has been counted so often since the window last closed, and closes once
// another has since it opened. It is open from the cycle after the one event to that of the other.
class EventTrigger {
 public:
  EventTrigger() = default;
  // Keys: kind, start and, optional, end, each of event (the name of a counter) and count (1), and
  // ends_node (false). Throws ConfigError.
  EventTrigger(const nlohmann::json &config, const std::string &where,
               const std::vector<std::string> &names);

  bool on() const { return on_; }
  // Whether the node ends where the window first closes.
  bool ends_node() const { return ends_node_; }
  // To be called in every cycle; the counters are those of `cycle`. Returns whether it changed.
  bool see(const std::vector<OutputPort> &counters) {
    if (!begun_) turn_to(on_, counters);
    const Edge &edge = on_ ? end_ : start_;
    if (edge.counter == kNoCounter || counters[edge.counter]() - seen_ < edge.count) return false;
    turn_to(!on_, counters);
    return true;
  }

  void save(StateWriter &state) const;
  void load(StateReader &state);

 private:
  static constexpr size_t kNoCounter = SIZE_MAX;
  struct Edge {
    size_t counter = kNoCounter;
    uint64_t count = 1;
  };
  static Edge read_edge(Config &config, const char *key, const std::vector<std::string> &names);
  void turn_to(bool on, const std::vector<OutputPort> &counters);

  Edge start_, end_;
  bool ends_node_ = false;
  bool begun_ = false;  // whether `seen_` is known
  bool on_ = false;
  uint64_t seen_ = 0;  // the awaited counter when it began to be awaited
};

}  // namespace firesim::bridges
