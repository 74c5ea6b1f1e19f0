// SPDX-License-Identifier: BSD-3-Clause
// Call stacks from commits: calls, returns, tail calls, traps, and finding back when lost.
#include "traces/call_stacks.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

namespace firesim::traces {
namespace {

constexpr uint32_t kNop = 0x13, kCall = 0xef /* jal ra */, kRet = 0x8067, kJump = 0x6f,
                   kCompressedRet = 0x8082, kCompressedCall = 0x9782 /* c.jalr a5 */,
                   kCallThroughT0 = 0x000282e7 /* jalr t0, t0 */, kMret = 0x30200073,
                   kSret = 0x10200073;
constexpr uint64_t kMain = 0x100, kFoo = 0x200, kBar = 0x300, kTrap = 0x400, kSwitch = 0x500,
                   kProgram = 0x10000;

class Stacks : public testing::Test {
 protected:
  Stacks() : stacks(prepare(), "hart0") { stacks.begin(0); }

  SymbolTable &prepare() {
    symbols.add(kMain, kMain + 0x100, "main");
    symbols.add(kFoo, kFoo + 0x100, "foo");
    symbols.add(kBar, kBar + 0x100, "bar");
    symbols.add(kTrap, kTrap + 0x100, "handler");
    symbols.add(kSwitch, kSwitch + 0x100, "__switch_to");
    return symbols;
  }
  // One commit, `cycles` after the last one.
  void commit(uint64_t pc, uint32_t instruction = kNop, uint64_t cycles = 1,
              uint8_t privilege = 3) {
    now += cycles;
    Commit item;
    item.privilege = privilege;
    item.cycle = now;
    item.pc = pc;
    item.instruction = instruction;
    stacks.add(item);
  }
  void trap(uint64_t pc, uint64_t cause, bool interrupt) {
    Commit item;
    if (pc >= kProgram) item.privilege = 0;
    item.cycle = ++now;
    item.pc = pc;
    item.cause = cause;
    item.trap = true;
    item.interrupt = interrupt;
    stacks.add(item);
  }
  // An instruction of a program nothing is known about.
  void program(uint64_t pc, uint32_t instruction = kNop) { commit(pc, instruction, 1, 0); }
  // foo, called at `from`, gives the processor to another task.
  void wait_in_foo(uint64_t from) {
    commit(from, kCall);
    commit(kFoo, kCall);
    commit(kSwitch, kRet);
  }
  // A program's system call, in which foo waits.
  void wait_in_system_call(uint64_t pc) {
    trap(pc, 8, false);
    wait_in_foo(kTrap);
  }
  // Goes on behind the switch in foo, then behind the call of foo.
  void go_on_behind(uint64_t call) {
    commit(kFoo + 4, kRet);
    commit(call + 4);
  }
  using Names = std::vector<std::string>;

  SymbolTable symbols;
  CallStacks stacks;
  uint64_t now = 0;
};

// Calls are followed before the window, and the cycles in it are charged exactly: those behind its
// last commit, too, and none beyond its end.
TEST_F(Stacks, ChargedWithinAWindow) {
  stacks.skip_to(now + 5);
  commit(kMain, kCall, 5);
  stacks.skip_to(now + 5);
  commit(kFoo, kNop, 5);
  const uint64_t first = now + 3;  // the window opens between two commits
  stacks.skip_to(first - 1);
  commit(kFoo + 4, kNop, 7);
  commit(kFoo + 8, kRet, 2);
  commit(kMain + 4, kNop, 4);
  stacks.charge_to(now + 9);
  std::ostringstream text;
  stacks.tree().write_folded(text);
  EXPECT_EQ(text.str(), "hart0;main 13\nhart0;main;foo 7\n");
  stacks.charge_to(now - 1);
  text.str("");
  stacks.tree().write_folded(text);
  EXPECT_EQ(text.str(), "hart0;main 3\nhart0;main;foo 7\n");
}

// As a warm start hands a hart over: in foo, interrupted, called by main.
TEST_F(Stacks, GoesOnWhereAnotherEngineWas) {
  stacks.go_on_within({{}, {kMain + 4}, {kFoo + 8, true, true, 7}, {}});
  commit(kTrap);
  EXPECT_EQ(stacks.current(), (Names{"hart0", "main", "foo", "[interrupt 7]", "handler"}));
  commit(kTrap + 4, kMret);
  commit(kFoo + 8, kRet);
  commit(kMain + 4);
  EXPECT_EQ(stacks.current(), (Names{"hart0", "main"}));
}

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
  stacks.tree().write_folded(text);
  EXPECT_EQ(text.str(), "hart0;main 8\nhart0;main;foo 10\n");
}

TEST_F(Stacks, ProgramsAreOneFrame) {
  program(kProgram, kCall);
  program(kProgram + 0x100, kCall);
  program(kProgram + 0x200, kRet);
  EXPECT_EQ(stacks.current(), (Names{"hart0", "[user]"}));
  trap(kProgram + 0x104, 8, false);
  commit(kTrap, kCall);
  commit(kFoo, kRet);
  EXPECT_EQ(stacks.current(), (Names{"hart0", "[user]", "[exception 8]", "handler", "foo"}));
  commit(kTrap + 4, kSret);
  program(kProgram + 0x108);
  EXPECT_EQ(stacks.current(), (Names{"hart0", "[user]"}));
}

TEST_F(Stacks, TasksHaveStacksOfTheirOwn) {
  wait_in_foo(kMain);
  commit(kBar);  // a new task
  EXPECT_EQ(stacks.current(), (Names{"hart0", "bar"}));
  wait_in_foo(kBar);
  go_on_behind(kMain);
  EXPECT_EQ(stacks.current(), (Names{"hart0", "main"}));
  wait_in_foo(kMain + 0x10);
  commit(kFoo + 4);  // not known yet which goes on: it may be the same
  EXPECT_EQ(stacks.current(), (Names{"hart0", "main", "foo"}));
  commit(kFoo + 8, kCall);  // calls that it makes by then do not confuse it
  commit(kBar, kRet);
  commit(kFoo + 12, kRet);
  commit(kBar + 4);
  EXPECT_EQ(stacks.current(), (Names{"hart0", "bar"}));
}

TEST_F(Stacks, ATaskThatGoesOnItselfKeepsItsStack) {
  for (int i = 0; i < 1000; ++i) {
    wait_in_foo(kMain);
    go_on_behind(kMain);
    EXPECT_EQ(stacks.current(), (Names{"hart0", "main"}));
  }
}

TEST_F(Stacks, ProgramsAreToldApartByWhereTheyGoOn) {
  commit(kMain, kSret);
  program(kProgram);
  wait_in_system_call(kProgram);
  commit(kBar, kSret);  // a new process, which has no trap to return from
  program(kProgram + 0x1000);
  EXPECT_EQ(stacks.current(), (Names{"hart0", "[user]"}));
  wait_in_system_call(kProgram + 0x1000);
  go_on_behind(kTrap);
  const Names waiting{"hart0", "[user]", "[exception 8]", "handler"};
  EXPECT_EQ(stacks.current(), waiting);
  commit(kTrap + 8, kSret);
  program(kProgram + 4);
  EXPECT_EQ(stacks.current(), (Names{"hart0", "[user]"}));
  wait_in_system_call(kProgram + 4);
  go_on_behind(kTrap);
  EXPECT_EQ(stacks.current(), waiting);
  commit(kTrap + 8, kSret);
  program(kProgram + 0x1004);
  EXPECT_EQ(stacks.current(), (Names{"hart0", "[user]"}));
}

TEST_F(Stacks, SnapshotsKeepTasks) {
  wait_in_foo(kMain);
  commit(kBar);
  wait_in_foo(kBar);
  StateWriter writer;
  stacks.save(writer);
  CallStacks other(symbols, "hart0");
  StateReader reader("test", writer);
  other.load(reader);
  reader.finish();
  Commit item;
  item.cycle = now;
  for (const auto &[pc, instruction] : {std::pair{kFoo + 4, kRet}, std::pair{kMain + 4, kNop}}) {
    ++item.cycle;
    item.pc = pc;
    item.instruction = instruction;
    other.add(item);
  }
  EXPECT_EQ(other.current(), (Names{"hart0", "main"}));
}

TEST_F(Stacks, Speedscope) {
  commit(kMain, kCall, 5);
  commit(kFoo, kRet, 10);
  std::ostringstream text;
  stacks.tree().write_speedscope(text, "hart 0");
  const auto document = nlohmann::json::parse(text.str());
  const auto &profile = document["profiles"][0];
  EXPECT_EQ(profile["endValue"], 15);
  EXPECT_EQ(profile["samples"].size(), 2u);
  EXPECT_EQ(profile["weights"], nlohmann::json({5, 10}));
}

}  // namespace
}  // namespace firesim::traces
