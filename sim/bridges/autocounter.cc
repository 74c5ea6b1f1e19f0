// SPDX-License-Identifier: BSD-3-Clause
// AutoCounter; see autocounter.h.
#include "bridges/autocounter.h"

#include <fmt/format.h>

namespace firesim::bridges {
namespace {

// A CSV field, quoted when it has to be.
std::string field(const std::string &name) {
  if (name.find_first_of(",\"\n") == std::string::npos) return name;
  std::string quoted(1, '"');
  for (const char c : name) quoted.append(c == '"' ? 2 : 1, c);
  quoted.push_back('"');
  return quoted;
}

constexpr uint64_t kOnEvents = 5;

// As it is in saved states.
uint64_t kind_of(const Trigger &trigger, bool on_events) {
  return on_events ? kOnEvents : static_cast<uint64_t>(trigger.kind());
}

bool is_on_events(const nlohmann::json &trigger) {
  const auto kind = trigger.is_object() ? trigger.find("kind") : trigger.end();
  return kind != trigger.end() && *kind == "event";
}

}  // namespace

AutoCounter::AutoCounter(const nlohmann::json &json, const std::string &where,
                         const SimulationContext &simulation, const std::vector<Source> &sources,
                         std::vector<TracePort> trace_ports, BladeStatus &status)
    : status_(&status), trace_ports_(std::move(trace_ports)) {
  Config config(json, where);
  interval_cycles_ = config.required_integer("interval_cycles", 1, UINT64_MAX >> 1);
  const std::string path = config.required_text("file");
  std::vector<std::string> names;
  for (const Source &source : sources) {
    if (source.port.width_bits != 64 || source.port.is_input != 0) {
      throw ConfigError(fmt::format("{}: counter {} is not a 64-bit output", where, source.name));
    }
    counters_.emplace_back(source.port);
    names.push_back(source.name);
  }
  if (is_on_events(config.child("trigger"))) {
    events_.emplace(config.child("trigger"), config.child_where("trigger"), names);
    next_sample_ = 0;
  } else {
    trigger_ = Trigger::of(config, !trace_ports_.empty());
    if (trigger_.follows_counters()) config.fail("trigger", "one that says when counters count");
  }
  config.finish();
  const bool always = !events_ && trigger_.kind() == Trigger::Kind::kAlways;
  if (!always) window_.emplace(counters_.size());
  std::string header = always ? "cycle" : "cycle,active_cycles";
  for (const std::string &name : names) header.append(1, ',').append(field(name));
  file_ = std::make_unique<BufferedFile>(simulation.output_path(path));
  file_->put(header.append(1, '\n'));
  if (always) next_sample_ = interval_cycles_;
  if (!events_ && trigger_.kind() == Trigger::Kind::kCycle) {
    next_sample_ = trigger_.possible().first;
  }
}

bool AutoCounter::is_on(uint64_t cycle) const {
  if (events_) return events_->on();
  return trigger_.needs_commits() ? trigger_.on() : trigger_.active_at(cycle);
}

// The window is as the trigger is from `cycle` on.
void AutoCounter::note(uint64_t cycle) {
  if (!window_) return;
  window_->turn(is_on(cycle), cycle, counters_);
  if (status_->window_open == window_->is_open()) return;
  status_->window_open = window_->is_open();
  for (const auto &told : status_->window_turns) told(cycle);
}

void AutoCounter::write_row(uint64_t cycle) {
  if (cycle == last_row_) return;
  last_row_ = cycle;
  std::string row = fmt::format("{}", cycle);
  if (window_) fmt::format_to(std::back_inserter(row), ",{}", window_->cycles(cycle));
  for (size_t i = 0; i < counters_.size(); ++i) {
    const uint64_t count = window_ ? window_->count(i, counters_) : counters_[i]();
    fmt::format_to(std::back_inserter(row), ",{}", count);
  }
  file_->put(row.append(1, '\n'));
  live_.when_due([this] { file_->flush(); });
}

void AutoCounter::plan(uint64_t cycle) {
  const bool on = is_on(cycle);
  next_row_ = on ? next_row(cycle) : kNever;
  next_sample_ = events_ ? cycle + 1 : next_row_;
  // A cycle trigger that turns on or off gets a row there.
  const CycleRange possible = trigger_.possible();
  if (on && possible.end < next_sample_) next_sample_ = possible.end;
  const bool by_cycle = !events_ && trigger_.kind() == Trigger::Kind::kCycle;
  if (by_cycle && cycle < possible.first) next_sample_ = possible.first;
}

void AutoCounter::sample(uint64_t cycle) {
  const bool turns = events_ && events_->see(counters_);
  if (events_ && !turns && cycle < next_row_) {
    next_sample_ = cycle + 1;
    return;
  }
  if (turns && events_->ends_node() && !events_->on() && !status_->end.ended()) {
    status_->end = {BladeEnd::Kind::kFinished, 0, cycle, "the window of its counters closed"};
  }
  note(cycle);
  write_row(cycle);
  plan(cycle);
}

void AutoCounter::watch(const TracePort &port, uint64_t cycle) {
  const bool before = trigger_.on();
  const bool after = trigger_.see(cycle, port.pc(), port.instruction());
  if (before != after) sample(cycle);
}

void AutoCounter::finish(uint64_t cycle) {
  const bool never = !events_ && trigger_.never();
  if (!never) write_row(cycle);
  file_->flush();
}

void AutoCounter::save(StateWriter &state) const {
  state.section("autocounter", 2);
  state.u64(interval_cycles_);
  state.u64(next_sample_);
  state.u64(last_row_);
  state.boolean(trigger_.on());
  state.u64(kind_of(trigger_, events_.has_value()));
  if (window_) window_->save(state);
  if (!events_) return;
  state.u64(next_row_);
  events_->save(state);
}

// Where the run that was saved had another kind of trigger, or interval, rows begin here.
void AutoCounter::load(StateReader &state) {
  const uint32_t version = state.section("autocounter", 2);
  const bool same_rows = state.u64() == interval_cycles_;
  next_sample_ = state.u64();
  last_row_ = state.u64();
  trigger_.set_on(state.boolean());
  constexpr auto kAlways = static_cast<uint64_t>(Trigger::Kind::kAlways);
  const uint64_t kind = version > 1 ? state.u64(kOnEvents) : kAlways;
  const bool same = kind == kind_of(trigger_, events_.has_value());
  CounterWindow other_window(counters_.size());
  EventTrigger other_events;
  if (kind != kAlways) (same ? *window_ : other_window).load(state);
  status_->window_open = window_ && window_->is_open();
  if (kind == kOnEvents) {
    next_row_ = state.u64();
    (same ? *events_ : other_events).load(state);
  }
  if (!same) next_row_ = kNever;
  if (!state.cycle()) return;
  const uint64_t cycle = *state.cycle();
  if (!window_ && !(same && same_rows)) next_sample_ = cycle;
  if (!window_ || next_sample_ == cycle) return;
  const bool turns = window_->is_open() != is_on(cycle);
  next_sample_ = cycle;
  if (!events_ && !turns) plan(cycle);
}

void AutoCounter::start_warm(WarmStart &, uint64_t cycle) {
  const bool later = next_sample_ == kNever || next_sample_ >= cycle;
  if (later) return;
  // Before, nothing was counted: the window opens here.
  if (window_) next_sample_ = cycle;
  if (!window_) plan(cycle);
}

}  // namespace firesim::bridges
