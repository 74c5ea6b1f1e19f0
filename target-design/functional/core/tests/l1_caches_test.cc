// SPDX-License-Identifier: BSD-3-Clause
// What first-level caches hold: of a hart that runs, and of harts that share lines.
#include "../l1_caches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "machine.h"
#include "sim/core/tests/random_seed.h"

namespace firesim::functional {
namespace {

namespace as = assembler;

constexpr L1Shape kSmall{{4, 2}, {4, 2}};

size_t held(const LineStore &lines) {
  size_t count = 0;
  for (const uint64_t entry : lines.entries()) {
    count += LineStore::state(entry) != LineStore::kInvalid;
  }
  return count;
}

LineStore::State state_of(L1Caches &caches, uint64_t line) {
  const uint64_t *entry = caches.data().find(line);
  return entry == nullptr ? LineStore::kInvalid : LineStore::state(*entry);
}

TEST(L1Caches, SetNeverHasMoreThanItsWays) {
  L1Group all(1, kSmall);
  for (uint64_t line = 0; line < 400; line += 4) all[0].load(line);  // all of set 0
  EXPECT_EQ(held(all[0].data()), 2u);
  EXPECT_NE(all[0].data().find(396), nullptr);
}

TEST(L1Caches, LineThatWasDrivenOutIsLoadedAgain) {
  L1Group all(1, {{1, 1}, {1, 1}});
  all[0].store(7);
  all[0].load(8);
  EXPECT_EQ(state_of(all[0], 7), LineStore::kInvalid);
  all[0].store(7);
  EXPECT_EQ(state_of(all[0], 7), LineStore::kDirty);
  all[0].load(8);
  EXPECT_EQ(state_of(all[0], 8), LineStore::kExclusive);
}

TEST(L1Caches, HartsShareLines) {
  L1Group all(2, kSmall);
  all[0].store(5);
  all[1].load(5);
  EXPECT_EQ(state_of(all[0], 5), LineStore::kShared);
  EXPECT_EQ(state_of(all[1], 5), LineStore::kShared);
  all[0].store(5);  // although it was the last that was stored to
  EXPECT_EQ(state_of(all[0], 5), LineStore::kDirty);
  EXPECT_EQ(state_of(all[1], 5), LineStore::kInvalid);
  all.written_by_device(5 * kLineBytes + 60, 8);
  EXPECT_EQ(state_of(all[0], 5), LineStore::kInvalid);
}

TEST(L1Caches, LinesOfAHartThatRuns) {
  Machine machine;
  L1Group all(1, {});
  machine.hart().set_l1(&all[0]);
  // A load, a store, an AMO and an LR, each of a line of its own; then a jump into another line.
  machine.state.x[2] = kDramBase + kData;
  machine.code({as::ld(5, 2, 0), as::s(0x23, 3, 2, 0, 64), as::addi(3, 2, 128),
                0x0031'b2af,                       // amoadd.d x5, x3, (x3)
                as::addi(3, 2, 192), 0x1001'b2af,  // lr.d x5, (x3)
                as::jal(0, 256)});
  machine.code({as::jal(0, 0)}, 24 + 256);
  machine.after(20);
  const uint64_t first = kData / kLineBytes;
  EXPECT_EQ(state_of(all[0], first), LineStore::kExclusive);
  for (uint64_t line = first + 1; line < first + 4; ++line) {
    EXPECT_EQ(state_of(all[0], line), LineStore::kDirty) << line - first;
  }
  EXPECT_EQ(held(all[0].data()), 4u);
  EXPECT_NE(all[0].instructions().find(0), nullptr);
  EXPECT_NE(all[0].instructions().find((24 + 256) / kLineBytes), nullptr);
  EXPECT_EQ(held(all[0].instructions()), 2u);

  machine.code({0x0000'100f, as::jal(0, 0)});  // fence.i, and on in its line
  machine.state.cycle = machine.cycle();
  machine.after(20);
  EXPECT_NE(all[0].instructions().find(0), nullptr);
  EXPECT_EQ(held(all[0].instructions()), 1u);
}

// Blocks are cut where time is; the lines are the same.
TEST(L1Caches, LinesDoNotDependOnHowTimeIsCut) {
  const uint64_t seed = random_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  constexpr uint64_t kCycles = 60'000;
  constexpr L1Shape kShape{{8, 2}, {8, 2}};
  Machine blocks, cut;
  L1Group of_blocks(1, kShape), of_cut(1, kShape);
  std::mt19937_64 random(seed), same(seed), lengths(seed);
  random_program(blocks, random);
  random_program(cut, same);
  blocks.hart().set_l1(&of_blocks[0]);
  cut.hart().set_l1(&of_cut[0]);
  blocks.run(kCycles);
  for (uint64_t cycle = 0; cycle < kCycles;) {
    cycle = std::min(cycle + 1 + lengths() % 20, kCycles);
    cut.run(cycle);
  }
  EXPECT_EQ(of_blocks[0].data().entries(), of_cut[0].data().entries());
  EXPECT_EQ(of_blocks[0].instructions().entries(), of_cut[0].instructions().entries());
  EXPECT_EQ(blocks.hart().state(), cut.hart().state());
}

TEST(L1Caches, StateThatCannotBeIsRefused) {
  LineStore lines({4, 2}, 1);
  lines.put(5, LineStore::kDirty);
  const std::vector<uint64_t> entries = lines.entries();
  LineStore other({4, 2}, 1);
  EXPECT_EQ(other.restore(entries, lines.random(), 6), std::nullopt);
  EXPECT_NE(other.find(5), nullptr);
  EXPECT_TRUE(other.restore(entries, lines.random(), 5)) << "beyond the memory";
  EXPECT_TRUE(other.restore(entries, 0, 6)) << "a generator at 0";
  EXPECT_TRUE(other.restore({entries.rbegin(), entries.rend()}, 1, 6)) << "another set";
  EXPECT_TRUE(other.restore({}, 1, 6)) << "no lines";
}

}  // namespace
}  // namespace firesim::functional
