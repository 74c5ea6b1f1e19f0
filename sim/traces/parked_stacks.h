// SPDX-License-Identifier: BSD-3-Clause
// Call stacks of tasks that an operating system has switched away from, and which of them goes on.
//
// The trace does not say which task runs. It is told from where the returns after a switch lead: as
// long as they fit the stack that was left, that one serves (tasks mostly wait in the same
// functions); the first that does not fit it names the parked stack that goes on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace firesim::traces {

struct StackFrame {
  uint64_t return_address;  // for a trap: the place that was interrupted
  uint32_t node;
  uint32_t function;
  bool trap;
  // A frame that no return removes: of a task, and of a signal, which is below its handler.
  bool stays = false;
  uint32_t place = 0;  // where in the frame below it was called from, for finer stacks
};
using FrameStack = std::vector<StackFrame>;

class ParkedStacks {
 public:
  static constexpr size_t kMostParked = 256;

  // A task is left, with the switching function on top; what runs next is another.
  void leave(const FrameStack &frames);
  // Before a return to `pc`, or the return of a trap: puts the stack that goes on there in the
  // place of `frames` when it is a parked one. A task that was never parked starts with the root
  // alone.
  void before_return(FrameStack &frames, uint64_t pc);
  void before_trap_return(FrameStack &frames, uint64_t pc);
  // After either, with what is left of the stack: what comes on top of it is new.
  void after_return(size_t size) {
    if (size < inherited_) inherited_ = size;
  }

  // For snapshots.
  const std::vector<FrameStack> &stacks() const { return parked_; }
  size_t inherited() const { return inherited_; }
  size_t depth() const { return depth_; }
  void restore(std::vector<FrameStack> stacks, size_t inherited, size_t depth);

 private:
  void resume(FrameStack &frames, size_t parked, size_t size);
  void start_afresh(FrameStack &frames);

  std::vector<FrameStack> parked_;  // the latest last
  // While it is open which stack goes on: how many frames the one in use has of the task that was
  // left, and how many that had. 0 when it is known.
  size_t inherited_ = 0;
  size_t depth_ = 0;
};

}  // namespace firesim::traces
