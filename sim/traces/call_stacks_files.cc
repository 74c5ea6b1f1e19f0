// SPDX-License-Identifier: BSD-3-Clause
// Call stacks in files, and in snapshots; see call_stacks.h.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "traces/call_stacks.h"

namespace firesim::traces {

std::vector<std::string> CallStacks::current() const {
  std::vector<std::string> names;
  for (const StackFrame &frame : frames_) names.push_back(symbols_.name(frame.function));
  return names;
}

namespace {

constexpr uint64_t kTrapFrame = 1, kStaysFrame = 2;
constexpr uint32_t kFrameWords = 5,
                   kFormerFrameWords = 4;  // of a frame, before version 4 without a place

std::vector<uint64_t> flat(const FrameStack &stack, FunctionNumbers &functions) {
  std::vector<uint64_t> words;
  for (const StackFrame &frame : stack) {
    const uint64_t flags = (frame.trap ? kTrapFrame : 0) | (frame.stays ? kStaysFrame : 0);
    const uint64_t place = frame.place == 0 ? 0 : functions.of(frame.place) + 1;
    words.insert(words.end(),
                 {frame.return_address, frame.node, functions.of(frame.function), flags, place});
  }
  return words;
}

// `nodes` is how many there are; those of a task that does not run are not valid.
FrameStack stack_of(StateReader &state, const SavedFrames &saved, size_t nodes) {
  const std::vector<uint64_t> words = state.u64s(size_t{saved.most} * saved.words);
  const auto function = [&](uint64_t number) {
    return saved.functions[FunctionNumbers::known(state, number, saved.functions.size())];
  };
  if (words.size() % saved.words != 0) state.fail("found call stacks that are cut short");
  FrameStack stack;
  for (auto word = words.begin(); word != words.end(); word += saved.words) {
    const uint64_t place = saved.words == kFrameWords ? word[4] : 0;
    stack.push_back({word[0], nodes == 0 ? 0 : FunctionNumbers::known(state, word[1], nodes),
                     function(word[2]), (word[3] & kTrapFrame) != 0, (word[3] & kStaysFrame) != 0,
                     place == 0 ? 0 : function(place - 1)});
  }
  return stack;
}

void save_task(StateWriter &state, const GuestTask &task) {
  state.u64(task.id);
  state.u64(task.space);
  state.text(task.name);
}

GuestTask load_task(StateReader &state) {
  const uint64_t id = state.u64(), space = state.u64();
  return {id, space, state.text()};
}

}  // namespace

void CallStacks::save(StateWriter &state) const {
  FunctionNumbers functions(symbols_);
  const std::vector<uint64_t> nodes = tree_.flat(functions);
  const std::vector<uint64_t> frames = flat(frames_, functions);
  std::vector<std::vector<uint64_t>> parked;
  for (const FrameStack &stack : parked_.stacks()) parked.push_back(flat(stack, functions));
  std::vector<std::vector<uint64_t>> tasks;
  if (os_ != nullptr) {
    for (const auto &[id, record] : tasks_->tasks) tasks.push_back(flat(record.frames, functions));
  }
  const uint64_t range_function = functions.of(range_.function);
  state.section("call_stacks", 4);
  functions.save(state);
  state.u64s(nodes);
  state.u64s(frames);
  for (const uint64_t value :
       {uint64_t{depth_beyond_}, uint64_t{top_}, static_cast<uint64_t>(transfer_), after_,
        last_cycle_, range_.low, range_.high, range_function, uint64_t{parked_.inherited()},
        uint64_t{parked_.depth()}, uint64_t{parked.size()}}) {
    state.u64(value);
  }
  for (const std::vector<uint64_t> &stack : parked) state.u64s(stack);
  state.boolean(os_ != nullptr);
  if (os_ == nullptr) return;
  save_task(state, running_);
  for (const uint64_t value : {uint64_t{base_}, uint64_t{privilege_}, uint64_t{tasks.size()}}) {
    state.u64(value);
  }
  state.boolean(is_sure_);
  size_t at = 0;
  for (const auto &[id, record] : tasks_->tasks) {
    state.u64(id);
    save_task(state, record.task);
    state.boolean(record.remaps);
    state.u64s(tasks[at++]);
  }
}

void CallStacks::load(StateReader &state) {
  const uint32_t version = state.section("call_stacks", 4);
  const std::vector<uint32_t> functions = FunctionNumbers::load(state, symbols_);
  const SavedFrames saved{functions, version < 4 ? kFormerFrameWords : kFrameWords,
                          kMostFrames + 1};
  tree_.load(state, functions);
  has_moved_ = true;
  frames_ = stack_of(state, saved, tree_.size());
  if (frames_.empty()) state.fail("found call stacks that are cut short");
  depth_beyond_ = static_cast<uint32_t>(state.u64(UINT32_MAX));
  top_ = FunctionNumbers::known(state, state.u64(), tree_.size());
  transfer_ = static_cast<Transfer>(state.u64(static_cast<uint64_t>(Transfer::kTrapReturn)));
  after_ = state.u64();
  last_cycle_ = state.u64();
  range_.low = state.u64();
  range_.high = state.u64();
  range_.function = functions[FunctionNumbers::known(state, state.u64(), functions.size())];
  if (version >= 2) load_parked(state, saved);
  if ((version >= 3 && state.boolean()) != (os_ != nullptr)) {
    state.fail("expected \"processes\" as when it was saved");
  }
  if (os_ != nullptr) load_tasks(state, saved);
}

void CallStacks::load_parked(StateReader &state, const SavedFrames &saved) {
  const uint64_t inherited = state.u64(kMostFrames), depth = state.u64(kMostFrames);
  std::vector<FrameStack> parked;
  for (uint64_t left = state.u64(ParkedStacks::kMostParked); left > 0; --left) {
    parked.push_back(stack_of(state, saved, tree_.size()));
    if (parked.back().empty()) state.fail("found call stacks that are cut short");
  }
  if (inherited > depth || (inherited != 0 && parked.empty())) {
    state.fail("found a task switch that nothing was left at");
  }
  parked_.restore(std::move(parked), inherited, depth);
}

// Each hart has them all: the last to load has what the first had.
void CallStacks::load_tasks(StateReader &state, const SavedFrames &saved) {
  running_ = load_task(state);
  base_ = state.u64(2);
  privilege_ = static_cast<uint8_t>(state.u64(3));
  const uint64_t count = state.u64(TaskStacks::kMostTasks);
  is_sure_ = state.boolean();
  if (base_ == 0 || base_ > frames_.size()) state.fail("found call stacks that are cut short");
  tasks_->tasks.clear();
  for (uint64_t left = count; left > 0; --left) {
    TaskStacks::Record &record = tasks_->of(state.u64());
    record.task = load_task(state);
    record.remaps = state.boolean();
    record.frames = stack_of(state, saved, 0);
  }
  range_ = {};  // what lies where is read again
}

}  // namespace firesim::traces
