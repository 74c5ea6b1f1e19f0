// SPDX-License-Identifier: BSD-3-Clause
// The report of a memory; see memory_statistics.h.
#include "bridges/memory/memory_statistics.h"

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>

namespace firesim::bridges {
namespace {

nlohmann::json direction_facts(const DirectionCounts &side) {
  const double count = side.count == 0 ? 1.0 : static_cast<double>(side.count);
  return {{"bursts", side.count},
          {"beats", side.beats},
          {"bytes", side.bytes},
          {"decode_errors", side.decode_errors},
          {"mean_latency_cycles", static_cast<double>(side.latency_sum) / count}};
}

}  // namespace

nlohmann::json memory_facts(const DirectionCounts &reads, const DirectionCounts &writes,
                            const TimingCounts &timing) {
  return {{"reads", direction_facts(reads)},
          {"writes", direction_facts(writes)},
          {"dram",
           {{"row_hits", timing.row_hits},
            {"row_misses", timing.row_misses},
            {"row_conflicts", timing.row_conflicts},
            {"refreshes", timing.refreshes}}},
          {"llc",
           {{"hits", timing.cache_hits},
            {"misses", timing.cache_misses},
            {"writebacks", timing.cache_writebacks}}}};
}

void write_latencies(const std::filesystem::path &file, const Histogram &reads,
                     const Histogram &writes, const std::string &where) {
  if (file.empty()) return;
  nlohmann::json found = nlohmann::json::array();
  const auto add = [&](const char *what, const Histogram &histogram) {
    nlohmann::json one = histogram.to_json();
    one["what"] = what;
    one["unit"] = "cycles";
    found.push_back(std::move(one));
  };
  add("read latency", reads);
  add("write latency", writes);
  std::ofstream stream(file);
  stream << nlohmann::json{{"histograms", found}}.dump() << '\n';
  if (!stream.flush()) {
    throw std::runtime_error(fmt::format("{}: cannot write {}", where, file.string()));
  }
}

void write_memory_facts(const std::filesystem::path &file, nlohmann::json facts, uint64_t cycles,
                        const std::string &where) {
  if (file.empty()) return;
  facts["cycles"] = cycles;
  std::ofstream stream(file);
  stream << facts.dump(2) << '\n';
  if (!stream.flush()) {
    throw std::runtime_error(fmt::format("{}: cannot write {}", where, file.string()));
  }
}

}  // namespace firesim::bridges
