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

}  // namespace

AutoCounter::AutoCounter(const nlohmann::json &json, const std::string &where,
                         const SimulationContext &simulation, const std::vector<Source> &sources,
                         std::vector<TracePort> trace_ports)
    : trace_ports_(std::move(trace_ports)) {
  Config config(json, where);
  interval_cycles_ = config.required_integer("interval_cycles", 1, UINT64_MAX >> 1);
  const std::string path = config.required_text("file");
  trigger_ = Trigger::of(config, !trace_ports_.empty());
  config.finish();
  std::string header = "cycle";
  for (const Source &source : sources) {
    if (source.port.width_bits != 64 || source.port.is_input != 0) {
      throw ConfigError(fmt::format("{}: counter {} is not a 64-bit output", where, source.name));
    }
    counters_.emplace_back(source.port);
    header.append(1, ',').append(field(source.name));
  }
  file_ = std::make_unique<BufferedFile>(simulation.output_path(path));
  file_->put(header.append(1, '\n'));
  if (trigger_.kind() == Trigger::Kind::kAlways) next_sample_ = interval_cycles_;
  if (trigger_.kind() == Trigger::Kind::kCycle) next_sample_ = trigger_.possible().first;
}

void AutoCounter::write_row(uint64_t cycle) {
  if (cycle == last_row_) return;
  last_row_ = cycle;
  std::string row = fmt::format("{}", cycle);
  for (const OutputPort &counter : counters_)
    fmt::format_to(std::back_inserter(row), ",{}", counter());
  file_->put(row.append(1, '\n'));
  live_.when_due([this] { file_->flush(); });
}

void AutoCounter::plan(uint64_t cycle) {
  const bool on = trigger_.needs_commits() ? trigger_.on() : trigger_.active_at(cycle);
  next_sample_ = on ? (cycle / interval_cycles_ + 1) * interval_cycles_ : kNever;
  // A cycle trigger that turns off gets a row there.
  if (on && trigger_.possible().end < next_sample_) next_sample_ = trigger_.possible().end;
}

void AutoCounter::sample(uint64_t cycle) {
  write_row(cycle);
  plan(cycle);
}

void AutoCounter::watch(const TracePort &port, uint64_t cycle) {
  const bool before = trigger_.on();
  const bool after = trigger_.see(cycle, port.pc(), port.instruction());
  if (before != after) sample(cycle);
}

void AutoCounter::finish(uint64_t cycle) {
  if (!trigger_.never()) write_row(cycle);
  file_->flush();
}

void AutoCounter::save(StateWriter &state) const {
  state.section("autocounter", 1);
  state.u64(interval_cycles_);
  state.u64(next_sample_);
  state.u64(last_row_);
  state.boolean(trigger_.on());
}

void AutoCounter::load(StateReader &state) {
  state.section("autocounter", 1);
  state.expect("interval_cycles", interval_cycles_);
  next_sample_ = state.u64();
  last_row_ = state.u64();
  trigger_.set_on(state.boolean());
}

void AutoCounter::start_warm(WarmStart &, uint64_t cycle) {
  const bool later = next_sample_ == kNever || next_sample_ >= cycle;
  if (!later) plan(cycle);
}

}  // namespace firesim::bridges
