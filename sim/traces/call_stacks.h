// SPDX-License-Identifier: BSD-3-Clause
// Builds call stacks from committed instructions, on the fly, and adds up the cycles spent in each.
//
// Calls and returns are recognised by the link registers (ra and t0), as the RISC-V manual
// recommends to hardware; a jump into another function without linking is a tail call; a trap
// pushes a frame that mret or sret removes. When a return does not fit, the stack is cut back to
// the nearest frame that does. A return from Linux's __switch_to goes on in another task's stack:
// which one is told by an operating system that can be asked, or else from where returns lead.
// Programs in user mode are then asked for, too, or else one frame. Each commit is charged the
// cycles since the one before it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/state.h"
#include "devices/call_path.h"
#include "traces/commit.h"
#include "traces/finer_stacks.h"
#include "traces/guest_os.h"
#include "traces/parked_stacks.h"
#include "traces/stack_tree.h"
#include "traces/symbols.h"

namespace firesim::traces {

class CallStacks final : private PlaceSource {
 public:
  // `symbols` outlives this. `root` is the bottom frame of every stack, "hart0".
  CallStacks(SymbolTable &symbols, const std::string &root);

  // Tells tasks apart by what the node itself knows. Both outlive this.
  void ask(GuestOs &os, TaskStacks &tasks) {
    os_ = &os;
    tasks_ = &tasks;
  }
  // Charges the same cycles to finer stacks, too. `finer` outlives this; every commit must be
  // added.
  void refine(FinerStacks &finer) { finer_ = &finer; }
  // `since` is the cycle of the commit before, or the one before the trace began to flow.
  void begin(uint64_t since) {
    last_cycle_ = since;
    is_sure_ = false;
  }
  // Cycles up to `cycle` and with it are charged to nobody any more; calls are followed all along.
  void skip_to(uint64_t cycle) { last_cycle_ = cycle; }
  // Charges what is left up to `cycle` and with it to the stack as it is, or takes back what the
  // last commit was charged beyond it.
  void charge_to(uint64_t cycle);
  // The stack is as it was elsewhere; its top function is told by the next commit.
  void go_on_within(const std::vector<devices::CallFrame> &path);
  // Returns the stack that is charged, a node.
  uint32_t add(const Commit &commit) {
    const uint64_t spent = commit.cycle - last_cycle_;
    last_cycle_ = commit.cycle;
    go_to(commit.pc, commit.privilege);
    const uint32_t charged = top_;
    tree_.charge(charged, spent);
    if (spent != 0) last_charged_ = charged;
    if (finer_ != nullptr) charge_finer(commit.pc, spent);
    if (commit.trap) {
      enter_trap(commit);
    } else {
      transfer_ = devices::transfer_of(commit.instruction);
      if (transfer_ != Transfer::kNone) after_ = commit.pc + commit.length();
    }
    return charged;
  }
  // What `add` does first: the next instruction is at `pc`.
  void go_to(uint64_t pc, uint8_t privilege) {
    if (transfer_ != Transfer::kNone || !range_.contains(pc)) arrive(pc, privilege);
  }
  // Commits there leave the stack as it is, but for those that transfer.
  CodeRange quiet() const { return transfer_ == Transfer::kNone ? range_ : CodeRange{}; }
  // The cycle of the last commit.
  uint64_t last_cycle() const { return last_cycle_; }

  // All stacks seen.
  const StackTree &tree() const { return tree_; }
  const std::string &function_name(uint32_t node) const {
    return symbols_.name(tree_.function(node));
  }

  // All stacks seen with their cycles, and the present one; functions by name.
  void save(StateWriter &state) const;
  void load(StateReader &state);

  uint32_t top() const { return top_; }

  // Frames on the stack, outermost first; for tests.
  std::vector<std::string> current() const;

 private:
  using Transfer = devices::Transfer;
  static constexpr uint32_t kMostFrames = 1024;
  static constexpr uint32_t kMostNodes = 1 << 20;

  void arrive(uint64_t pc, uint8_t privilege);
  void arrive_in_program(Transfer transfer, uint64_t pc);
  void move(Transfer transfer, uint64_t pc, uint32_t function);
  // With an operating system (call_stacks_tasks.cc).
  void arrive_in_task(Transfer transfer, uint64_t pc, uint8_t privilege);
  CodeRange find_in_kernel(uint64_t pc, uint8_t privilege);
  void arrive_in_user(Transfer transfer, uint64_t pc);
  void go_on_in(const GuestTask &task);
  void put_in_task();
  bool go_back_to_user(uint64_t pc);
  void make_task(const NewTask &made);
  void begin_system_call(std::string &name);
  void leave_trap(uint64_t pc);
  void enter_trap(const Commit &commit);
  void push(uint32_t function, uint64_t return_address, bool trap);
  void pop_return(uint64_t pc);
  void pop_trap();
  // Makes the top frame one of `function`, cutting back to it if it is already there.
  void settle(uint32_t function, bool cut);
  void retarget(uint32_t function);
  void charge_finer(uint64_t pc, uint64_t cycles);
  std::optional<PlaceRange> place(uint64_t pc, uint32_t function) override;
  uint64_t changes() const override { return os_ == nullptr ? 0 : os_->map_changes(); }
  uint32_t above(const StackFrame &below, uint32_t function);
  void load_parked(StateReader &state, const SavedFrames &saved);
  void load_tasks(StateReader &state, const SavedFrames &saved);

  SymbolTable &symbols_;
  StackTree tree_;
  FinerStacks *finer_ = nullptr;  // null when none are asked for
  bool has_moved_ = true;         // whether frames may be others than when they were refined
  FrameStack frames_;             // frames_[0] is the root, then the task
  ParkedStacks parked_;
  uint32_t program_, switch_;  // the frame of programs; the function that switches tasks
  uint32_t wake_, entry_;      // that wakes new ones; where traps enter the kernel
  GuestOs *os_ = nullptr;      // null when there is none to be asked
  TaskStacks *tasks_ = nullptr;
  GuestTask running_;          // its id is 0 as long as it is not known
  bool is_sure_ = false;       // whether it is known since the trace began to flow
  size_t base_ = 1;            // frames that stay at the bottom
  uint8_t privilege_ = 3;      // of the last arrival
  uint32_t depth_beyond_ = 0;  // calls not pushed, the stack being full
  uint32_t top_ = 0;           // node that is charged
  uint32_t last_charged_ = 0;  // node that the last cycles were charged to
  CodeRange range_;            // of the top frame's function
  Transfer transfer_ = Transfer::kNone;
  uint64_t after_ = 0;  // address behind the instruction that transfers
  uint64_t last_cycle_ = 0;
};

}  // namespace firesim::traces
