// SPDX-License-Identifier: BSD-3-Clause
// What is reported of a memory, whether its timing is C++ or RTL.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "bridges/memory/timing.h"
#include "core/histogram.h"

namespace firesim::bridges {

// Of the bursts of one direction.
struct DirectionCounts {
  uint64_t count = 0, bytes = 0, beats = 0, latency_sum = 0, decode_errors = 0;
};

nlohmann::json memory_facts(const DirectionCounts &reads, const DirectionCounts &writes,
                            const TimingCounts &timing);
// Writes how long bursts took, from their arrival to the first beat or the acknowledgement; an
// empty `file` is none. Throws std::runtime_error, starting with `where`.
void write_latencies(const std::filesystem::path &file, const Histogram &reads,
                     const Histogram &writes, const std::string &where);
// Writes the facts of a run of `cycles`; an empty `file` is none. Throws std::runtime_error,
// starting with `where`.
void write_memory_facts(const std::filesystem::path &file, nlohmann::json facts, uint64_t cycles,
                        const std::string &where);

}  // namespace firesim::bridges
