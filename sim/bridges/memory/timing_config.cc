// SPDX-License-Identifier: BSD-3-Clause
// Reads and range-checks the configuration of the memory timing models; see timing.h.
#include <fmt/format.h>

#include <bit>
#include <numeric>

#include "bridges/memory/cache.h"
#include "bridges/memory/dram.h"
#include "bridges/memory/fixed_timing.h"
#include "bridges/memory/timing_settings.h"

namespace firesim::bridges {
namespace {

constexpr uint32_t kMostBursts = 256;
constexpr uint64_t kMostLatency = 1'000'000;

uint32_t power_of_two(Config &config, const char *key, uint32_t fallback, uint32_t least,
                      uint32_t most) {
  const auto value = static_cast<uint32_t>(config.integer(key, fallback, least, most));
  if (!std::has_single_bit(value)) {
    config.fail(key, fmt::format("a power of two from {} to {}", least, most));
  }
  return value;
}

uint32_t number(Config &config, const char *key, uint64_t fallback, uint64_t least, uint64_t most) {
  return static_cast<uint32_t>(config.integer(key, fallback, least, most));
}

void read_limits(Config &config, AxiLimits &limits, uint32_t fallback) {
  limits.max_reads = number(config, "max_reads", fallback, 1, kMostBursts);
  limits.max_writes = number(config, "max_writes", fallback, 1, kMostBursts);
  limits.bytes_per_cycle = number(config, "bytes_per_cycle", 0, 0, 1024);
}

DramTimings read_timings(const nlohmann::json &object, const std::string &where) {
  Config config(object, where);
  DramTimings t;
  const auto read = [&config](const char *key, uint32_t &value, uint32_t most) {
    value = number(config, key, value, 1, most);
  };
  read("tCAS", t.tCAS, 255);
  read("tCWD", t.tCWD, 255);
  read("tRCD", t.tRCD, 255);
  read("tRP", t.tRP, 255);
  read("tRAS", t.tRAS, 1023);
  read("tRC", t.tRC, 1023);
  read("tRRD", t.tRRD, 255);
  read("tFAW", t.tFAW, 1023);
  read("tCCD", t.tCCD, 255);
  read("tWR", t.tWR, 255);
  read("tWTR", t.tWTR, 255);
  read("tRTP", t.tRTP, 255);
  read("tRFC", t.tRFC, 4095);
  read("tREFI", t.tREFI, 1'000'000);
  read("tRTRS", t.tRTRS, 255);
  config.finish();
  if (t.tCCD < DramTiming::kBurstCycles) {
    config.fail("tCCD", "at least 4, the length of a burst on the data bus");
  }
  if (t.tRC < t.tRAS + t.tRP)
    config.fail("tRC", fmt::format("at least tRAS + tRP = {}", t.tRAS + t.tRP));
  if (t.tCWD > t.tCAS + t.tCCD + 2) config.fail("tCWD", "at most tCAS + tCCD + 2");
  const uint32_t refresh = t.tRFC + t.tRC + t.tRP + t.tCWD + t.tWR + DramTiming::kBurstCycles;
  if (t.tREFI <= refresh) {
    config.fail("tREFI", fmt::format("more than {}, the time a refresh can take with tRFC {}",
                                     refresh, t.tRFC));
  }
  return t;
}

void read_clock_ratio(const nlohmann::json &object, const std::string &where, DramConfig &dram) {
  Config config(object, where);
  const uint64_t dram_cycles = config.integer("dram", dram.clock_ratio_dram, 1, 1'000'000);
  const uint64_t target = config.integer("target", dram.clock_ratio_target, 1, 1'000'000);
  config.finish();
  const uint64_t divisor = std::gcd(dram_cycles, target);
  dram.clock_ratio_dram = dram_cycles / divisor;
  dram.clock_ratio_target = target / divisor;
}

DramConfig read_dram(Config &config, bool first_ready, AxiLimits &limits) {
  read_limits(config, limits, 16);
  DramConfig dram;
  dram.timings = read_timings(config.child("timings"), config.child_where("timings"));
  read_clock_ratio(config.child("clock_ratio"), config.child_where("clock_ratio"), dram);
  dram.ranks = power_of_two(config, "ranks", dram.ranks, 1, 8);
  dram.banks = power_of_two(config, "banks", dram.banks, 1, 64);
  dram.row_bytes = power_of_two(config, "row_bytes", dram.row_bytes, 64, 1 << 20);
  dram.open_page = config.choice("page_policy", {"open", "closed"}) == "open";
  dram.queue_depth = number(config, "queue_depth", dram.queue_depth, 1, 256);
  dram.backend_latency_cycles = number(config, "backend_latency_cycles", 0, 0, kMostLatency);
  if (first_ready) {
    dram.window = number(config, "window", std::min(8u, dram.queue_depth), 1, dram.queue_depth);
    dram.reorder_limit = number(config, "reorder_limit", dram.reorder_limit, 1, 1'000'000);
  } else {
    dram.window = 1;
  }
  return dram;
}

CacheConfig read_cache(const nlohmann::json &object, const std::string &where) {
  Config config(object, where);
  CacheConfig cache;
  cache.sets = power_of_two(config, "sets", cache.sets, 1, 1 << 20);
  cache.ways = number(config, "ways", cache.ways, 1, 64);
  cache.block_bytes = power_of_two(config, "block_bytes", cache.block_bytes, 64, 4096);
  cache.mshrs = number(config, "mshrs", cache.mshrs, 1, 64);
  cache.hit_latency_cycles =
      number(config, "hit_latency_cycles", cache.hit_latency_cycles, 1, kMostLatency);
  config.finish();
  return cache;
}

}  // namespace

TimingSettings read_timing(const nlohmann::json &timing, const nlohmann::json &llc,
                           const std::string &where, AxiLimits &limits) {
  Config config(timing, where + ".timing");
  const std::string model = config.choice("model", {"fixed", "fcfs", "fr_fcfs"});
  TimingSettings settings;
  if (model == "fixed") {
    settings.fixed_latency_cycles = number(config, "latency_cycles", 40, 1, kMostLatency);
    read_limits(config, limits, 32);
  } else {
    settings.dram = read_dram(config, model == "fr_fcfs", limits);
  }
  config.finish();
  if (llc.is_null() || llc == false) return settings;
  settings.cache = read_cache(llc == true ? nlohmann::json::object() : llc, where + ".llc");
  return settings;
}

std::unique_ptr<TimingModel> make_timing_model(const nlohmann::json &timing,
                                               const nlohmann::json &llc, const std::string &where,
                                               AxiLimits &limits) {
  const TimingSettings settings = read_timing(timing, llc, where, limits);
  std::unique_ptr<TimingModel> built;
  if (settings.dram) {
    built = std::make_unique<DramTiming>(*settings.dram);
  } else {
    // With a cache in front, what it sends is not bounded by the AXI limits: leave room.
    built = std::make_unique<FixedTiming>(settings.fixed_latency_cycles, 4 * kMostBursts);
  }
  if (!settings.cache) return built;
  return std::make_unique<CacheTiming>(*settings.cache, std::move(built));
}

}  // namespace firesim::bridges
