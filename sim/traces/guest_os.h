// SPDX-License-Identifier: BSD-3-Clause
// What call stacks are told of the operating system on a node: which task a hart runs, and what
// lies where in a program's addresses. It is looked up in the node's registers and memory, from
// outside.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "traces/parked_stacks.h"
#include "traces/symbols.h"

namespace firesim::traces {

// A task as the operating system describes it now.
struct GuestTask {
  uint64_t id = 0;     // unique among those that live
  uint64_t space = 0;  // of addresses; 0 for a thread of the kernel
  std::string name;    // "sh-41", of a thread "sh-41/43"
  bool operator==(const GuestTask &) const = default;
};

// A task that was just made.
struct NewTask {
  GuestTask task;
  bool has_own_stack = false;  // a thread: it does not return to where its maker does
};

// Of one hart.
class GuestOs {
 public:
  virtual ~GuestOs() = default;

  // The task that runs, in the kernel or in user mode. Nothing when that cannot be told.
  virtual std::optional<GuestTask> in_kernel() const = 0;
  virtual std::optional<GuestTask> in_user() const = 0;
  // The argument of the kernel's function that wakes a new task, before its first instruction.
  virtual std::optional<NewTask> woken() const = 0;
  // The number of the system call that begins, and its name; empty for one without.
  virtual uint64_t system_call() const = 0;
  virtual std::string system_call_name(uint64_t number) const = 0;
  // Whether one with this name may change what lies where, in its process or in the kernel.
  static bool changes_map(const std::string &name);
  static bool changes_modules(const std::string &name);

  // The function at a place of a space.
  virtual CodeRange find(uint64_t space, uint64_t pc) = 0;
  // That at a place of the kernel in `gap`, which none of its files names: in a module, or else
  // what of the gap is outside all of them.
  virtual CodeRange find_in_modules(uint64_t pc, const CodeRange &gap) = 0;
  // What lies where may have changed.
  virtual void forget_map(uint64_t space) = 0;
  virtual void forget_modules() = 0;
  // What is known of a place in `function`, of a space or of a module; nothing if it is in another
  // one.
  virtual std::optional<PlaceRange> place(uint64_t space, uint64_t pc, uint32_t function) = 0;
  // Grows with each change of what all of these say.
  virtual uint64_t map_changes() const = 0;
};

// The stacks of the tasks that do not run, for all harts of a node: tasks move between them.
struct TaskStacks {
  static constexpr size_t kMostTasks = 4096;

  struct Record {
    GuestTask task;
    FrameStack frames;    // without the root and the task's own frame; their nodes are not valid
    bool remaps = false;  // it is in a system call that may change what lies where
  };
  std::map<uint64_t, Record> tasks;

  // The record of a task, made when there is none.
  Record &of(uint64_t id);
};

}  // namespace firesim::traces
