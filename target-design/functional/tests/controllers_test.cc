// SPDX-License-Identifier: BSD-3-Clause
// CLINT and PLIC, as software sees Rocket's.
#include "device_bench.h"
#include "functional/devices/clint.h"
#include "functional/devices/plic.h"

namespace firesim::functional {
namespace {

constexpr uint32_t kCompare = 0x4000, kTime = 0xbff8;
constexpr uint32_t kEnable = 0x2000, kThreshold = 0x20'0000, kClaim = 0x20'0004;

TEST(Clint, TimeCountsEveryHundredthCycleAfterReset) {
  RecordedLines lines;
  Clint clint(1, lines);
  EXPECT_EQ(clint.read(kTime, 8, 0), 0u);
  EXPECT_EQ(clint.read(kTime, 8, 115), 0u);
  EXPECT_EQ(clint.read(kTime, 8, 116), 1u);
  EXPECT_EQ(clint.read(kTime, 8, 3'200'000'016), 32'000'000u);
  clint.write(kTime, 8, 5, 250);
  EXPECT_EQ(clint.read(kTime, 8, 315), 5u);
  EXPECT_EQ(clint.read(kTime, 8, 316), 6u);
  clint.write(kTime + 4, 4, 1, 320);  // the upper half alone
  EXPECT_EQ(clint.read(kTime, 8, 320), 0x1'0000'0006u);
  EXPECT_EQ(clint.read(kTime + 4, 4, 320), 1u);
}

TEST(Clint, TimerRisesInTheExactCycleAndFallsWhenMoved) {
  RecordedLines lines;
  Clint clint(2, lines);
  clint.update(0, 16);
  EXPECT_TRUE(lines.level(0, kMtip));  // 0 has been reached at reset
  clint.write(kCompare, 8, 3, 20);
  EXPECT_FALSE(lines.level(0, kMtip));
  EXPECT_EQ(clint.next_timer(0), 316u);
  clint.update(0, 315);
  EXPECT_FALSE(lines.level(0, kMtip));
  clint.update(0, 316);
  EXPECT_TRUE(lines.level(0, kMtip));
  EXPECT_EQ(clint.next_timer(0), kNever);
  clint.write(kCompare + 8, 8, UINT64_MAX, 400);
  EXPECT_EQ(clint.next_timer(1), kNever);
  clint.write(kTime, 8, 0, 100'016);  // time goes back, and so does the timer
  EXPECT_FALSE(lines.level(0, kMtip));
  EXPECT_EQ(clint.next_timer(0), 100'316u);
}

TEST(Clint, SoftwareInterruptsHaveAWordEach) {
  RecordedLines lines;
  Clint clint(3, lines);
  clint.write(4, 4, 1, 0);
  EXPECT_TRUE(lines.level(1, kMsip));
  EXPECT_FALSE(lines.level(0, kMsip));
  EXPECT_EQ(clint.read(0, 8, 0), uint64_t{1} << 32);
  clint.write(0, 8, 1, 0);  // both words at once
  EXPECT_TRUE(lines.level(0, kMsip));
  EXPECT_FALSE(lines.level(1, kMsip));
  clint.write(1, 1, 0, 0);  // not byte 0
  EXPECT_TRUE(lines.level(0, kMsip));
  EXPECT_EQ(clint.read(12, 4, 0), 0u);
}

struct PlicBench {
  explicit PlicBench(uint32_t harts) : plic(harts, lines) {
    for (uint32_t source = 1; source <= Plic::kSources; ++source) plic.write(4 * source, 4, 1);
  }
  RecordedLines lines;
  Plic plic;
};

TEST(Plic, LevelIsPassedOnOnceUntilItIsComplete) {
  PlicBench bench(1);
  bench.plic.write(kEnable, 4, 1 << 3);
  bench.plic.set_level(3, true);
  EXPECT_TRUE(bench.lines.level(0, kMeip));
  EXPECT_FALSE(bench.lines.level(0, kSeip));
  EXPECT_EQ(bench.plic.read(0x1000, 4), 1u << 3);
  EXPECT_EQ(bench.plic.read(kClaim, 4), 3u);
  EXPECT_FALSE(bench.lines.level(0, kMeip));
  EXPECT_EQ(bench.plic.read(kClaim, 4), 0u);
  bench.plic.write(kClaim, 4, 3);  // still high: again
  EXPECT_TRUE(bench.lines.level(0, kMeip));
  EXPECT_EQ(bench.plic.read(kClaim, 4), 3u);
  bench.plic.set_level(3, false);
  bench.plic.write(kClaim, 4, 3);
  EXPECT_FALSE(bench.lines.level(0, kMeip));
}

TEST(Plic, HighestPriorityWinsThenTheLowestSource) {
  PlicBench bench(1);
  bench.plic.write(kEnable, 4, 0x1fe);
  bench.plic.write(4 * 5, 4, 7);
  for (const uint32_t source : {2, 4, 5}) bench.plic.set_level(source, true);
  EXPECT_EQ(bench.plic.read(kClaim, 4), 5u);
  EXPECT_EQ(bench.plic.read(kClaim, 4), 2u);
  EXPECT_EQ(bench.plic.read(kClaim, 4), 4u);
}

TEST(Plic, ThresholdMasksTheLineAndNotTheClaim) {
  PlicBench bench(2);
  const uint32_t supervisor_of_1 = 3;
  bench.plic.write(kEnable + 0x80 * supervisor_of_1, 4, 1 << 2);
  bench.plic.write(kThreshold + 0x1000 * supervisor_of_1, 4, 1);
  bench.plic.set_level(2, true);
  EXPECT_FALSE(bench.lines.level(1, kSeip));
  bench.plic.write(kThreshold + 0x1000 * supervisor_of_1, 4, 0);
  EXPECT_TRUE(bench.lines.level(1, kSeip));
  bench.plic.write(kThreshold + 0x1000 * supervisor_of_1, 4, 7);
  EXPECT_EQ(bench.plic.read(kClaim + 0x1000 * supervisor_of_1, 4), 2u);
}

TEST(Plic, OnlyAContextWithTheSourceCompletesIt) {
  PlicBench bench(1);
  bench.plic.write(kEnable, 4, 1 << 1);
  bench.plic.set_level(1, true);
  EXPECT_EQ(bench.plic.read(kClaim, 4), 1u);
  bench.plic.write(kClaim + 0x1000, 4, 1);  // context 1 has it not enabled
  EXPECT_FALSE(bench.lines.level(0, kMeip));
  bench.plic.write(kClaim, 4, 1);
  EXPECT_TRUE(bench.lines.level(0, kMeip));
}

TEST(Plic, PriorityZeroNeverInterrupts) {
  PlicBench bench(1);
  bench.plic.write(kEnable, 4, 0xffff'ffff);
  EXPECT_EQ(bench.plic.read(kEnable, 4), 0x1feu);  // 8 sources, and none is number 0
  bench.plic.write(4, 4, 8);                       // 3 bits
  EXPECT_EQ(bench.plic.read(4, 4), 0u);
  bench.plic.set_level(1, true);
  EXPECT_FALSE(bench.lines.level(0, kMeip));
  EXPECT_EQ(bench.plic.read(kClaim, 4), 0u);
}

}  // namespace
}  // namespace firesim::functional
