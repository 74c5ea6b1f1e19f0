// SPDX-License-Identifier: BSD-3-Clause
// Call stacks from commits: calls, returns, tail calls, traps, and finding back when lost.
#include "bridges/trace/call_stacks.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

namespace firesim::bridges {
namespace {

constexpr uint32_t kNop = 0x13, kCall = 0xef /* jal ra */, kRet = 0x8067, kJump = 0x6f,
                   kCompressedRet = 0x8082, kCompressedCall = 0x9782 /* c.jalr a5 */,
                   kCallThroughT0 = 0x000282e7 /* jalr t0, t0 */, kMret = 0x30200073;
constexpr uint64_t kMain = 0x100, kFoo = 0x200, kBar = 0x300, kTrap = 0x400;

class Stacks : public testing::Test {
 protected:
  Stacks() : stacks(prepare(), "hart0") { stacks.begin(0); }

  SymbolTable& prepare() {
    symbols.add(kMain, kMain + 0x100, "main");
    symbols.add(kFoo, kFoo + 0x100, "foo");
    symbols.add(kBar, kBar + 0x100, "bar");
    symbols.add(kTrap, kTrap + 0x100, "handler");
    return symbols;
  }
  // One commit, `cycles` after the last one.
  void commit(uint64_t pc, uint32_t instruction = kNop, uint64_t cycles = 1) {
    now += cycles;
    Commit item;
    item.cycle = now;
    item.pc = pc;
    item.instruction = instruction;
    stacks.add(item);
  }
  void trap(uint64_t pc, uint64_t cause, bool interrupt) {
    Commit item;
    item.cycle = ++now;
    item.pc = pc;
    item.cause = cause;
    item.trap = true;
    item.interrupt = interrupt;
    stacks.add(item);
  }
  using Names = std::vector<std::string>;

  SymbolTable symbols;
  CallStacks stacks;
  uint64_t now = 0;
};

TEST_F(Stacks, CallAndReturn) {
  commit(kMain, kCall);
  commit(kFoo);
  EXPECT_EQ(stacks.current(), (Names{"hart0", "main", "foo"}));
  commit(kFoo + 4, kRet);
  commit(kMain + 4);
  EXPECT_EQ(stacks.current(), (Names{"hart0", "main"}));
}

TEST_F(Stacks, CompressedCallAndReturn) {
  commit(kMain, kCompressedCall);
  commit(kFoo, kCompressedRet);
  EXPECT_EQ(stacks.current(), (Names{"hart0", "main", "foo"}));
  commit(kMain + 2);
  EXPECT_EQ(stacks.current(), (Names{"hart0", "main"}));
}

TEST_F(Stacks, RecursionIsDeep) {
  commit(kMain, kCall);
  commit(kFoo, kCall);
  commit(kFoo, kCall);
  commit(kFoo + 8, kRet);
  EXPECT_EQ(stacks.current(), (Names{"hart0", "main", "foo", "foo", "foo"}));
  commit(kFoo + 4, kRet);
  commit(kFoo + 4, kRet);
  commit(kMain + 4);
  EXPECT_EQ(stacks.current(), (Names{"hart0", "main"}));
}

TEST_F(Stacks, TailCallReplacesItsCaller) {
  commit(kMain, kCall);
  commit(kFoo, kJump);
  commit(kBar, kRet);
  EXPECT_EQ(stacks.current(), (Names{"hart0", "main", "bar"}));
  commit(kMain + 4);
  EXPECT_EQ(stacks.current(), (Names{"hart0", "main"}));
}

TEST_F(Stacks, MillicodeThroughT0Returns) {
  commit(kMain, kCallThroughT0);
  commit(kBar, 0x28067);  // jr t0
  EXPECT_EQ(stacks.current(), (Names{"hart0", "main", "bar"}));
  commit(kMain + 4);
  EXPECT_EQ(stacks.current(), (Names{"hart0", "main"}));
}

TEST_F(Stacks, TrapsStackAndReturn) {
  commit(kMain, kCall);
  trap(kFoo, 7, true);  // before the first instruction of foo
  commit(kTrap, kCall);
  commit(kBar);
  EXPECT_EQ(stacks.current(), (Names{"hart0", "main", "foo", "[interrupt 7]", "handler", "bar"}));
  trap(kBar + 4, 2, false);
  commit(kTrap, kMret);
  commit(kBar + 8, kRet);
  commit(kTrap + 4, kMret);
  commit(kFoo);
  EXPECT_EQ(stacks.current(), (Names{"hart0", "main", "foo"}));
}

TEST_F(Stacks, ReturnOverSeveralFramesFindsItsPlace) {
  commit(kMain, kCall);
  commit(kFoo, kCall);
  commit(kBar, kRet);  // as longjmp does
  commit(kMain + 0x40);
  EXPECT_EQ(stacks.current(), (Names{"hart0", "main"}));
}

TEST_F(Stacks, TrapReturnWithoutTrapStartsAfresh) {
  commit(kMain, kMret);
  commit(kFoo);
  EXPECT_EQ(stacks.current(), (Names{"hart0", "foo"}));
}

TEST_F(Stacks, DeepStacksAreBoundedAndComeBack) {
  commit(kMain, kCall);
  for (int i = 0; i < 5000; ++i) commit(kFoo, kCall);
  EXPECT_LE(stacks.current().size(), 1024u);
  for (int i = 0; i < 4999; ++i) commit(kFoo + 4, kRet);
  commit(kFoo + 4, kRet);
  commit(kMain + 4);
  EXPECT_EQ(stacks.current(), (Names{"hart0", "main"}));
}

TEST_F(Stacks, CyclesGoToTheCommittingFunction) {
  commit(kMain, kCall, 5);
  commit(kFoo, kRet, 10);
  commit(kMain + 4, kNop, 3);
  std::ostringstream text;
  stacks.write_folded(text);
  EXPECT_EQ(text.str(), "hart0;main 8\nhart0;main;foo 10\n");
}

TEST_F(Stacks, Speedscope) {
  commit(kMain, kCall, 5);
  commit(kFoo, kRet, 10);
  std::ostringstream text;
  stacks.write_speedscope(text, "hart 0");
  const auto document = nlohmann::json::parse(text.str());
  const auto& profile = document["profiles"][0];
  EXPECT_EQ(profile["endValue"], 15);
  EXPECT_EQ(profile["samples"].size(), 2u);
  EXPECT_EQ(profile["weights"], nlohmann::json({5, 10}));
}

}  // namespace
}  // namespace firesim::bridges
