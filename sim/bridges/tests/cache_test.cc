// SPDX-License-Identifier: BSD-3-Clause
// The last-level cache: hits, misses, merging, write-back and miss registers, to the cycle.
#include "bridges/memory/cache.h"

#include <gtest/gtest.h>

#include <map>

#include "bridges/memory/fixed_timing.h"

namespace firesim::bridges {
namespace {

constexpr uint64_t kBelow = 50;  // latency of the memory below
constexpr uint64_t kHit = 4;

struct Cache {
  explicit Cache(const CacheConfig &config)
      : model(config, std::make_unique<FixedTiming>(kBelow, 64)) {}

  void access(uint64_t cycle, uint64_t address, bool write = false, uint32_t bytes = 8) {
    advance_to(cycle);
    model.accept(cycle, {address, bytes, tag++, write});
  }
  void advance_to(uint64_t cycle) {
    for (; now <= cycle; ++now) {
      std::vector<uint32_t> done;
      model.advance(now, done);
      for (const uint32_t item : done) finished[item] = now;
    }
  }
  uint64_t done(uint32_t item) {
    advance_to(now + 1000);
    return finished.at(item);
  }
  TimingCounts counts() const {
    TimingCounts counts;
    model.add_counts(counts);
    return counts;
  }

  CacheTiming model;
  uint64_t now = 0;
  uint32_t tag = 0;
  std::map<uint32_t, uint64_t> finished;
};

CacheConfig small() {
  CacheConfig config;
  config.sets = 2;
  config.ways = 2;
  config.mshrs = 2;
  config.hit_latency_cycles = kHit;
  return config;
}

TEST(Cache, MissThenHit) {
  Cache cache(small());
  cache.access(10, 0);
  cache.access(200, 8);
  EXPECT_EQ(cache.done(0), 10 + kHit + kBelow);
  EXPECT_EQ(cache.done(1), 200 + kHit);
  EXPECT_EQ(cache.counts().cache_hits, 1u);
  EXPECT_EQ(cache.counts().cache_misses, 1u);
}

TEST(Cache, SecondMissToTheBlockJoinsTheFirst) {
  Cache cache(small());
  cache.access(10, 0);
  cache.access(20, 8);
  EXPECT_EQ(cache.done(1), 10 + kHit + kBelow);
}

TEST(Cache, HitUnderMiss) {
  Cache cache(small());
  cache.access(0, 0);
  cache.access(100, 64);  // miss in the other set
  cache.access(101, 0);
  EXPECT_EQ(cache.done(2), 101 + kHit);
}

TEST(Cache, OneLookUpACycle) {
  Cache cache(small());
  cache.access(0, 0);
  cache.access(100, 0);
  cache.access(100, 8);
  EXPECT_EQ(cache.done(1), 100 + kHit);
  EXPECT_EQ(cache.done(2), 101 + kHit);
}

TEST(Cache, MissRegistersAreLimited) {
  CacheConfig config = small();
  config.mshrs = 1;
  Cache cache(config);
  cache.access(0, 0);
  cache.access(1, 64);
  EXPECT_EQ(cache.done(1), 2 * (kHit + kBelow));  // looked up when the first fill is done
}

TEST(Cache, LeastRecentlyUsedGoesAndDirtyBlocksAreWrittenBack) {
  Cache cache(small());
  const uint64_t stride = 128;  // blocks of one set
  cache.access(0, 0, true);
  cache.access(100, stride);
  cache.access(200, 0);           // now block `stride` is the oldest
  cache.access(300, 2 * stride);  // evicts it, clean
  cache.access(400, 0);
  EXPECT_EQ(cache.done(4), 400 + kHit);
  EXPECT_EQ(cache.counts().cache_writebacks, 0u);
  cache.access(2000, 2 * stride);
  cache.access(2100, 3 * stride);  // evicts block 0, which is dirty
  cache.done(6);
  EXPECT_EQ(cache.counts().cache_writebacks, 1u);
}

TEST(Cache, WholeBlockWriteNeedsNoFill) {
  Cache cache(small());
  cache.access(10, 0, true, 64);
  cache.access(100, 0);
  EXPECT_EQ(cache.done(0), 10 + kHit);
  EXPECT_EQ(cache.done(1), 100 + kHit);
}

}  // namespace
}  // namespace firesim::bridges
