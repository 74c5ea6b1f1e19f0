// SPDX-License-Identifier: BSD-3-Clause
// Call stacks where the operating system says which task runs: switches, new tasks, signals, new
// programs, system calls by name.
#include <gtest/gtest.h>

#include <sstream>

#include "traces/call_stacks.h"

namespace firesim::traces {
namespace {

constexpr uint32_t kNop = 0x13, kCall = 0xef /* jal ra */, kRet = 0x8067, kSret = 0x10200073;
constexpr uint64_t kKernel = uint64_t{0xffffffff} << 32;
constexpr uint64_t kEntry = kKernel + 0x100, kWait = kKernel + 0x200, kSwitch = kKernel + 0x300,
                   kWake = kKernel + 0x400, kStart = kKernel + 0x500, kModule = kKernel + 0x10000;
constexpr uint64_t kMain = 0x1000, kWork = 0x1100, kHandler = 0x1200, kStripped = 0x2000;
constexpr uint64_t kGetpid = 172, kExec = 221, kLoadModule = 273;

class FakeOs final : public GuestOs {
 public:
  explicit FakeOs(SymbolTable &symbols) : symbols_(symbols) {}

  std::optional<GuestTask> in_kernel() const override { return running; }
  std::optional<GuestTask> in_user() const override { return running; }
  std::optional<NewTask> woken() const override { return made; }
  uint64_t system_call() const override { return number; }
  std::string system_call_name(uint64_t call) const override {
    static const std::map<uint64_t, std::string> names{
        {kGetpid, "getpid"}, {kExec, "execve"}, {kLoadModule, "finit_module"}};
    const auto found = names.find(call);
    return found == names.end() ? "" : found->second;
  }
  CodeRange find(uint64_t, uint64_t pc) override {
    const uint64_t low = pc / 0x100 * 0x100;
    if (pc >= kStripped) return {kStripped, kStripped + 0x1000, symbols_.intern("[stripped]")};
    const char *name = low == kMain ? "main" : low == kWork ? "work" : "on_signal";
    return {low, low + 0x100, symbols_.intern(name)};
  }
  CodeRange find_in_modules(uint64_t pc, const CodeRange &gap) override {
    if (pc >= kModule + 0x100) return {kModule + 0x100, gap.high, gap.function};
    return {kModule, kModule + 0x100, symbols_.intern("in_module")};
  }
  void forget_map(uint64_t space) override { forgotten.push_back(space); }
  void forget_modules() override { ++modules_forgotten; }
  std::optional<PlaceRange> place(uint64_t, uint64_t, uint32_t) override { return std::nullopt; }
  uint64_t map_changes() const override { return 0; }

  GuestTask running{1, 10, "sh-1"};
  std::optional<NewTask> made;
  uint64_t number = kGetpid;
  std::vector<uint64_t> forgotten;
  uint32_t modules_forgotten = 0;

 private:
  SymbolTable &symbols_;
};

class TaskStacksTest : public testing::Test {
 protected:
  TaskStacksTest() : os(symbols), stacks(prepare(), "hart0") {
    stacks.ask(os, tasks);
    stacks.begin(0);
  }
  SymbolTable &prepare() {
    symbols.add(kEntry, kEntry + 0x100, "handle_exception");
    symbols.add(kWait, kWait + 0x100, "wait");
    symbols.add(kSwitch, kSwitch + 0x100, "__switch_to");
    symbols.add(kWake, kWake + 0x100, "wake_up_new_task");
    symbols.add(kStart, kStart + 0x100, "ret_from_fork");
    return symbols;
  }
  void commit(uint64_t pc, uint32_t instruction = kNop) {
    Commit item;
    item.cycle = ++now;
    item.pc = pc;
    item.instruction = instruction;
    item.privilege = pc < kKernel ? 0 : 1;
    stacks.add(item);
  }
  void system_call(uint64_t pc) {
    Commit item;
    item.cycle = ++now;
    item.pc = pc;
    item.cause = 8;
    item.trap = true;
    item.privilege = 0;
    stacks.add(item);
    commit(kEntry);
  }
  // The kernel waits in a system call, and another task goes on at `to`.
  void switch_to(const GuestTask &task, uint64_t to) {
    commit(kEntry + 4, kCall);
    commit(kWait, kCall);
    commit(kSwitch, kRet);
    os.running = task;
    commit(to);
  }
  void back_to(uint64_t pc) {
    commit(kEntry + 0x80, kSret);
    commit(pc);
  }
  // Is in work, called by main.
  void run_work() {
    commit(kMain, kCall);
    commit(kWork);
  }
  using Names = std::vector<std::string>;

  SymbolTable symbols;
  FakeOs os;
  TaskStacks tasks;
  CallStacks stacks;
  uint64_t now = 0;
};

TEST_F(TaskStacksTest, ProgramsHaveFunctionsAndSystemCallsNames) {
  run_work();
  EXPECT_EQ(stacks.current(), (Names{"hart0", "sh-1", "main", "work"}));
  system_call(kWork + 4);
  EXPECT_EQ(stacks.current(),
            (Names{"hart0", "sh-1", "main", "work", "[system call: getpid]", "handle_exception"}));
  back_to(kWork + 8);
  EXPECT_EQ(stacks.current(), (Names{"hart0", "sh-1", "main", "work"}));
  commit(kWork + 12, kRet);
  commit(kMain + 4);
  EXPECT_EQ(stacks.current(), (Names{"hart0", "sh-1", "main"}));
}

TEST_F(TaskStacksTest, TheKernelsCodeThatNoFileNamesIsLookedUpInModules) {
  run_work();
  os.number = kLoadModule;
  system_call(kWork + 4);
  EXPECT_EQ(os.modules_forgotten, 1u);
  commit(kEntry + 4, kCall);
  commit(kModule);
  EXPECT_EQ(stacks.current(), (Names{"hart0", "sh-1", "main", "work", "[system call: finit_module]",
                                     "handle_exception", "in_module"}));
  commit(kModule + 4, kCall);
  commit(kWait);
  EXPECT_EQ(stacks.current().back(), "wait");
  commit(kWait + 4, kRet);
  commit(kModule + 8, kCall);
  commit(kModule + 0x400);  // nobody's
  EXPECT_EQ(stacks.current().back(), "[unknown]");
  commit(kModule + 0x404, kRet);
  commit(kModule + 12, kRet);
  commit(kEntry + 8);
  EXPECT_EQ(stacks.current().back(), "handle_exception");
}

TEST_F(TaskStacksTest, TasksGoOnWhereTheyLeft) {
  run_work();
  system_call(kWork + 4);
  switch_to({2, 20, "cat-2"}, kStart);
  EXPECT_EQ(stacks.current(), (Names{"hart0", "cat-2", "ret_from_fork"}));
  back_to(kMain + 0x20);
  EXPECT_EQ(stacks.current(), (Names{"hart0", "cat-2", "main"}));
  system_call(kMain + 0x20);
  switch_to({1, 10, "sh-1"}, kWait + 4);
  EXPECT_EQ(stacks.current(), (Names{"hart0", "sh-1", "main", "work", "[system call: getpid]",
                                     "handle_exception", "wait"}));
  commit(kWait + 8, kRet);
  commit(kEntry + 8);
  back_to(kWork + 8);
  EXPECT_EQ(stacks.current(), (Names{"hart0", "sh-1", "main", "work"}));
}

TEST_F(TaskStacksTest, TheChildOfAForkReturnsAsItsParentDoes) {
  run_work();
  system_call(kWork + 4);
  os.made = NewTask{{3, 30, "sh-3"}, false};
  commit(kEntry + 4, kCall);
  commit(kWake, kRet);
  commit(kEntry + 8);
  switch_to({3, 30, "sh-3"}, kStart);
  back_to(kWork + 8);
  EXPECT_EQ(stacks.current(), (Names{"hart0", "sh-3", "main", "work"}));
  EXPECT_EQ(os.forgotten, std::vector<uint64_t>{30});
  commit(kWork + 12, kRet);
  commit(kMain + 4);
  EXPECT_EQ(stacks.current(), (Names{"hart0", "sh-3", "main"}));
}

TEST_F(TaskStacksTest, AThreadBeginsInTheFunctionThatMadeIt) {
  run_work();
  system_call(kWork + 4);
  os.made = NewTask{{4, 10, "sh-1/4"}, true};
  commit(kEntry + 4, kCall);
  commit(kWake, kRet);
  commit(kEntry + 8);
  switch_to({4, 10, "sh-1/4"}, kStart);
  back_to(kWork + 8);
  EXPECT_EQ(stacks.current(), (Names{"hart0", "sh-1/4", "work"}));
}

TEST_F(TaskStacksTest, ANewProgramBeginsAfresh) {
  run_work();
  os.number = kExec;
  system_call(kWork + 4);
  os.running = {1, 11, "cat-1"};
  back_to(kMain);
  EXPECT_EQ(stacks.current(), (Names{"hart0", "cat-1", "main"}));
  EXPECT_EQ(os.forgotten.back(), 11u);
}

TEST_F(TaskStacksTest, SignalsReturnToWhereTheyCame) {
  run_work();
  system_call(kWork + 4);
  back_to(kHandler);
  EXPECT_EQ(stacks.current(), (Names{"hart0", "sh-1", "main", "work", "[signal]", "on_signal"}));
  system_call(kHandler + 8);  // the handler's end
  back_to(kWork + 8);
  EXPECT_EQ(stacks.current(), (Names{"hart0", "sh-1", "main", "work"}));
}

TEST_F(TaskStacksTest, AFileWithoutSymbolsIsOneFrame) {
  run_work();
  commit(kWork + 4, kCall);
  commit(kStripped, kCall);
  commit(kStripped + 0x100, kCall);
  commit(kStripped + 0x200);
  std::ostringstream text;
  stacks.tree().write_folded(text);
  EXPECT_NE(text.str().find("hart0;sh-1;main;work;[stripped] 3\n"), std::string::npos);
  for (const uint64_t pc : {kStripped + 0x204, kStripped + 0x104, kStripped + 4}) commit(pc, kRet);
  commit(kWork + 8);
  EXPECT_EQ(stacks.current(), (Names{"hart0", "sh-1", "main", "work"}));
}

TEST_F(TaskStacksTest, SnapshotsKeepTasks) {
  run_work();
  system_call(kWork + 4);
  switch_to({2, 20, "cat-2"}, kStart);
  StateWriter writer;
  stacks.save(writer);
  CallStacks other(symbols, "hart0");
  TaskStacks others;
  other.ask(os, others);
  StateReader reader("test", writer);
  other.load(reader);
  reader.finish();
  EXPECT_EQ(other.current(), stacks.current());
  EXPECT_EQ(others.tasks.at(1).frames.size(), tasks.tasks.at(1).frames.size());
  CallStacks alone(symbols, "hart0");
  StateReader again("test", writer);
  EXPECT_THROW(alone.load(again), std::exception);
}

}  // namespace
}  // namespace firesim::traces
