// SPDX-License-Identifier: BSD-3-Clause
// What a timing model is, after its configuration is read and checked: for the C++ models and for
// the same ones in RTL.
#pragma once

#include <optional>

#include "bridges/memory/cache.h"
#include "bridges/memory/dram.h"
#include "bridges/memory/timing.h"

namespace firesim::bridges {

struct TimingSettings {
  uint32_t fixed_latency_cycles = 40;  // of the fixed model, which it is without `dram`
  std::optional<DramConfig> dram;
  std::optional<CacheConfig> cache;  // in front
};

// Reads what make_timing_model() makes. Throws ConfigError.
TimingSettings read_timing(const nlohmann::json &timing, const nlohmann::json &llc,
                           const std::string &where, AxiLimits &limits);

}  // namespace firesim::bridges
