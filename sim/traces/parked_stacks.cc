// SPDX-License-Identifier: BSD-3-Clause
// Stacks across task switches; see parked_stacks.h.
#include "traces/parked_stacks.h"

#include <utility>

#include "traces/commit.h"

namespace firesim::traces {
namespace {

// Index of the latest trap, or the size of the stack without one.
size_t trap_of(const FrameStack &frames) {
  for (size_t i = frames.size(); i > 0; --i) {
    if (frames[i - 1].trap) return i - 1;
  }
  return frames.size();
}

// A system call goes on behind its ecall.
bool goes_on_at(const FrameStack &frames, size_t trap, uint64_t pc) {
  return trap < frames.size() && pc - frames[trap].return_address <= kLongestInstruction;
}

}  // namespace

void ParkedStacks::leave(const FrameStack &frames) {
  // Still open: all returns fitted the task that was left before, so either stands for the other.
  if (inherited_ != 0) parked_.pop_back();
  if (parked_.size() == kMostParked) parked_.erase(parked_.begin());
  parked_.push_back(frames);
  inherited_ = depth_ = frames.size();
}

void ParkedStacks::resume(FrameStack &frames, size_t parked, size_t size) {
  frames = std::move(parked_[parked]);
  frames.resize(size);
  parked_.erase(parked_.begin() + static_cast<std::ptrdiff_t>(parked));
  inherited_ = 0;
}

void ParkedStacks::start_afresh(FrameStack &frames) {
  frames.resize(1);
  inherited_ = 0;
}

void ParkedStacks::before_return(FrameStack &frames, uint64_t pc) {
  if (inherited_ == 0 || frames.size() > inherited_ || frames.size() < 2) return;
  const StackFrame &top = frames.back();
  if (!top.trap && top.return_address == pc) return;
  const size_t above = depth_ - frames.size();
  for (size_t i = parked_.size(); i > 0; --i) {
    const FrameStack &stack = parked_[i - 1];
    if (stack.size() < above + 2) continue;
    const StackFrame &frame = stack[stack.size() - 1 - above];
    if (!frame.trap && frame.return_address == pc) {
      return resume(frames, i - 1, stack.size() - above);
    }
  }
  if (above == 0) start_afresh(frames);
}

void ParkedStacks::before_trap_return(FrameStack &frames, uint64_t pc) {
  if (inherited_ == 0) return;
  const size_t trap = trap_of(frames);
  const bool own = trap < frames.size() && trap >= inherited_;
  if (own || goes_on_at(frames, trap, pc)) return;
  for (size_t i = parked_.size(); i > 0; --i) {
    const size_t other = trap_of(parked_[i - 1]);
    if (goes_on_at(parked_[i - 1], other, pc)) return resume(frames, i - 1, other + 1);
  }
  start_afresh(frames);
}

void ParkedStacks::restore(std::vector<FrameStack> stacks, size_t inherited, size_t depth) {
  parked_ = std::move(stacks);
  inherited_ = inherited;
  depth_ = depth;
}

}  // namespace firesim::traces
