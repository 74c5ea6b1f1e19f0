// SPDX-License-Identifier: BSD-3-Clause
// Call stacks once more, in frames that tell more: functions that were inlined, files and lines.
// The same cycles as in the plain stacks; without what the frames tell more they are these.
//
// Frames of functions that wait for others are at the places from where they called. That is looked
// up when they call, and stays with the frame of what was called, whichever task goes on meanwhile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/state.h"
#include "traces/code_places.h"
#include "traces/parked_stacks.h"
#include "traces/stack_tree.h"

namespace firesim::traces {

// Whom finer stacks ask.
class PlaceSource {
 public:
  virtual ~PlaceSource() = default;
  // What is known of a place in `function`; nothing if it is in another one.
  virtual std::optional<PlaceRange> place(uint64_t pc, uint32_t function) = 0;
  // Grows with each change of what place() says.
  virtual uint64_t changes() const = 0;
};

class FinerStacks {
 public:
  // `symbols` gets the names of frames, and outlives this. `root` is the bottom frame.
  FinerStacks(SymbolTable &symbols, const std::string &root);

  // The plain frames are these now; they get their places.
  void follow(FrameStack &frames, PlaceSource &source);
  // The top function was at `pc` for so many cycles.
  void charge(uint64_t pc, PlaceSource &source, uint64_t cycles) {
    if (cycles == 0) return;
    if (pc < here_low_ || pc >= here_high_) settle(pc, source);
    tree_.charge(here_, cycles);
    last_charged_ = here_;
  }
  // So was the top function, wherever in it that was.
  void charge_top(FrameStack &frames, PlaceSource &source, uint64_t cycles);
  // From what was charged last.
  void take_back(uint64_t cycles) { tree_.take_back(last_charged_, cycles); }

  const StackTree &tree() const { return tree_; }
  // A section of its own. What was saved without is as fine as the plain stacks, `plain`.
  static constexpr const char *kSection = "finer_stacks";
  void save(StateWriter &state) const;
  void load(StateReader &state);
  void begin_with(const StackTree &plain) { tree_.take_nodes(plain); }

 private:
  static constexpr size_t kMostNodes = 1 << 22;
  static constexpr size_t kFound = 4096;

  // A plain frame, and the node of what is below it.
  struct Level {
    StackFrame frame;
    uint32_t below;
  };
  // What was found last, by address.
  struct Found {
    uint64_t pc = 1;
    uint64_t changes = 0;
    uint32_t function = 0;
    uint64_t low = 0, high = 0;
    uint32_t place = 0;
  };

  void settle(uint64_t pc, PlaceSource &source);
  const Found &place_at(uint64_t pc, uint32_t function, PlaceSource &source);
  // The stack with the function of `level` at a place.
  uint32_t node_at(const Level &level, uint32_t place);

  SymbolTable &symbols_;
  StackTree tree_;
  std::vector<Level> levels_;
  std::unordered_map<uint64_t, std::vector<uint32_t>> names_;  // function << 32 | place -> frames
  std::vector<Found> found_ = std::vector<Found>(kFound);
  uint64_t here_low_ = 0, here_high_ = 0;  // where `here_` is the stack
  uint32_t here_ = 0;
  uint32_t last_charged_ = 0;
};

}  // namespace firesim::traces
