// SPDX-License-Identifier: BSD-3-Clause
// Waves: what is inside a blade, cycle by cycle, as an FST file for Surfer and GTKWave.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bridges/model_library.h"
#include "bridges/port.h"
#include "bridges/shown_wires.h"
#include "bridges/wave_file.h"
#include "core/registry.h"

namespace firesim::bridges {

// Keys: file, start_cycle, end_cycle, scopes (hierarchical names; none = everything). The file has
// the settled values of the cycles from start_cycle on and before end_cycle.
class WaveWriter {
 public:
  // Throws ConfigError when the model shows no wires, or has no scope or signal of a name.
  WaveWriter(const nlohmann::json &config, const std::string &where, const std::string &node,
             const SimulationContext &simulation, const ModelInstance &model);
  ~WaveWriter();
  WaveWriter(const WaveWriter &) = delete;
  WaveWriter &operator=(const WaveWriter &) = delete;

  bool wants(uint64_t cycle) const { return cycle >= start_cycle_ && cycle < end_cycle_; }
  // The first cycle that it wants from `cycle` on; UINT64_MAX when there is none.
  uint64_t next_wanted(uint64_t cycle) const {
    return cycle >= end_cycle_ ? UINT64_MAX : std::max(cycle, start_cycle_);
  }
  // Between settle() and tick() of `cycle`, one that it wants and later than those before.
  void sample(uint64_t cycle);
  // Completes the file; nothing may be sampled any more.
  void finish();
  nlohmann::json statistics() const;

 private:
  struct Signal {
    uint32_t handle;
    uint32_t first_word;  // in values_
    std::vector<OutputPort> words;
  };

  void add_signals(const ShownWires &shown);

  std::string name_;
  uint64_t start_cycle_ = 0;
  uint64_t end_cycle_ = 0;
  uint64_t cycles_ = 0;
  std::vector<Signal> signals_;   // each value once, whatever names it has
  std::vector<uint64_t> values_;  // the last one written
  std::unique_ptr<WaveFile> file_;
};

}  // namespace firesim::bridges
