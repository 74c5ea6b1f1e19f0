// SPDX-License-Identifier: BSD-3-Clause
// Call stacks where the operating system says which task runs; see call_stacks.h.
//
// A new task begins with its maker's frames up to the system call that made it, which both return
// from. A signal is a frame that stays until its handler's return goes on where it came.
#include <fmt/format.h>

#include <algorithm>

#include "traces/call_stacks.h"

namespace firesim::traces {
namespace {

constexpr uint8_t kUser = 0, kSupervisor = 1;

// A system call goes on behind its ecall.
bool goes_on_at(const StackFrame &frame, uint64_t pc) {
  return pc - frame.return_address <= kLongestInstruction;
}

}  // namespace

void CallStacks::arrive_in_task(Transfer transfer, uint64_t pc, uint8_t privilege) {
  if (privilege != privilege_) range_ = {};  // programs may have the firmware's addresses
  privilege_ = privilege;
  if (privilege == kUser) return arrive_in_user(transfer, pc);
  if (!range_.contains(pc)) range_ = find_in_kernel(pc, privilege);
  const uint32_t function = range_.function;
  const bool switched = transfer == Transfer::kReturn && frames_.back().function == switch_;
  if (switched || (!is_sure_ && privilege == kSupervisor && function != entry_)) {
    if (const auto task = os_->in_kernel()) go_on_in(*task);
  }
  if (transfer == Transfer::kCall && function == wake_) {
    if (const auto made = os_->woken()) make_task(*made);
  }
  move(transfer, pc, function);
}

CodeRange CallStacks::find_in_kernel(uint64_t pc, uint8_t privilege) {
  const CodeRange known = symbols_.find(pc);
  if (privilege != kSupervisor || known.function != SymbolTable::kUnknown) return known;
  return os_->find_in_modules(pc, known);
}

void CallStacks::arrive_in_user(Transfer transfer, uint64_t pc) {
  const bool returns = transfer == Transfer::kTrapReturn;
  bool is_signal = false;
  if (returns || !is_sure_) {
    const auto task = os_->in_user();
    if (task) go_on_in(*task);
    const bool is_new_program = task && task->space != running_.space;
    if (is_new_program) {
      running_.space = task->space;
      os_->forget_map(task->space);
      frames_.resize(base_);
      top_ = frames_.back().node;
    } else if (returns) {
      is_signal = go_back_to_user(pc);
    }
    if (bool &remaps = tasks_->of(running_.id).remaps) {
      os_->forget_map(running_.space);
      remaps = false;
      range_ = {};
    }
  }
  if (running_.space == 0) {
    if (!range_.contains(pc)) range_ = symbols_.find(pc);
    return settle(program_, true);
  }
  if (!range_.contains(pc)) range_ = os_->find(running_.space, pc);
  // Behind a trap the stack is that before it.
  if (returns) return settle(range_.function, !is_signal);
  move(transfer, pc, range_.function);
}

void CallStacks::go_on_in(const GuestTask &task) {
  is_sure_ = true;
  const bool is_other = task.id != running_.id;
  if (!is_other && task.name == running_.name) return;
  if (is_other) {
    uint64_t space = task.space;
    FrameStack frames(frames_.begin() + static_cast<std::ptrdiff_t>(base_), frames_.end());
    if (running_.id != 0) {  // else what has run so far is this one
      TaskStacks::Record &left = tasks_->of(running_.id);
      left.task = running_;
      left.frames = std::move(frames);
      TaskStacks::Record &next = tasks_->of(task.id);
      // A new program is only seen where the task returns to it.
      if (next.task.id != 0) space = next.task.space;
      frames = std::move(next.frames);
      next.frames.clear();
    }
    frames_.resize(1);
    base_ = 1;
    frames_.insert(frames_.end(), frames.begin(), frames.end());
    running_ = {task.id, space, ""};
    tasks_->of(task.id).task = running_;
    depth_beyond_ = 0;
  }
  running_.name = task.name;
  put_in_task();
}

// Puts the frame with the task's name below all others, and finds the nodes of all.
void CallStacks::put_in_task() {
  const StackFrame own{0, 0, symbols_.intern(running_.name), false, true};
  if (base_ == 1) {
    frames_.insert(frames_.begin() + 1, own);
  } else {
    frames_[1] = own;
  }
  base_ = 2;
  for (size_t i = 1; i < frames_.size(); ++i) {
    frames_[i].node = above(frames_[i - 1], frames_[i].function);
  }
  top_ = frames_.back().node;
}

// Removes the trap that the kernel returns from; true when it returns to a signal's handler.
bool CallStacks::go_back_to_user(uint64_t pc) {
  const size_t end = devices::up_to_trap(frames_, base_);
  depth_beyond_ = 0;
  if (end == base_) {  // nothing is known of where it came from
    frames_.resize(base_);
    top_ = frames_.back().node;
    return false;
  }
  const StackFrame trap = frames_[end - 1];
  frames_.resize(end - 1);
  top_ = frames_.back().node;
  if (goes_on_at(trap, pc)) return false;
  for (size_t i = frames_.size(); i > base_; --i) {
    if (!frames_[i - 1].stays || !goes_on_at(frames_[i - 1], pc)) continue;
    frames_.resize(i - 1);
    top_ = frames_.back().node;
    return false;
  }
  push(symbols_.intern("[signal]"), trap.return_address, false);
  frames_.back().stays = true;
  return true;
}

void CallStacks::make_task(const NewTask &made) {
  TaskStacks::Record &record = tasks_->of(made.task.id);
  record = {made.task, {}, false};
  if (made.task.space != running_.space) os_->forget_map(made.task.space);
  if (made.task.space == 0) return;
  const auto first = frames_.begin() + static_cast<std::ptrdiff_t>(base_);
  const auto trap = std::find_if(first, frames_.end(), [](auto &each) { return each.trap; });
  if (trap == frames_.end()) return;
  // Of a thread only the function that makes the call: it goes on there, on its own stack.
  const auto from = made.has_own_stack && trap != first ? trap - 1 : first;
  record.frames.assign(from, trap + 1);
  record.frames.front().place = 0;  // on the other stack nothing has called it
}

void CallStacks::begin_system_call(std::string &name) {
  const std::string called = os_->system_call_name(os_->system_call());
  if (called.empty()) return;
  name = fmt::format("[system call: {}]", called);
  if (GuestOs::changes_modules(called)) os_->forget_modules();
  if (running_.id == 0 || !GuestOs::changes_map(called)) return;
  tasks_->of(running_.id).remaps = true;
  os_->forget_map(running_.space);
}

}  // namespace firesim::traces
