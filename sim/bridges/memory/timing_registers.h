// SPDX-License-Identifier: BSD-3-Clause
// The registers of the timing models in RTL (rtl/memory_settings.sv), from a checked configuration.
#pragma once

#include <string>
#include <vector>

#include "bridges/memory/timing_settings.h"

namespace firesim::bridges {

// What a memory_timing.sv was built for: its parameters.
struct TimingHardware {
  bool dram = true;    // else fixed
  bool cache = false;  // in front
  uint32_t ranks = 2, banks = 8, queue_depth = 8;
  uint32_t sets = 512, ways = 8, mshrs = 8;
};

struct TimingRegister {
  uint32_t index;  // `set_index`
  uint32_t value;  // at most 20 bits
};

// The registers to write before `start`. Throws ConfigError, starting with `where`, for settings
// that this hardware has no room for.
std::vector<TimingRegister> timing_registers(const TimingSettings &settings,
                                             const TimingHardware &hardware,
                                             const std::string &where);

}  // namespace firesim::bridges
