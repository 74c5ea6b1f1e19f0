// SPDX-License-Identifier: BSD-3-Clause
// The registers of the timing models in RTL; see timing_registers.h.
#include "bridges/memory/timing_registers.h"

#include <fmt/format.h>

#include <bit>

namespace firesim::bridges {
namespace {

uint32_t log2_of(uint32_t power_of_two) {
  return static_cast<uint32_t>(std::countr_zero(power_of_two));
}

void want(const std::string &where, const char *what, uint32_t found, uint32_t most) {
  if (found <= most) return;
  throw ConfigError(fmt::format("{}: found {} {}, expected at most {}, which this hardware has",
                                where, what, found, most));
}

void want_kind(const std::string &where, const char *what, bool found, bool built) {
  if (found == built) return;
  throw ConfigError(
      fmt::format("{}: found a memory {} {}, expected one {} it, as this hardware was "
                  "built",
                  where, found ? "with" : "without", what, built ? "with" : "without"));
}

void add_dram(std::vector<TimingRegister> &registers, const DramConfig &dram) {
  const DramTimings &t = dram.timings;
  const auto whole = static_cast<uint32_t>(dram.clock_ratio_dram / dram.clock_ratio_target);
  const auto part = static_cast<uint32_t>(dram.clock_ratio_dram % dram.clock_ratio_target);
  const uint32_t values[] = {t.tCAS,
                             t.tCWD,
                             t.tRCD,
                             t.tRP,
                             t.tRAS,
                             t.tRC,
                             t.tRRD,
                             t.tFAW,
                             t.tCCD,
                             t.tWR,
                             t.tWTR,
                             t.tRTP,
                             t.tRFC,
                             t.tREFI,
                             t.tRTRS,
                             log2_of(dram.ranks),
                             log2_of(dram.banks),
                             log2_of(dram.row_bytes),
                             dram.open_page ? 1u : 0u,
                             dram.window,
                             dram.queue_depth,
                             dram.reorder_limit,
                             dram.backend_latency_cycles,
                             whole,
                             part,
                             static_cast<uint32_t>(dram.clock_ratio_target)};
  uint32_t index = 1;
  for (const uint32_t value : values) registers.push_back({index++, value});
}

}  // namespace

std::vector<TimingRegister> timing_registers(const TimingSettings &settings,
                                             const TimingHardware &hardware,
                                             const std::string &where) {
  want_kind(where, "DDR3 timing", settings.dram.has_value(), hardware.dram);
  want_kind(where, "a last-level cache", settings.cache.has_value(), hardware.cache);
  std::vector<TimingRegister> registers{{0, settings.fixed_latency_cycles}};
  if (settings.dram) {
    want(where, "ranks", settings.dram->ranks, hardware.ranks);
    want(where, "banks", settings.dram->banks, hardware.banks);
    want(where, "queue_depth", settings.dram->queue_depth, hardware.queue_depth);
    add_dram(registers, *settings.dram);
  }
  if (settings.cache) {
    const CacheConfig &cache = *settings.cache;
    want(where, "sets", cache.sets, hardware.sets);
    want(where, "ways", cache.ways, hardware.ways);
    want(where, "mshrs", cache.mshrs, hardware.mshrs);
    registers.push_back({27, log2_of(cache.sets)});
    registers.push_back({28, cache.ways});
    registers.push_back({29, log2_of(cache.block_bytes)});
    registers.push_back({30, cache.mshrs});
    registers.push_back({31, cache.hit_latency_cycles});
  }
  return registers;
}

}  // namespace firesim::bridges
