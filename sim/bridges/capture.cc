// SPDX-License-Identifier: BSD-3-Clause
// Arms a ring of signals, and writes what is in it; see capture.h.
#include "bridges/capture.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "bridges/bit_words.h"
#include "bridges/driver.h"
#include "bridges/wave_file.h"
#include "core/names.h"

namespace firesim::bridges {

using hostlib::CapturedSignal;
using hostlib::CaptureTrigger;

namespace {

// A number of the configuration that fits into a signal.
Words number(const std::string &text, const CapturedSignal &signal, const std::string &where) {
  Words words = parse_hex(text);
  if (words.empty() || bits_of(words) > signal.width_bits) {
    throw ConfigError(fmt::format("{}: found '{}', expected a number of at most {} bits, as {} has",
                                  where, text, signal.width_bits, signal.name));
  }
  words.resize((signal.width_bits + 63) / 64);
  return words;
}

}  // namespace

CaptureSettings::CaptureSettings(const nlohmann::json &json, const std::string &where_)
    : where(where_) {
  Config config(json, where);
  file = config.required_text("file");
  signals = config.text_list("signals");
  if (signals.empty()) config.fail("signals", "at least one signal");
  depth_cycles = static_cast<uint32_t>(
      config.required_integer("depth_cycles", 1, hostlib::CaptureLayout::kMostDepthCycles));
  after_cycles = config.integer("after_cycles", 0, 0, depth_cycles - 1);
  const uint64_t most = depth_cycles - 1 - after_cycles;
  before_cycles = config.integer("before_cycles", most, 0, most);
  read_trigger(Config(config.child("trigger"), config.child_where("trigger")));
  config.finish();
}

void CaptureSettings::read_trigger(Config trigger) {
  const std::string name = trigger.choice("kind", {"end", "cycle", "value"});
  if (name == "cycle") {
    kind = Kind::kCycle;
    cycle = trigger.required_integer("cycle", 0, CaptureTrigger::kNever - 1);
  } else if (name == "value") {
    kind = Kind::kValue;
    signal = trigger.required_text("signal");
    value = trigger.required_text("value");
    mask = trigger.text("mask").value_or("");
  }
  trigger.finish();
}

Capture::Capture(CaptureSettings settings, std::unique_ptr<hostlib::CaptureSource> source,
                 const std::string &node, const SimulationContext &simulation)
    : settings_(std::move(settings)),
      source_(std::move(source)),
      node_(node),
      context_(simulation) {
  const uint32_t depth = source_->layout().depth_cycles;
  if (settings_.before_cycles + settings_.after_cycles >= depth) {
    throw ConfigError(
        fmt::format("{}: found {} cycles before the trigger and {} after it, "
                    "expected a sum below {}, what the design keeps",
                    settings_.where, settings_.before_cycles, settings_.after_cycles, depth));
  }
  for (const std::string &name : settings_.signals) signal_of(name);
  set_trigger();
}

const CapturedSignal &Capture::signal_of(const std::string &name) const {
  std::vector<std::string> known;
  std::string all;
  for (const CapturedSignal &signal : source_->layout().signals) {
    if (signal.name == name) return signal;
    known.push_back(signal.name);
    all += (all.empty() ? "" : ", ") + signal.name;
  }
  throw ConfigError(
      fmt::format("{}.signals: the design captures no '{}', nearest is '{}'; it captures {}",
                  settings_.where, name, nearest_name(name, known), all));
}

// Says in the bits of a row what it is that the signal has to be.
void Capture::set_trigger() {
  size_t words = 0;
  for (const CapturedSignal &signal : source_->layout().signals) {
    words = std::max<size_t>(words, (signal.low_bit + signal.width_bits + 63) / 64);
  }
  trigger_.after_cycles = settings_.after_cycles;
  trigger_.mask.assign(words, 0);
  trigger_.match.assign(words, 0);
  if (settings_.kind != CaptureSettings::Kind::kValue) return;
  const std::string where = settings_.where + ".trigger.";
  const CapturedSignal &signal = signal_of(settings_.signal);
  const Words value = number(settings_.value, signal, where + "value");
  Words mask(value.size(), UINT64_MAX);
  if (signal.width_bits % 64 != 0) mask.back() = (uint64_t{1} << signal.width_bits % 64) - 1;
  if (!settings_.mask.empty()) mask = number(settings_.mask, signal, where + "mask");
  for (uint32_t i = 0; i < value.size(); ++i) {
    put_bits(trigger_.mask, signal.low_bit + 64 * i, mask[i]);
    put_bits(trigger_.match, signal.low_bit + 64 * i, value[i]);
  }
}

void Capture::start_at(uint64_t cycle, uint64_t reset_cycles) {
  if (start_cycle_) return;
  start_cycle_ = cycle;
  // In reset the signals mean nothing.
  const uint64_t first =
      settings_.kind == CaptureSettings::Kind::kValue ? reset_cycles : settings_.cycle;
  const bool is_over = settings_.kind == CaptureSettings::Kind::kCycle && settings_.cycle < cycle;
  trigger_.from_cycle = settings_.kind == CaptureSettings::Kind::kEnd || is_over
                            ? CaptureTrigger::kNever
                            : std::max(first, cycle) - cycle;
  source_->arm(trigger_);
}

void Capture::finish(uint64_t end_cycle) {
  if (!start_cycle_ || end_cycle <= *start_cycle_) return;
  const hostlib::CaptureSource::Progress progress = source_->progress();
  const uint64_t start = *start_cycle_, depth = source_->layout().depth_cycles;
  const uint64_t taken = start + progress.cycles;
  const bool is_complete =
      progress.trigger_cycle && *progress.trigger_cycle + settings_.after_cycles < progress.cycles;
  if (!is_complete && taken < end_cycle) {
    throw std::runtime_error(fmt::format("{}: found {} cycles captured, expected {} at least",
                                         settings_.where, progress.cycles, end_cycle - start));
  }
  std::optional<uint64_t> trigger;
  if (progress.trigger_cycle && start + *progress.trigger_cycle < end_cycle) {
    trigger = start + *progress.trigger_cycle;
  }
  // A target on a platform may have run on when its blade had ended.
  const uint64_t last = trigger.value_or(end_cycle - 1);
  const uint64_t end =
      std::min({last + (trigger ? settings_.after_cycles : 0) + 1, end_cycle, taken});
  const uint64_t in_ring = taken - std::min(progress.cycles, depth);
  const uint64_t wanted = last - std::min(last, settings_.before_cycles);
  const uint64_t first = std::max(in_ring, wanted);
  write(first, std::max(first, end));
  if (settings_.kind == CaptureSettings::Kind::kEnd) trigger = last;
  facts_ = {{"file", settings_.file},
            {"signals", settings_.signals.size()},
            {"recorded_from_cycle", start},
            {"trigger_cycle", trigger ? nlohmann::json(*trigger) : nlohmann::json()},
            {"first_cycle", first},
            {"cycles", std::max(first, end) - first}};
}

void Capture::write(uint64_t first_cycle, uint64_t end_cycle) {
  struct Written {
    std::vector<std::string> path;
    CapturedSignal signal;
    uint32_t handle;
    Words value;
  };
  std::vector<Written> signals;
  for (const std::string &name : settings_.signals) {
    const CapturedSignal &signal = signal_of(name);
    signals.push_back({path_of(name), signal, 0, Words((signal.width_bits + 63) / 64)});
  }
  const auto by_path = [](const Written &a, const Written &b) { return a.path < b.path; };
  std::sort(signals.begin(), signals.end(), by_path);
  WaveFile file(context_.output_path(settings_.file), node_, context_.clock_hz);
  for (Written &one : signals) one.handle = file.add(one.path, one.signal.width_bits, 0);
  Words row, now;
  for (uint64_t cycle = first_cycle; cycle < end_cycle; ++cycle) {
    source_->read(cycle - *start_cycle_, row);
    file.begin(cycle);
    for (Written &one : signals) {
      now.assign(one.value.size(), 0);
      for (uint32_t i = 0; i < now.size(); ++i) {
        const uint32_t width = std::min(64u, one.signal.width_bits - 64 * i);
        now[i] = bits_at(row, one.signal.low_bit + 64 * i, width);
      }
      if (cycle != first_cycle && now == one.value) continue;
      one.value = now;
      file.change(one.handle, now.data(), now.size());
    }
    file.end(cycle);
  }
  file.close();
}

nlohmann::json Capture::statistics() const { return facts_; }

}  // namespace firesim::bridges
