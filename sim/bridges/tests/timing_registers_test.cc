// SPDX-License-Identifier: BSD-3-Clause
// What the registers of the timing models in RTL hold, and which settings hardware has no room for.
// That each register means what it says is shown by the experiment memory-rtl-exact.
#include "bridges/memory/timing_registers.h"

#include <gtest/gtest.h>

#include <map>

namespace firesim::bridges {
namespace {

using nlohmann::json;

TimingSettings settings(const json &timing, const json &llc = nullptr) {
  AxiLimits limits;
  return read_timing(timing, llc, "node", limits);
}

std::map<uint32_t, uint32_t> registers(const TimingSettings &from, const TimingHardware &hardware) {
  std::map<uint32_t, uint32_t> values;
  for (const TimingRegister &each : timing_registers(from, hardware, "node")) {
    EXPECT_LT(each.value, 1u << 20);
    EXPECT_TRUE(values.emplace(each.index, each.value).second) << each.index;
  }
  return values;
}

std::string refusal(const TimingSettings &from, const TimingHardware &hardware) {
  try {
    timing_registers(from, hardware, "node");
  } catch (const ConfigError &error) {
    return error.what();
  }
  return "";
}

TEST(TimingRegisters, Fixed) {
  TimingHardware hardware;
  hardware.dram = false;
  const auto found = registers(settings({{"model", "fixed"}, {"latency_cycles", 123}}), hardware);
  EXPECT_EQ(found, (std::map<uint32_t, uint32_t>{{0, 123}}));
}

TEST(TimingRegisters, RatioIsSplitIntoWholeAndPart) {
  const auto found = registers(
      settings({{"model", "fr_fcfs"}, {"clock_ratio", {{"dram", 7}, {"target", 3}}}}), {});
  EXPECT_EQ(found.at(24), 2u);
  EXPECT_EQ(found.at(25), 1u);
  EXPECT_EQ(found.at(26), 3u);
  EXPECT_EQ(found.size(), 27u);
}

TEST(TimingRegisters, FcfsLooksAtOne) {
  EXPECT_EQ(registers(settings({{"model", "fcfs"}}), {}).at(20), 1u);
}

TEST(TimingRegisters, CacheComesAfter) {
  TimingHardware hardware;
  hardware.cache = true;
  const auto found = registers(
      settings({{"model", "fcfs"}}, {{"sets", 64}, {"ways", 3}, {"block_bytes", 128}}), hardware);
  EXPECT_EQ(found.at(27), 6u);
  EXPECT_EQ(found.at(28), 3u);
  EXPECT_EQ(found.at(29), 7u);
}

TEST(TimingRegisters, HardwareWithoutRoomRefuses) {
  EXPECT_EQ(refusal(settings({{"model", "fcfs"}, {"ranks", 4}}), {}),
            "node: found ranks 4, expected at most 2, which this hardware has");
  EXPECT_EQ(refusal(settings({{"model", "fixed"}}), {}),
            "node: found a memory without DDR3 timing, expected one with it, as this hardware was "
            "built");
  EXPECT_EQ(refusal(settings({{"model", "fcfs"}}, true), {}),
            "node: found a memory with a last-level cache, expected one without it, as this "
            "hardware was built");
}

}  // namespace
}  // namespace firesim::bridges
