// SPDX-License-Identifier: BSD-3-Clause
// Every DRAM timing rule, to the DRAM cycle. Target and DRAM clock are equal here unless a test
// says otherwise; an access accepted in cycle t can be scheduled from cycle t + 1 on.
#include "bridges/memory/dram.h"

#include <gtest/gtest.h>

#include <map>

namespace firesim::bridges {
namespace {

constexpr uint64_t kRowBytes = 8192;
constexpr uint64_t kBankStride = kRowBytes;     // next bank
constexpr uint64_t kRowStride = kRowBytes * 8;  // next row of the same bank
constexpr uint64_t kBurst = DramTiming::kBurstCycles;

DramConfig equal_clocks(uint32_t window = 8) {
  DramConfig config;
  config.clock_ratio_dram = config.clock_ratio_target = 1;
  config.window = window;
  config.queue_depth = 16;
  return config;
}

// Feeds accesses and notes when each is done.
class Dram {
 public:
  explicit Dram(const DramConfig &config) : model(config) {}

  void access(uint64_t cycle, uint64_t address, bool write = false) {
    advance_to(cycle);
    model.accept(cycle, {address, 64, tag_++, write});
  }
  void advance_to(uint64_t cycle) {
    for (; now <= cycle; ++now) {
      std::vector<uint32_t> done;
      model.advance(now, done);
      for (const uint32_t tag : done) finished[tag] = now;
    }
  }
  uint64_t done(uint32_t tag) {
    for (uint64_t limit = now + 100'000; finished.count(tag) == 0 && now < limit;) {
      advance_to(now);
    }
    return finished.at(tag);
  }
  TimingCounts counts() const {
    TimingCounts counts;
    model.add_counts(counts);
    return counts;
  }

  DramTiming model;
  uint64_t now = 0;
  std::map<uint32_t, uint64_t> finished;

 private:
  uint32_t tag_ = 0;
};

const DramTimings t;  // the defaults

TEST(Dram, RowMiss) {
  Dram dram(equal_clocks());
  dram.access(0, 0);
  // activate in cycle 1, read tRCD later, data tCAS after that
  EXPECT_EQ(dram.done(0), 1 + t.tRCD + t.tCAS + kBurst);
  EXPECT_EQ(dram.counts().row_misses, 1u);
}

TEST(Dram, RowHit) {
  Dram dram(equal_clocks());
  dram.access(0, 0);
  dram.access(100, 64);
  EXPECT_EQ(dram.done(1), 101 + t.tCAS + kBurst);
  EXPECT_EQ(dram.counts().row_hits, 1u);
}

TEST(Dram, RowConflictWaitsForRowCycle) {
  Dram dram(equal_clocks());
  dram.access(0, 0);           // activate in cycle 1
  dram.access(0, kRowStride);  // precharge at 1 + tRAS, activate tRP later
  EXPECT_EQ(dram.done(1), 1 + t.tRAS + t.tRP + t.tRCD + t.tCAS + kBurst);
  EXPECT_EQ(dram.counts().row_conflicts, 1u);
}

TEST(Dram, RowConflictLater) {
  Dram dram(equal_clocks());
  dram.access(0, 0);
  dram.access(200, kRowStride);
  EXPECT_EQ(dram.done(1), 201 + t.tRP + t.tRCD + t.tCAS + kBurst);
}

TEST(Dram, ReadToPrecharge) {
  DramConfig config = equal_clocks();
  config.timings.tRTP = 60;
  Dram dram(config);
  dram.access(0, 0);
  dram.access(0, kRowStride);
  EXPECT_EQ(dram.done(1), 1 + t.tRCD + 60 + t.tRP + t.tRCD + t.tCAS + kBurst);
}

TEST(Dram, WriteRecovery) {
  Dram dram(equal_clocks());
  dram.access(0, 0, true);
  dram.access(0, kRowStride);
  const uint64_t write_end = 1 + t.tRCD + t.tCWD + kBurst;
  EXPECT_EQ(dram.done(0), write_end);
  EXPECT_EQ(dram.done(1), write_end + t.tWR + t.tRP + t.tRCD + t.tCAS + kBurst);
}

TEST(Dram, WriteToReadTurnaround) {
  Dram dram(equal_clocks());
  dram.access(0, 0, true);
  dram.access(0, 64);
  EXPECT_EQ(dram.done(1), 1 + t.tRCD + t.tCWD + kBurst + t.tWTR + t.tCAS + kBurst);
}

TEST(Dram, ReadToWriteTurnaround) {
  Dram dram(equal_clocks());
  dram.access(0, 0);
  dram.access(0, 64, true);
  const uint64_t read = 1 + t.tRCD;
  EXPECT_EQ(dram.done(1), read + t.tCAS + t.tCCD + 2 - t.tCWD + t.tCWD + kBurst);
}

TEST(Dram, ColumnsAreSpacedByTccd) {
  DramConfig config = equal_clocks();
  config.timings.tCCD = 6;
  Dram dram(config);
  for (uint64_t i = 0; i < 3; ++i) dram.access(0, i * 64);
  EXPECT_EQ(dram.done(1) - dram.done(0), 6u);
  EXPECT_EQ(dram.done(2) - dram.done(1), 6u);
}

TEST(Dram, ActivatesAreSpacedByTrrd) {
  Dram dram(equal_clocks());
  dram.access(0, 0);
  dram.access(0, kBankStride);
  EXPECT_EQ(dram.done(1) - dram.done(0), t.tRRD);
}

TEST(Dram, FifthActivateWaitsForTfaw) {
  DramConfig config = equal_clocks();
  config.timings.tFAW = 40;
  Dram dram(config);
  for (uint64_t i = 0; i < 5; ++i) dram.access(0, i * kBankStride);
  EXPECT_EQ(dram.done(3) - dram.done(0), 3 * t.tRRD);
  EXPECT_EQ(dram.done(4) - dram.done(0), 40u);  // not 4 * tRRD = 24
}

TEST(Dram, OtherRankHasItsOwnActivatesButSharesTheDataBus) {
  DramConfig config = equal_clocks();
  config.ranks = 2;
  Dram dram(config);
  dram.access(0, 0);
  dram.access(0, kBankStride * 8);  // rank 1, activated one command later
  EXPECT_EQ(dram.done(1) - dram.done(0), kBurst + t.tRTRS);
}

TEST(Dram, RefreshDelaysAnAccess) {
  Dram dram(equal_clocks());
  dram.access(t.tREFI, 0);  // the refresh is due in this very cycle, and all rows are closed
  EXPECT_EQ(dram.done(0), t.tREFI + t.tRFC + t.tRCD + t.tCAS + kBurst);
  EXPECT_EQ(dram.counts().refreshes, 1u);
}

TEST(Dram, RefreshClosesRows) {
  Dram dram(equal_clocks());
  dram.access(0, 0);
  dram.access(t.tREFI + 1000, 64);  // the row was closed in between
  EXPECT_EQ(dram.done(1), t.tREFI + 1001 + t.tRCD + t.tCAS + kBurst);
  EXPECT_EQ(dram.counts().row_misses, 2u);
}

TEST(Dram, RefreshGoesBeforeWaitingAccesses) {
  Dram dram(equal_clocks());
  dram.access(t.tREFI - 100, 0);
  dram.access(t.tREFI - 1, 64);  // could be read in cycle tREFI, but the refresh has priority
  EXPECT_EQ(dram.done(1), t.tREFI + t.tRP + t.tRFC + t.tRCD + t.tCAS + kBurst);
}

TEST(Dram, RefreshesMissedWhileIdleAreCounted) {
  Dram dram(equal_clocks());
  dram.access(10 * t.tREFI + 5, 0);
  EXPECT_EQ(dram.done(0), 10 * t.tREFI + t.tRFC + t.tRCD + t.tCAS + kBurst);
  EXPECT_EQ(dram.counts().refreshes, 10u);
}

TEST(Dram, FirstReadyTakesRowHitsFirst) {
  Dram dram(equal_clocks(8));
  dram.access(0, 0);
  dram.access(0, kRowStride);  // conflict
  dram.access(0, 64);          // hit of the open row: overtakes
  EXPECT_EQ(dram.done(2), dram.done(0) + t.tCCD);
  EXPECT_GT(dram.done(1), dram.done(2));
}

TEST(Dram, FirstComeFirstServedDoesNot) {
  Dram dram(equal_clocks(1));
  dram.access(0, 0);
  dram.access(0, kRowStride);
  dram.access(0, 64);
  EXPECT_GT(dram.done(2), dram.done(1));
  EXPECT_EQ(dram.counts().row_conflicts, 2u);
}

TEST(Dram, ReorderLimitEndsStarvation) {
  DramConfig config = equal_clocks(8);
  config.reorder_limit = 2;
  Dram dram(config);
  dram.access(0, 0);
  dram.access(0, kRowStride);
  for (uint64_t i = 1; i < 5; ++i) dram.access(0, i * 64);
  EXPECT_LT(dram.done(2), dram.done(1));
  EXPECT_LT(dram.done(3), dram.done(1));
  EXPECT_GT(dram.done(4), dram.done(1));  // two had overtaken it
}

TEST(Dram, ClosedPagePrechargesByItself) {
  DramConfig config = equal_clocks();
  config.open_page = false;
  Dram dram(config);
  dram.access(0, 0);
  dram.access(200, 64);
  EXPECT_EQ(dram.done(1), 201 + t.tRCD + t.tCAS + kBurst);
  dram.access(400, kRowStride);
  EXPECT_EQ(dram.done(2), 401 + t.tRCD + t.tCAS + kBurst);
  EXPECT_EQ(dram.counts().row_misses, 3u);
}

TEST(Dram, ClockRatioIsExact) {
  DramConfig config = equal_clocks();
  config.clock_ratio_dram = 2;
  config.clock_ratio_target = 7;
  Dram dram(config);
  dram.access(10, 0);  // DRAM cycle 2 has begun (at 7); it can be scheduled in cycle 3
  const uint64_t end = 3 + t.tRCD + t.tCAS + kBurst;
  EXPECT_EQ(dram.done(0), (end * 7 + 1) / 2);
}

TEST(Dram, BackendLatencyIsAdded) {
  DramConfig config = equal_clocks();
  config.backend_latency_cycles = 13;
  Dram dram(config);
  dram.access(0, 0);
  EXPECT_EQ(dram.done(0), 1 + t.tRCD + t.tCAS + kBurst + 13);
}

TEST(Dram, SkippingIdleCyclesChangesNothing) {
  // The same accesses, advanced every cycle or only when next_event() asks.
  const auto times = [](bool skip) {
    DramTiming model(equal_clocks());
    std::vector<uint64_t> result;
    uint32_t seed = 12345;
    uint64_t next_access = 0;
    for (uint64_t cycle = 0; cycle < 60'000; ++cycle) {
      std::vector<uint32_t> done;
      if (!skip || model.next_event() <= cycle) model.advance(cycle, done);
      for (const uint32_t tag : done) result.push_back(cycle << 16 | tag);
      if (cycle < next_access || !model.has_room()) continue;
      seed = seed * 1664525 + 1013904223;
      model.accept(cycle, {(seed >> 8) % (1 << 20) * 64, 64, seed >> 24, (seed >> 5 & 1) != 0});
      next_access = cycle + (seed >> 20 & 31) * (seed >> 16 & 7) * 3;
    }
    return result;
  };
  EXPECT_EQ(times(false), times(true));
}

}  // namespace
}  // namespace firesim::bridges
