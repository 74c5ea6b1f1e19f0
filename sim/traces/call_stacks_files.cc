// SPDX-License-Identifier: BSD-3-Clause
// Call stacks in files, and in snapshots; see call_stacks.h.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "traces/call_stacks.h"

namespace firesim::traces {

std::string CallStacks::path(uint32_t node, char separator) const {
  std::vector<uint32_t> nodes{node};
  while (nodes.back() != 0) nodes.push_back(nodes_[nodes.back()].parent);
  std::string text;
  for (size_t i = nodes.size(); i > 0; --i) {
    if (!text.empty()) text += separator;
    std::string name = symbols_.name(nodes_[nodes[i - 1]].function);
    std::replace(name.begin(), name.end(), separator, ':');
    text += name;
  }
  return text;
}

std::vector<std::string> CallStacks::current() const {
  std::vector<std::string> names;
  for (const StackFrame &frame : frames_) names.push_back(symbols_.name(frame.function));
  return names;
}

void CallStacks::write_folded(std::ostream &stream) const {
  std::vector<uint64_t> cycles;
  for (const Node &node : nodes_) cycles.push_back(node.cycles);
  write_folded(stream, cycles);
}

void CallStacks::write_folded(std::ostream &stream, const std::vector<uint64_t> &counts) const {
  std::vector<std::string> lines;
  for (uint32_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    lines.push_back(fmt::format("{} {}\n", path(i, ';'), counts[i]));
  }
  std::sort(lines.begin(), lines.end());
  for (const std::string &line : lines) stream << line;
}

void CallStacks::write_speedscope(std::ostream &stream, const std::string &name) const {
  nlohmann::json frames = nlohmann::json::array();
  std::unordered_map<uint32_t, size_t> frame_of;
  nlohmann::json samples = nlohmann::json::array();
  nlohmann::json weights = nlohmann::json::array();
  uint64_t total = 0;
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].cycles == 0) continue;
    std::vector<size_t> stack;
    for (uint32_t node = i;; node = nodes_[node].parent) {
      const uint32_t function = nodes_[node].function;
      const auto [place, added] = frame_of.emplace(function, frames.size());
      if (added) frames.push_back({{"name", symbols_.name(function)}});
      stack.push_back(place->second);
      if (node == 0) break;
    }
    std::reverse(stack.begin(), stack.end());
    samples.push_back(stack);
    weights.push_back(nodes_[i].cycles);
    total += nodes_[i].cycles;
  }
  const nlohmann::json profile = {{"type", "sampled"}, {"name", name},      {"unit", "none"},
                                  {"startValue", 0},   {"endValue", total}, {"samples", samples},
                                  {"weights", weights}};
  stream << nlohmann::json{{"$schema", "https://www.speedscope.app/file-format-schema.json"},
                           {"shared", {{"frames", frames}}},
                           {"profiles", nlohmann::json::array({profile})},
                           {"exporter", "FireSim"}}
                .dump()
         << '\n';
}

namespace {

// Functions are numbered as they are seen; the names say which they are.
class FunctionNumbers {
 public:
  explicit FunctionNumbers(const SymbolTable &symbols) : symbols_(symbols) {}

  uint64_t of(uint32_t function) {
    const auto [place, added] = numbers_.emplace(function, names_.size());
    if (added) names_.push_back(symbols_.name(function));
    return place->second;
  }
  std::vector<uint64_t> flat(const FrameStack &stack) {
    std::vector<uint64_t> words;
    for (const StackFrame &frame : stack) {
      const uint64_t flags = (frame.trap ? kTrapFlag : 0) | (frame.stays ? kStaysFlag : 0);
      words.insert(words.end(), {frame.return_address, frame.node, of(frame.function), flags});
    }
    return words;
  }
  const std::vector<std::string> &names() const { return names_; }

  static constexpr uint64_t kTrapFlag = 1, kStaysFlag = 2;

 private:
  const SymbolTable &symbols_;
  std::unordered_map<uint32_t, uint64_t> numbers_;
  std::vector<std::string> names_;
};

uint32_t below(StateReader &state, uint64_t value, size_t count) {
  if (value >= count) state.fail("found a call stack that refers to what is not there");
  return static_cast<uint32_t>(value);
}

// `nodes` is how many there are; those of a task that does not run are not valid.
FrameStack stack_of(StateReader &state, const std::vector<uint64_t> &words,
                    const std::vector<uint32_t> &functions, size_t nodes) {
  if (words.size() % 4 != 0) state.fail("found call stacks that are cut short");
  FrameStack stack;
  for (size_t i = 0; i < words.size(); i += 4) {
    stack.push_back({words[i], nodes == 0 ? 0 : below(state, words[i + 1], nodes),
                     functions[below(state, words[i + 2], functions.size())],
                     (words[i + 3] & FunctionNumbers::kTrapFlag) != 0,
                     (words[i + 3] & FunctionNumbers::kStaysFlag) != 0});
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
  std::vector<uint64_t> nodes;
  for (const Node &node : nodes_) {
    nodes.insert(nodes.end(), {node.cycles, node.parent, functions.of(node.function)});
  }
  const std::vector<uint64_t> frames = functions.flat(frames_);
  std::vector<std::vector<uint64_t>> parked;
  for (const FrameStack &stack : parked_.stacks()) parked.push_back(functions.flat(stack));
  std::vector<std::vector<uint64_t>> tasks;
  if (os_ != nullptr) {
    for (const auto &[id, record] : tasks_->tasks) tasks.push_back(functions.flat(record.frames));
  }
  const uint64_t range_function = functions.of(range_.function);
  state.section("call_stacks", 3);
  state.u64(functions.names().size());
  for (const std::string &name : functions.names()) state.text(name);
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
  const uint32_t version = state.section("call_stacks", 3);
  std::vector<uint32_t> functions;
  for (uint64_t left = state.u64(kMostNodes); left > 0; --left) {
    const std::string name = state.text();
    const bool unknown = name == symbols_.name(SymbolTable::kUnknown);
    functions.push_back(unknown ? SymbolTable::kUnknown : symbols_.intern(name));
  }
  const std::vector<uint64_t> nodes = state.u64s(size_t{kMostNodes} * 3);
  const std::vector<uint64_t> frames = state.u64s(size_t{kMostFrames + 1} * 4);
  if (nodes.empty() || nodes.size() % 3 != 0) state.fail("found call stacks that are cut short");
  nodes_.clear();
  children_.clear();
  for (size_t i = 0; i < nodes.size(); i += 3) {
    const auto node = static_cast<uint32_t>(nodes_.size());
    const uint32_t parent = below(state, nodes[i + 1], std::max<size_t>(node, 1));
    const uint32_t function = functions[below(state, nodes[i + 2], functions.size())];
    nodes_.push_back({nodes[i], parent, function});
    if (node != 0) children_.emplace(uint64_t{parent} << 32 | function, node);
  }
  frames_ = stack_of(state, frames, functions, nodes_.size());
  if (frames_.empty()) state.fail("found call stacks that are cut short");
  depth_beyond_ = static_cast<uint32_t>(state.u64(UINT32_MAX));
  top_ = below(state, state.u64(), nodes_.size());
  transfer_ = static_cast<Transfer>(state.u64(static_cast<uint64_t>(Transfer::kTrapReturn)));
  after_ = state.u64();
  last_cycle_ = state.u64();
  range_.low = state.u64();
  range_.high = state.u64();
  range_.function = functions[below(state, state.u64(), functions.size())];
  if (version >= 2) load_parked(state, functions);
  if ((version >= 3 && state.boolean()) != (os_ != nullptr)) {
    state.fail("expected \"processes\" as when it was saved");
  }
  if (os_ != nullptr) load_tasks(state, functions);
}

void CallStacks::load_parked(StateReader &state, const std::vector<uint32_t> &functions) {
  const uint64_t inherited = state.u64(kMostFrames), depth = state.u64(kMostFrames);
  std::vector<FrameStack> parked;
  for (uint64_t left = state.u64(ParkedStacks::kMostParked); left > 0; --left) {
    const std::vector<uint64_t> words = state.u64s(size_t{kMostFrames + 1} * 4);
    parked.push_back(stack_of(state, words, functions, nodes_.size()));
    if (parked.back().empty()) state.fail("found call stacks that are cut short");
  }
  if (inherited > depth || (inherited != 0 && parked.empty())) {
    state.fail("found a task switch that nothing was left at");
  }
  parked_.restore(std::move(parked), inherited, depth);
}

// Each hart has them all: the last to load has what the first had.
void CallStacks::load_tasks(StateReader &state, const std::vector<uint32_t> &functions) {
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
    record.frames = stack_of(state, state.u64s(size_t{kMostFrames + 1} * 4), functions, 0);
  }
  range_ = {};  // what lies where is read again
}

}  // namespace firesim::traces
