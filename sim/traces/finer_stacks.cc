// SPDX-License-Identifier: BSD-3-Clause
// Stacks in more detail; see finer_stacks.h.
#include "traces/finer_stacks.h"

#include <algorithm>

namespace firesim::traces {
namespace {

bool is_same(const StackFrame &a, const StackFrame &b) {
  return a.node == b.node && a.return_address == b.return_address && a.function == b.function &&
         a.trap == b.trap;
}

}  // namespace

FinerStacks::FinerStacks(SymbolTable &symbols, const std::string &root)
    : symbols_(symbols), tree_(symbols, symbols.intern(root), kMostNodes) {}

void FinerStacks::follow(FrameStack &frames, PlaceSource &source) {
  here_low_ = here_high_ = 0;
  const size_t most = std::min(levels_.size(), frames.size());
  size_t same = 0;
  for (; same < most && is_same(levels_[same].frame, frames[same]); ++same) {
    frames[same].place = levels_[same].frame.place;
  }
  levels_.resize(same);
  for (; same < frames.size(); ++same) {
    StackFrame &frame = frames[same];
    uint32_t below = 0;
    if (same > 0) {
      const Level &under = levels_.back();
      // A return leads behind the call; a trap to where it came.
      const uint64_t pc = frame.return_address - (frame.trap ? 0 : 1);
      if (frame.place == 0) frame.place = place_at(pc, under.frame.function, source).place;
      // Calls that the plain stacks do not tell apart are not told apart here.
      const bool is_one = frame.node == under.frame.node;
      below = is_one ? under.below : node_at(under, frame.place);
    }
    levels_.push_back({frame, below});
  }
}

// Places are numbered as names are, by " (main.c:12);copy_[i]": snapshots have them by these.
const FinerStacks::Found &FinerStacks::place_at(uint64_t pc, uint32_t function,
                                                PlaceSource &source) {
  const uint64_t changes = source.changes();
  Found &found = found_[pc / 2 % kFound];
  if (found.pc == pc && found.changes == changes && found.function == function) return found;
  found = {pc, changes, function, pc, pc + 1, 0};
  std::string text;
  if (const std::optional<PlaceRange> place = source.place(pc, function)) {
    found.low = place->low;
    found.high = place->high;
    text = place->line;
    for (const std::string &each : place->inlined) text += ';' + each;
  }
  found.place = symbols_.intern(text);
  return found;
}

uint32_t FinerStacks::node_at(const Level &level, uint32_t place) {
  if (level.frame.node == 0) return 0;  // the root
  const uint32_t function = level.frame.function;
  const auto [names, is_new] = names_.try_emplace(uint64_t{function} << 32 | place);
  if (is_new) {
    const std::string text = symbols_.name(place);  // names move when one is added
    size_t end = std::min(text.find(';'), text.size());
    const std::string line = text.substr(0, end);
    names->second.push_back(line.empty() ? function
                                         : symbols_.intern(symbols_.name(function) + line));
    while (end != text.size()) {
      const size_t begin = end + 1;
      end = std::min(text.find(';', begin), text.size());
      names->second.push_back(symbols_.intern(text.substr(begin, end - begin)));
    }
  }
  uint32_t node = level.below;
  for (const uint32_t each : names->second) node = tree_.child(node, each);
  return node;
}

void FinerStacks::settle(uint64_t pc, PlaceSource &source) {
  const Level &top = levels_.back();
  const Found &found = place_at(pc, top.frame.function, source);
  here_ = node_at(top, found.place);
  here_low_ = found.low;
  here_high_ = found.high;
}

void FinerStacks::charge_top(FrameStack &frames, PlaceSource &source, uint64_t cycles) {
  follow(frames, source);
  const Level &top = levels_.back();
  last_charged_ = node_at(top, symbols_.intern(""));
  tree_.charge(last_charged_, cycles);
}

void FinerStacks::save(StateWriter &state) const {
  FunctionNumbers functions(symbols_);
  const std::vector<uint64_t> nodes = tree_.flat(functions);
  state.section(kSection, 1);
  functions.save(state);
  state.u64s(nodes);
}

void FinerStacks::load(StateReader &state) {
  state.section(kSection, 1);
  tree_.load(state, FunctionNumbers::load(state, symbols_));
  levels_.clear();
  here_low_ = here_high_ = 0;
}

}  // namespace firesim::traces
