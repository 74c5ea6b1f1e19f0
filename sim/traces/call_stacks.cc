// SPDX-License-Identifier: BSD-3-Clause
// Call stack building; see call_stacks.h.
#include "traces/call_stacks.h"

#include <fmt/format.h>

#include <algorithm>

namespace firesim::traces {
namespace {

constexpr uint64_t kSystemCall = 8;  // cause of the trap

std::string trap_name(bool interrupt, uint64_t cause) {
  return fmt::format("[{} {}]", interrupt ? "interrupt" : "exception", cause);
}

}  // namespace

CallStacks::CallStacks(SymbolTable &symbols, const std::string &root)
    : symbols_(symbols),
      tree_(symbols, symbols.intern(root), kMostNodes),
      program_(symbols.intern("[user]")),
      switch_(symbols.intern("__switch_to")),
      wake_(symbols.intern("wake_up_new_task")),
      entry_(symbols.intern("handle_exception")) {
  frames_.reserve(kMostFrames);
  frames_.push_back({0, 0, tree_.function(0), false});
}

uint32_t CallStacks::above(const StackFrame &below, uint32_t function) {
  // Calls within a file without symbols look alike.
  const bool same =
      os_ != nullptr && below.function == function && symbols_.name(function).starts_with('[');
  return same ? below.node : tree_.child(below.node, function);
}

void CallStacks::push(uint32_t function, uint64_t return_address, bool trap) {
  if (frames_.size() >= kMostFrames) {
    ++depth_beyond_;
    return;
  }
  top_ = above(frames_.back(), function);
  frames_.push_back({return_address, top_, function, trap});
}

void CallStacks::retarget(uint32_t function) {
  StackFrame &frame = frames_.back();
  if (frame.function == function) return;
  if (frames_.size() == 1 || frame.trap || frame.stays) {  // the root and traps stay
    push(function, 0, false);
    return;
  }
  frame.function = function;
  frame.node = above(frames_[frames_.size() - 2], function);
  top_ = frame.node;
}

void CallStacks::settle(uint32_t function, bool cut) {
  for (size_t i = frames_.size(), least = devices::search_end(i, base_); cut && i > least; --i) {
    if (frames_[i - 1].trap) break;  // what was interrupted is not resumed by a return
    if (frames_[i - 1].function != function || frames_[i - 1].stays) continue;
    frames_.resize(i);
    top_ = frames_.back().node;
    return;
  }
  retarget(function);
}

void CallStacks::pop_return(uint64_t pc) {
  if (depth_beyond_ != 0) {
    --depth_beyond_;
    return;
  }
  const size_t left = devices::left_by_return(frames_, pc, base_);
  if (left == frames_.size()) return;
  frames_.resize(left);
  top_ = frames_.back().node;
}

void CallStacks::pop_trap() {
  depth_beyond_ = 0;
  // Without a trap on the stack this is the way down to a lower privilege: nothing comes back.
  frames_.resize(std::max(devices::up_to_trap(frames_, base_) - 1, base_));
  top_ = frames_.back().node;
}

void CallStacks::leave_trap(uint64_t pc) {
  if (os_ == nullptr) parked_.before_trap_return(frames_, pc);
  pop_trap();
  parked_.after_return(frames_.size());
}

void CallStacks::arrive_in_program(Transfer transfer, uint64_t pc) {
  if (transfer == Transfer::kTrapReturn) leave_trap(pc);
  settle(program_, true);
}

void CallStacks::arrive(uint64_t pc, uint8_t privilege) {
  has_moved_ = true;
  const Transfer transfer = transfer_;
  transfer_ = Transfer::kNone;
  if (os_ != nullptr) return arrive_in_task(transfer, pc, privilege);
  if (!range_.contains(pc)) range_ = symbols_.find(pc);
  const bool is_program = privilege == 0 && range_.function == SymbolTable::kUnknown;
  return is_program ? arrive_in_program(transfer, pc) : move(transfer, pc, range_.function);
}

void CallStacks::move(Transfer transfer, uint64_t pc, uint32_t function) {
  switch (transfer) {
    case Transfer::kCall:
      return push(function, after_, false);
    case Transfer::kTrapEntry:
      return push(function, 0, false);
    case Transfer::kReturnAndCall:
      pop_return(pc);
      return push(function, after_, false);
    case Transfer::kReturn:
      if (os_ == nullptr) {
        if (frames_.back().function == switch_) parked_.leave(frames_);
        parked_.before_return(frames_, pc);
        top_ = frames_.back().node;
      }
      pop_return(pc);
      parked_.after_return(frames_.size());
      return settle(function, true);
    case Transfer::kTrapReturn:
      leave_trap(pc);
      return settle(function, true);
    case Transfer::kNone:
      return settle(function, false);
  }
}

void CallStacks::go_on_within(const std::vector<devices::CallFrame> &path) {
  has_moved_ = true;
  for (size_t i = 0; i < path.size() && frames_.size() < kMostFrames; ++i) {
    uint32_t function = SymbolTable::kUnknown;
    if (path[i].trap) {
      function = symbols_.intern(trap_name(path[i].interrupt, path[i].cause));
    } else if (i + 1 < path.size()) {  // within the call, which may be the last of its function
      const devices::CallFrame &above = path[i + 1];
      function = symbols_.find(above.return_address - (above.trap ? 0 : 2)).function;
    }
    top_ = tree_.child(frames_.back().node, function);
    frames_.push_back({path[i].return_address, top_, function, path[i].trap});
  }
}

void CallStacks::charge_to(uint64_t cycle) {
  if (cycle < last_cycle_) {
    tree_.take_back(last_charged_, last_cycle_ - cycle);
    if (finer_ != nullptr) finer_->take_back(last_cycle_ - cycle);
  } else {
    tree_.charge(top_, cycle - last_cycle_);
    if (finer_ != nullptr) finer_->charge_top(frames_, *this, cycle - last_cycle_);
  }
  last_cycle_ = cycle;
}

void CallStacks::charge_finer(uint64_t pc, uint64_t cycles) {
  if (has_moved_) finer_->follow(frames_, *this);
  has_moved_ = false;
  finer_->charge(pc, *this, cycles);
}

std::optional<PlaceRange> CallStacks::place(uint64_t pc, uint32_t function) {
  if (os_ != nullptr) {
    if (const auto found = os_->place(running_.space, pc, function)) return found;
  }
  return symbols_.find(pc).function == function ? symbols_.place(pc) : std::nullopt;
}

void CallStacks::enter_trap(const Commit &commit) {
  depth_beyond_ = 0;
  std::string name = trap_name(commit.interrupt, commit.cause);
  if (os_ != nullptr && !commit.interrupt && commit.cause == kSystemCall) begin_system_call(name);
  push(symbols_.intern(name), commit.pc, true);
  has_moved_ = true;
  transfer_ = Transfer::kTrapEntry;
}

}  // namespace firesim::traces
