// SPDX-License-Identifier: BSD-3-Clause
//
// Batches against their dense form, one token a cycle.
#include "core/batch.h"

#include <gtest/gtest.h>

#include <random>

#include "core/token_hash.h"

namespace firesim {
namespace {

Batch random_batch(std::mt19937_64 &random, uint64_t start, uint32_t cycles) {
  Batch batch(start, cycles);
  const uint64_t density = random() % 4;
  for (uint32_t offset = 0; offset < cycles; ++offset) {
    if (random() % 4 >= density) continue;
    batch.append_flit(offset, random(), random() % 5 == 0);
  }
  return batch;
}

TEST(Batch, AdjacentFlitsOfAPacketAreOneRun) {
  Batch batch(100, 10);
  batch.append_flit(1, 11, false);
  batch.append_flit(2, 12, false);
  batch.append_flit(3, 13, true);
  batch.append_flit(4, 14, false);
  batch.append_flit(6, 15, true);
  const std::vector<firesim::Run> expected = {{1, 3, true, nullptr, nullptr},
                                              {4, 1, false, nullptr, nullptr},
                                              {6, 1, true, nullptr, nullptr}};
  ASSERT_EQ(batch.runs().size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(batch.runs()[i].same_shape(expected[i])) << i;
  }
  EXPECT_EQ(batch.runs()[0].data[2], 13u);
  EXPECT_EQ(batch.flit_count(), 5u);
}

TEST(Batch, RefusesTokensOutOfOrderOrOutside) {
  Batch batch(0, 4);
  const uint64_t data[4] = {1, 2, 3, 4};
  batch.append_flit(1, 1, false);
  EXPECT_THROW(batch.append_flit(1, 1, false), std::logic_error);
  EXPECT_THROW(batch.append_flit(4, 1, false), std::logic_error);
  EXPECT_THROW(batch.append_run(2, data, 3, true), std::logic_error);
  EXPECT_THROW(batch.append_run(0, data, 1, true), std::logic_error);
  batch.append_run(4, data, 0, true);
  EXPECT_EQ(batch.flit_count(), 1u);
}

TEST(Batch, SplitAnywhereAndMergeGivesTheSameTokens) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const Batch whole = random_batch(random, random() % 1000, 1 + random() % 60);
    Batch head = whole;
    Batch tail;
    const auto at = static_cast<uint32_t>(random() % (whole.cycles() + 1));
    head.split(at, tail);
    ASSERT_EQ(head.cycles(), at);
    ASSERT_EQ(tail.start_cycle(), whole.start_cycle() + at);
    const std::vector<Token> dense = whole.dense();
    ASSERT_EQ(head.dense(), std::vector<Token>(dense.begin(), dense.begin() + at));
    ASSERT_EQ(tail.dense(), std::vector<Token>(dense.begin() + at, dense.end()));
    ASSERT_EQ(hash_batch(head) + hash_batch(tail), hash_batch(whole));
    head.merge(tail);
    ASSERT_TRUE(head.same_tokens(whole));
    // Merging restores the runs as well, since adjacent parts of a packet become one.
    ASSERT_EQ(head.runs().size(), whole.runs().size());
  }
}

TEST(Batch, MergeRefusesAGap) {
  Batch batch(0, 4);
  EXPECT_THROW(batch.merge(Batch(5, 1)), std::logic_error);
}

TEST(Batch, WidenKeepsTheCyclesOfTokens) {
  Batch batch(10, 2);
  batch.append_flit(1, 7, true);
  batch.widen(5, 20);
  EXPECT_EQ(batch.start_cycle(), 5u);
  EXPECT_EQ(batch.cycles(), 20u);
  EXPECT_TRUE(batch.dense()[6].valid);
  EXPECT_THROW(batch.widen(6, 30), std::logic_error);
}

// Data passed on without a copy outlives the batch it was put into first, which gets another
// buffer.
TEST(Batch, SharedDataStaysAsItWas) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    std::vector<Batch> passed(4);
    std::vector<std::vector<Token>> expected(4);
    Batch source;
    for (size_t i = 0; i < passed.size(); ++i) {
      const auto cycles = static_cast<uint32_t>(1 + random() % 300);
      source.reset(0, cycles);
      passed[i].reset(0, cycles);
      for (uint32_t offset = 0; offset < cycles;) {
        const auto length = static_cast<uint32_t>(
            std::min<uint64_t>(1 + random() % (3 * Batch::kLeastSharedFlits), cycles - offset));
        std::vector<uint64_t> data(length);
        for (uint64_t &flit : data) flit = random();
        source.append_run(offset, data.data(), length, random() % 2 == 0);
        offset += length + static_cast<uint32_t>(random() % 2);
      }
      for (const firesim::Run &run : source.runs()) {
        passed[i].append_shared(run.offset, run.data, run.length, run.last, run.buffer);
      }
      expected[i] = source.dense();
      if (random() % 4 == 0) source = Batch();
    }
    source.reset(0, 1000);
    for (uint32_t offset = 0; offset < 1000; ++offset) source.append_flit(offset, 0, false);
    for (size_t i = 0; i < passed.size(); ++i) ASSERT_EQ(passed[i].dense(), expected[i]);
  }
}

TEST(Batch, LongRunsAreSharedAndShortOnesCopied) {
  Batch source(0, 100);
  const std::vector<uint64_t> data(Batch::kLeastSharedFlits, 7);
  source.append_run(0, data.data(), Batch::kLeastSharedFlits, true);
  source.append_run(50, data.data(), 2, true);
  Batch passed(0, 100);
  for (const firesim::Run &run : source.runs()) {
    passed.append_shared(run.offset, run.data, run.length, run.last, run.buffer);
  }
  EXPECT_EQ(passed.runs()[0].data, source.runs()[0].data);
  EXPECT_NE(passed.runs()[1].data, source.runs()[1].data);
}

TEST(FlitBuffer, HoldsAtLeastWhatWasAskedForAndLittleMore) {
  for (uint32_t flits = 1; flits < 20000; flits += 1 + flits / 50) {
    FlitBuffer *buffer = FlitBuffer::make(flits);
    EXPECT_GE(buffer->capacity(), flits);
    EXPECT_LE(buffer->capacity(), std::max(64u, flits + flits / 4)) << flits;
    EXPECT_TRUE(buffer->is_unique());
    buffer->retain();
    EXPECT_FALSE(buffer->is_unique());
    buffer->release();
    EXPECT_TRUE(buffer->is_unique());
    buffer->release();
  }
}

TEST(FlitCursor, ReadsWhatTheDenseFormHolds) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const Batch batch = random_batch(random, 0, 50);
    const std::vector<Token> dense = batch.dense();
    FlitCursor cursor(batch);
    for (uint32_t offset = 0; offset < batch.cycles(); offset += 1 + random() % 3) {
      Flit flit;
      ASSERT_EQ(cursor.read(offset, flit), dense[offset].valid);
      if (dense[offset].valid) {
        ASSERT_EQ(flit, dense[offset].flit);
      }
    }
  }
}

TEST(TokenHash, VectorFormEqualsTheDefinition) {
  std::mt19937_64 random(3);
  for (uint32_t length = 0; length < 70; ++length) {
    std::vector<uint64_t> data(length);
    for (uint64_t &flit : data) flit = random();
    const uint64_t first_cycle = random();
    uint64_t expected = 0;
    for (uint32_t i = 0; i < length; ++i) expected += mix_flit(first_cycle + i, data[i], false);
    ASSERT_EQ(hash_flits(first_cycle, data.data(), length), expected) << length;
  }
}

// All lengths, so that every form of a run's end is there.
TEST(TokenHash, OfABatchIsTheSumOverItsFlits) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    Batch batch(random(), 200);
    std::vector<uint64_t> data(30);
    for (uint32_t offset = 0; offset < 160;) {
      for (uint64_t &flit : data) flit = random();
      const auto length = static_cast<uint32_t>(1 + random() % data.size());
      batch.append_run(offset, data.data(), length, random() % 2 == 0);
      offset += length + static_cast<uint32_t>(random() % 3);
    }
    uint64_t expected = 0;
    for (uint32_t offset = 0; const Token &token : batch.dense()) {
      if (token.valid) {
        expected += mix_flit(batch.start_cycle() + offset, token.flit.data, token.flit.last);
      }
      ++offset;
    }
    ASSERT_EQ(hash_batch(batch), expected);
  }
}

TEST(TokenHash, CaresAboutCycleDataOrderAndLast) {
  auto hash_of = [](std::vector<std::tuple<uint32_t, uint64_t, bool>> flits) {
    Batch batch(1000, 100);
    for (const auto &[offset, data, last] : flits) batch.append_flit(offset, data, last);
    return hash_batch(batch);
  };
  const uint64_t base = hash_of({{1, 5, false}, {2, 6, true}});
  EXPECT_NE(base, hash_of({{1, 6, false}, {2, 5, true}}));
  EXPECT_NE(base, hash_of({{1, 5, true}, {2, 6, true}}));
  EXPECT_NE(base, hash_of({{1, 5, false}, {3, 6, true}}));
  EXPECT_NE(base, hash_of({{1, 5, false}}));
  EXPECT_EQ(hash_of({}), 0u);
}

// A value that must never change, or hashes of old runs could not be compared with new ones.
TEST(TokenHash, IsTheSameOnEveryMachine) {
  EXPECT_EQ(hash_to_hex(mix_flit(0, 0, false)), "481f477a0f8d3b68");
  EXPECT_EQ(hash_to_hex(mix_flit(123456789, 0x0011223344556677, true)), "4db244ba38cb58d0");
}

TEST(TokenHash, EveryInputBitReachesEveryOutputBit) {
  std::mt19937_64 random(5);
  constexpr int kTrials = 2000;
  for (int in = 0; in < 64; ++in) {
    std::vector<int> flips(64);
    for (int trial = 0; trial < kTrials; ++trial) {
      const uint64_t data = random();
      const uint64_t cycle = random() % 1000000;
      const uint64_t changed =
          mix_flit(cycle, data, false) ^ mix_flit(cycle, data ^ (uint64_t{1} << in), false);
      for (int out = 0; out < 64; ++out) flips[out] += static_cast<int>(changed >> out & 1);
    }
    for (int out = 0; out < 64; ++out) {
      ASSERT_GT(flips[out], kTrials / 8) << "data bit " << in << ", hash bit " << out;
    }
  }
}

}  // namespace
}  // namespace firesim
