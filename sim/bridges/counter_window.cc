// SPDX-License-Identifier: BSD-3-Clause
// Windows of counters; see counter_window.h.
#include "bridges/counter_window.h"

#include <algorithm>

namespace firesim::bridges {

void CounterWindow::turn(bool open, uint64_t cycle, const std::vector<OutputPort> &counters) {
  if (open == open_) return;
  for (size_t i = 0; i < totals_.size(); ++i) {
    if (open) {
      base_[i] = counters[i]();
    } else {
      totals_[i] += counters[i]() - base_[i];
    }
  }
  if (open) {
    since_ = cycle;
  } else {
    cycles_ += cycle - since_;
  }
  open_ = open;
}

void CounterWindow::save(StateWriter &state) const {
  state.boolean(open_);
  state.u64(cycles_);
  state.u64(since_);
  state.u64s(totals_);
  state.u64s(base_);
}

void CounterWindow::load(StateReader &state) {
  const size_t counters = totals_.size();
  open_ = state.boolean();
  cycles_ = state.u64();
  since_ = state.past_cycle();
  totals_ = state.u64s(counters);
  base_ = state.u64s(counters);
  if (totals_.size() != counters || base_.size() != counters) {
    state.fail("found a window of other counters");
  }
}

EventTrigger::EventTrigger(const nlohmann::json &json, const std::string &where,
                           const std::vector<std::string> &names) {
  Config config(json, where);
  config.choice("kind", {"event"});
  start_ = read_edge(config, "start", names);
  if (config.has("end")) end_ = read_edge(config, "end", names);
  ends_node_ = config.boolean("ends_node", false);
  if (ends_node_ && end_.counter == kNoCounter) {
    config.fail("ends_node", "the key end beside it, which says where the node ends");
  }
  config.finish();
}

EventTrigger::Edge EventTrigger::read_edge(Config &config, const char *key,
                                           const std::vector<std::string> &names) {
  Config edge(config.child(key), config.child_where(key));
  const std::string event = edge.required_text("event");
  const auto found = std::find(names.begin(), names.end(), event);
  if (found == names.end()) edge.fail("event", "the name of a counter");
  const uint64_t count = edge.integer("count", 1, 1, UINT64_MAX >> 1);
  edge.finish();
  return {static_cast<size_t>(found - names.begin()), count};
}

void EventTrigger::turn_to(bool on, const std::vector<OutputPort> &counters) {
  begun_ = true;
  on_ = on;
  const Edge &next = on_ ? end_ : start_;
  seen_ = next.counter == kNoCounter ? 0 : counters[next.counter]();
}

void EventTrigger::save(StateWriter &state) const {
  state.boolean(begun_);
  state.boolean(on_);
  state.u64(seen_);
}

void EventTrigger::load(StateReader &state) {
  begun_ = state.boolean();
  on_ = state.boolean();
  seen_ = state.u64();
}

}  // namespace firesim::bridges
