// SPDX-License-Identifier: BSD-3-Clause
//
// A link direction: latency, cutting, the bound, and two threads at once.
#include "core/channel.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <thread>

#include "core/token_hash.h"

namespace firesim {
namespace {

Token random_token(std::mt19937_64 &random) {
  if (random() % 3 == 0) return {};
  return {true, {random(), random() % 4 == 0}};
}

TEST(Channel, IsSeededWithItsLatency) {
  Channel channel(7);
  EXPECT_EQ(channel.available(), 7u);
  Batch out;
  channel.take(0, 7, out);
  EXPECT_TRUE(out.empty());
  EXPECT_EQ(out.cycles(), 7u);
  EXPECT_THROW(channel.take(7, 1, out), std::logic_error);
}

TEST(Channel, ATokenComesOutLatencyCyclesLater) {
  Channel channel(5);
  Batch in(0, 3);
  in.append_flit(2, 42, true);
  channel.push(in);
  EXPECT_EQ(channel.available(), 8u);
  Batch out;
  channel.take(0, 8, out);
  ASSERT_EQ(out.runs().size(), 1u);
  EXPECT_EQ(out.runs()[0].offset, 7u);
  EXPECT_EQ(channel.flits(), 1u);
  EXPECT_EQ(channel.packets(), 1u);
}

TEST(Channel, WorksAtTheLongestLatency) {
  Channel channel(UINT32_MAX);
  Batch in(0, 1);
  in.append_flit(0, 1, true);
  channel.push(in);
  EXPECT_EQ(channel.available(), uint64_t{UINT32_MAX} + 1);
  Batch out;
  channel.take(0, UINT32_MAX, out);
  EXPECT_TRUE(out.empty());
  channel.take(UINT32_MAX, 1, out);
  EXPECT_EQ(out.flit_count(), 1u);
}

TEST(Channel, RefusesGapsOnBothSides) {
  Channel channel(5);
  Batch in(1, 3);
  EXPECT_THROW(channel.push(in), std::logic_error);
  Batch out;
  EXPECT_THROW(channel.take(1, 1, out), std::logic_error);
}

TEST(Channel, AssertsItsBound) {
  Channel channel(4);
  Batch in(0, 5);
  channel.push(in);
  Batch out;
  EXPECT_THROW(channel.take(0, 1, out), std::logic_error);
}

TEST(Channel, HowTheTokensAreCutDoesNotMatter) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const auto latency = static_cast<uint32_t>(1 + random() % 40);
    Channel channel(latency);
    std::deque<Token> line(latency);
    uint64_t produced = 0;
    uint64_t consumed = 0;
    uint64_t hash = 0;
    Batch batch;
    for (int step = 0; step < 100; ++step) {
      const uint64_t room = consumed + latency - produced;
      if (const uint64_t most = room; most > 0 && random() % 2 == 0) {
        batch.reset(produced, static_cast<uint32_t>(1 + random() % most));
        for (uint32_t offset = 0; offset < batch.cycles(); ++offset) {
          line.push_back(random_token(random));
          const Token &token = line.back();
          if (!token.valid) continue;
          batch.append_flit(offset, token.flit.data, token.flit.last);
          hash += mix_flit(produced + offset, token.flit.data, token.flit.last);
        }
        produced += batch.cycles();
        channel.push(batch);
      }
      const uint64_t there = channel.available() - consumed;
      ASSERT_EQ(there, line.size());
      if (there == 0) continue;
      const auto count = static_cast<uint32_t>(1 + random() % there);
      channel.take(consumed, count, batch);
      const std::vector<Token> expected(line.begin(), line.begin() + count);
      ASSERT_EQ(batch.dense(), expected);
      line.erase(line.begin(), line.begin() + count);
      consumed += count;
    }
    ASSERT_EQ(channel.totals().hash, hash);
  }
}

// Two ends on two threads, as fast as the tokens allow; for the thread sanitizer.
TEST(Channel, TwoThreads) {
  constexpr uint32_t kLatency = 16;
  static constexpr uint64_t kCycles = 40000;
  Channel there(kLatency);
  Channel back(kLatency);
  auto run = [](Channel &in, Channel &out, uint64_t &sum) {
    Batch batch;
    for (uint64_t now = 0; now < kCycles;) {
      const uint64_t available = std::min(in.available(), kCycles);
      if (available == now) {
        std::this_thread::yield();
        continue;
      }
      const auto count = static_cast<uint32_t>(available - now);
      in.take(now, count, batch);
      for (const firesim::Run &part : batch.runs()) {
        for (uint32_t i = 0; i < part.length; ++i) sum += part.data[i];
      }
      batch.reset(now, count);
      for (uint32_t offset = 0; offset < count; offset += 2) {
        batch.append_flit(offset, now + offset, true);
      }
      out.push(batch);
      now += count;
    }
  };
  uint64_t sum_a = 0;
  uint64_t sum_b = 0;
  std::thread other(run, std::ref(there), std::ref(back), std::ref(sum_b));
  run(back, there, sum_a);
  other.join();
  EXPECT_GT(sum_a, 0u);
  EXPECT_GT(sum_b, 0u);
  EXPECT_EQ(there.flits(), there.packets());
}

}  // namespace
}  // namespace firesim
