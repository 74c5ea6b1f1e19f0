// SPDX-License-Identifier: BSD-3-Clause
// Code that harts share is that of a hart alone: wherever its page lies, while others change
// theirs, when there is no room, and with several threads.
#include "../code_store.h"

#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "assembler.h"
#include "machine.h"
#include "sim/core/tests/random_seed.h"

namespace firesim::functional {
namespace {

namespace as = assembler;

constexpr size_t kStoreBytes = 4 << 20;
constexpr uint64_t kLoopInstructions = 4;

// Counts in x1, adds up in x2 where it is.
std::vector<uint32_t> loop() {
  return {as::addi(1, 1, 1), 0x0000'0197 /* auipc x3, 0 */, as::r(0x33, 0, 0, 2, 2, 3),
          as::jal(0, -12)};
}

TEST(CodeStore, APageIsSharedWhereverItLies) {
  CodeStore store(kStoreBytes);
  Machine first(kMostCodeBytes, &store), second(kMostCodeBytes, &store);
  constexpr uint64_t kSecondAt = 3 * kPageBytes, kRounds = 100;
  first.code(loop());
  second.code(loop(), kSecondAt);
  for (Machine *m : {&first, &second}) m->shared().set_translate_after(0);
  second.state.pc = kDramBase + kSecondAt;
  const ArchitecturalState one = first.after(kRounds * kLoopInstructions);
  CodePage *page = store.acquire(first.memory().data());
  ASSERT_NE(page, nullptr);
  const Block *decoded = page->find(0);
  ASSERT_NE(decoded, nullptr);
  const void *code = decoded->code;
  EXPECT_NE(code, nullptr);
  const ArchitecturalState other = second.after(kRounds * kLoopInstructions);
  EXPECT_EQ(page->find(0), decoded) << "decoded once";
  EXPECT_EQ(decoded->code, code) << "translated once";
  EXPECT_EQ(one.x[2], kRounds * (kDramBase + 4));
  EXPECT_EQ(other.x[2], kRounds * (kDramBase + kSecondAt + 4));
  EXPECT_EQ(other.x[1], kRounds);
  store.release(*page);
}

TEST(CodeStore, WhoChangesAPageHasAnother) {
  CodeStore store(kStoreBytes);
  Machine first(kMostCodeBytes, &store), second(kMostCodeBytes, &store);
  // Stores x5 over its first instruction, in every round.
  const std::vector<uint32_t> words = {as::addi(1, 1, 1), as::s(0x23, 2, 4, 5, 0), as::jal(0, -8)};
  for (Machine *m : {&first, &second}) {
    m->code(words);
    m->state.x[4] = kDramBase;
  }
  first.state.x[5] = as::addi(1, 1, 100);
  second.state.x[5] = words[0];
  constexpr uint64_t kRounds = 40;  // more than a page may change while it is shared
  EXPECT_EQ(first.after(kRounds * words.size()).x[1], 1 + 100 * (kRounds - 1));
  EXPECT_EQ(second.after(kRounds * words.size()).x[1], kRounds);
}

TEST(CodeStore, WhatDoesNotFitIsNotShared) {
  CodeStore nothing(0), little(CodeStore::kLeastBytes);
  EXPECT_EQ(nothing.acquire(Machine().memory().data()), nullptr);
  std::vector<uint32_t> many;
  for (int i = 0; i < 3000; ++i) many.insert(many.end(), {as::addi(1, 1, 1), as::jal(0, 4)});
  for (CodeStore *store : {&nothing, &little}) {
    Machine m(kMostCodeBytes, store);
    m.code(many);
    EXPECT_EQ(m.after(many.size()).x[1], many.size() / 2);
  }
}

TEST(CodeStore, SeveralThreadsRunTheSameCode) {
  const uint64_t seed = random_seed();
  SCOPED_TRACE("FIRESIM_TEST_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  constexpr uint64_t kEnd = 60'000;
  const uint64_t program = random();
  const auto run = [&](CodeStore *store, uint64_t cuts) {
    Machine m(kMostCodeBytes, store);
    m.shared().set_translate_after(store == nullptr ? kNeverTranslated : 0);
    std::mt19937_64 same(program), cut(cuts);
    random_program(m, same);
    m.arm_timer(10);
    while (m.cycle() < kEnd) m.run(std::min(kEnd, m.cycle() + 1 + cut() % 500));
    return m.hart().state();
  };
  const ArchitecturalState alone = run(nullptr, random());
  CodeStore store(kStoreBytes);
  std::vector<ArchitecturalState> found(3);
  std::vector<std::thread> threads;
  for (ArchitecturalState &state : found) {
    threads.emplace_back([&state, &run, &store, cuts = random()] { state = run(&store, cuts); });
  }
  for (std::thread &thread : threads) thread.join();
  for (const ArchitecturalState &state : found) EXPECT_EQ(state, alone);
}

}  // namespace
}  // namespace firesim::functional
