// SPDX-License-Identifier: BSD-3-Clause
// A capture: some signals of a blade around a trigger, as an FST file, wherever the blade runs.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bridges/model_library.h"
#include "core/registry.h"
#include "devices/config.h"
#include "hostlib/capture_ring.h"

namespace firesim::bridges {

// What to capture, from the section `capture` of a node: file, signals, depth_cycles,
// before_cycles, after_cycles and trigger. A trigger is {kind: end}, the last cycle of the node,
// for whatever reason it ends; {kind: cycle, cycle}; or {kind: value, signal, value, mask?}, the
// first cycle after the blade's reset in which the signal has the value in the bits of the mask.
// Value and mask are "0x...". Where the trigger does not come, the last cycle takes its place.
struct CaptureSettings {
  enum class Kind { kEnd, kCycle, kValue };

  // Throws ConfigError.
  CaptureSettings(const nlohmann::json &json, const std::string &where);

  std::string where, file;
  std::vector<std::string> signals;
  uint32_t depth_cycles;
  uint64_t before_cycles, after_cycles;
  Kind kind = Kind::kEnd;
  uint64_t cycle = 0;
  std::string signal, value, mask;

 private:
  void read_trigger(devices::Config trigger);
};

class Capture {
 public:
  // `source` may have more signals than are wanted, and be deeper. Throws ConfigError when it lacks
  // something.
  Capture(CaptureSettings settings, std::unique_ptr<hostlib::CaptureSource> source,
          const std::string &node, const SimulationContext &simulation);

  // In every cycle of a model in this process, between settle() and tick().
  void sample() { source_->sample(); }
  // Before the first cycle that this blade runs here: the ring has none before it. In reset no
  // value is looked for.
  void start_at(uint64_t cycle, uint64_t reset_cycles);
  // Writes the file. The blade has run up to `end_cycle`, which itself it has not.
  void finish(uint64_t end_cycle);
  nlohmann::json statistics() const;

 private:
  const hostlib::CapturedSignal &signal_of(const std::string &name) const;
  void set_trigger();
  void write(uint64_t first_cycle, uint64_t end_cycle);

  const CaptureSettings settings_;
  const std::unique_ptr<hostlib::CaptureSource> source_;
  const std::string node_;
  const SimulationContext context_;
  hostlib::CaptureTrigger trigger_;
  std::optional<uint64_t> start_cycle_;  // the first one that the ring has seen
  nlohmann::json facts_;
};

}  // namespace firesim::bridges
