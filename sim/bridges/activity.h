// SPDX-License-Identifier: BSD-3-Clause
// Activity: how often each wire inside a blade toggles, and how long it is 1, as SAIF for tools
// that estimate power, and summed by module.
//
// A model built for waves shows the wires; any other has nothing of this in it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bridges/driver.h"
#include "bridges/model_library.h"
#include "bridges/shown_wires.h"
#include "core/registry.h"

namespace firesim::bridges {

// Keys: file (SAIF), modules (CSV), scopes (hierarchical names; none = everything), and the cycles
// that count: start_cycle and end_cycle, or within_counters (the window of the counters). A toggle
// is a difference between the settled values of a cycle that counts and of the one behind it; so
// adjacent windows have each toggle once, and what a wire begins with is none.
class Activity {
 public:
  // Throws ConfigError as shown_wires(). `model` and `status` outlive this.
  Activity(const nlohmann::json &config, const std::string &where, const std::string &node,
           const SimulationContext &simulation, const ModelInstance &model, BladeStatus &status);

  bool wants(uint64_t cycle) const { return counts_ || is_open(cycle); }
  // Between settle() and tick() of `cycle`, behind the counters.
  void sample(uint64_t cycle);
  // Writes the files. The wires must be those of `cycle`, the number of cycles run or the one in
  // which the blade ended.
  void finish(uint64_t cycle);
  nlohmann::json statistics() const;

 private:
  struct Bit {
    uint64_t toggles = 0;
    uint64_t high_cycles = 0;
    uint64_t since = 0;  // the cycle in which it last changed, or counting began
  };

  struct Word {
    OutputPort port;
    size_t first_bit;  // in bits_
    uint64_t mask;
    uint64_t value;
    uint64_t read() const { return port() & mask; }
  };

  bool is_open(uint64_t cycle) const {
    return within_counters_ ? status_->window_open : cycle >= start_cycle_ && cycle < end_cycle_;
  }
  void begin(uint64_t cycle);
  void stop(uint64_t cycle);
  uint64_t toggles_of(size_t wire) const;
  void write_saif() const;
  void write_modules() const;

  const std::string node_;
  const uint64_t clock_hz_;
  BladeStatus *status_;
  std::string name_;
  std::filesystem::path file_, modules_file_;
  bool within_counters_ = false;
  uint64_t start_cycle_ = 0, end_cycle_ = 0;
  ShownWires shown_;
  std::vector<size_t> first_bits_;  // of each wire in bits_, and how many there are
  std::vector<Word> words_;         // of all wires
  std::vector<Bit> bits_;
  bool counts_ = false;
  uint64_t begun_ = 0;   // the cycle in which counting began
  uint64_t cycles_ = 0;  // that have counted
};

}  // namespace firesim::bridges
