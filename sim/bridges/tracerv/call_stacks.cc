// SPDX-License-Identifier: BSD-3-Clause
// Call stack building; see call_stacks.h.
#include "bridges/tracerv/call_stacks.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace firesim::bridges {
namespace {

constexpr bool is_link(uint32_t reg) { return reg == 1 || reg == 5; }

}  // namespace

CallStacks::CallStacks(SymbolTable &symbols, const std::string &root)
    : symbols_(symbols),
      program_(symbols.intern("[user]")),
      switch_(symbols.intern("__switch_to")) {
  nodes_.push_back({0, 0, symbols.intern(root)});
  frames_.reserve(kMostFrames);
  frames_.push_back({0, 0, nodes_[0].function, false});
}

CallStacks::Transfer CallStacks::classify(uint32_t instruction) {
  const uint32_t rd = instruction >> 7 & 31;
  if ((instruction & 3) != 3) {
    // Compressed jumps through a register: c.jr (0x8002) and c.jalr (0x9002), which links ra.
    if ((instruction & 0xe07f) != 0x8002 || rd == 0) return Transfer::kNone;
    if ((instruction & 0x1000) == 0) return is_link(rd) ? Transfer::kReturn : Transfer::kNone;
    return rd == 5 ? Transfer::kReturnAndCall : Transfer::kCall;
  }
  const uint32_t opcode = instruction & 0x7f;
  if (opcode == 0x6f) return is_link(rd) ? Transfer::kCall : Transfer::kNone;
  if (opcode == 0x67) {
    const uint32_t rs1 = instruction >> 15 & 31;
    if (is_link(rd)) {
      return is_link(rs1) && rs1 != rd ? Transfer::kReturnAndCall : Transfer::kCall;
    }
    return is_link(rs1) ? Transfer::kReturn : Transfer::kNone;
  }
  const bool trap_return = instruction == 0x30200073 || instruction == 0x10200073;
  return trap_return ? Transfer::kTrapReturn : Transfer::kNone;
}

uint32_t CallStacks::child(uint32_t parent, uint32_t function) {
  const uint64_t key = uint64_t{parent} << 32 | function;
  const auto found = children_.find(key);
  if (found != children_.end()) return found->second;
  if (nodes_.size() == kMostNodes) return parent;  // the caller keeps what is not told apart
  const auto node = static_cast<uint32_t>(nodes_.size());
  nodes_.push_back({0, parent, function});
  children_.emplace(key, node);
  return node;
}

void CallStacks::push(uint32_t function, uint64_t return_address, bool trap) {
  if (frames_.size() == kMostFrames) {
    ++depth_beyond_;
    return;
  }
  top_ = child(top_, function);
  frames_.push_back({return_address, top_, function, trap});
}

void CallStacks::retarget(uint32_t function) {
  StackFrame &frame = frames_.back();
  if (frame.function == function) return;
  if (frames_.size() == 1 || frame.trap) {  // the root and traps stay
    push(function, 0, false);
    return;
  }
  frame.function = function;
  frame.node = child(frames_[frames_.size() - 2].node, function);
  top_ = frame.node;
}

void CallStacks::settle(uint32_t function, bool cut) {
  const size_t least = frames_.size() > kSearchFrames ? frames_.size() - kSearchFrames : 1;
  for (size_t i = frames_.size(); cut && i > least; --i) {
    if (frames_[i - 1].trap) break;  // what was interrupted is not resumed by a return
    if (frames_[i - 1].function != function) continue;
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
  const size_t least = frames_.size() > kSearchFrames ? frames_.size() - kSearchFrames : 1;
  for (size_t i = frames_.size(); i > least; --i) {
    if (frames_[i - 1].trap) return;
    if (frames_[i - 1].return_address != pc) continue;
    frames_.resize(i - 1);
    top_ = frames_.back().node;
    return;
  }
}

void CallStacks::pop_trap() {
  depth_beyond_ = 0;
  size_t i = frames_.size();
  while (i > 1 && !frames_[i - 1].trap) --i;
  // Without a trap on the stack this is the way down to a lower privilege: nothing comes back.
  frames_.resize(std::max<size_t>(i - 1, 1));
  top_ = frames_.back().node;
}

void CallStacks::leave_trap(uint64_t pc) {
  parked_.before_trap_return(frames_, pc);
  pop_trap();
  parked_.after_return(frames_.size());
}

void CallStacks::arrive_in_program(Transfer transfer, uint64_t pc) {
  if (transfer == Transfer::kTrapReturn) leave_trap(pc);
  settle(program_, true);
}

void CallStacks::arrive(uint64_t pc, uint8_t privilege) {
  const Transfer transfer = transfer_;
  transfer_ = Transfer::kNone;
  if (!range_.contains(pc)) range_ = symbols_.find(pc);
  const uint32_t function = range_.function;
  if (privilege == 0 && function == SymbolTable::kUnknown) return arrive_in_program(transfer, pc);
  switch (transfer) {
    case Transfer::kCall:
      return push(function, after_, false);
    case Transfer::kTrapEntry:
      return push(function, 0, false);
    case Transfer::kReturnAndCall:
      pop_return(pc);
      return push(function, after_, false);
    case Transfer::kReturn:
      if (frames_.back().function == switch_) parked_.leave(frames_);
      parked_.before_return(frames_, pc);
      top_ = frames_.back().node;
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

void CallStacks::enter_trap(const Commit &commit) {
  depth_beyond_ = 0;
  const std::string name =
      fmt::format("[{} {}]", commit.interrupt ? "interrupt" : "exception", commit.cause);
  push(symbols_.intern(name), commit.pc, true);
  transfer_ = Transfer::kTrapEntry;
}

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
  std::vector<std::string> lines;
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].cycles == 0) continue;
    lines.push_back(fmt::format("{} {}\n", path(i, ';'), nodes_[i].cycles));
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

void CallStacks::save(StateWriter &state) const {
  // Functions are numbered as they are seen; the names say which they are.
  std::unordered_map<uint32_t, uint64_t> number;
  std::vector<std::string> names;
  const auto function = [&](uint32_t id) {
    const auto [place, added] = number.emplace(id, names.size());
    if (added) names.push_back(symbols_.name(id));
    return place->second;
  };
  std::vector<uint64_t> nodes;
  for (const Node &node : nodes_) {
    nodes.insert(nodes.end(), {node.cycles, node.parent, function(node.function)});
  }
  const auto flat = [&](const FrameStack &stack) {
    std::vector<uint64_t> words;
    for (const StackFrame &frame : stack) {
      words.insert(words.end(), {frame.return_address, frame.node, function(frame.function),
                                 frame.trap ? uint64_t{1} : 0});
    }
    return words;
  };
  const std::vector<uint64_t> frames = flat(frames_);
  std::vector<std::vector<uint64_t>> parked;
  for (const FrameStack &stack : parked_.stacks()) parked.push_back(flat(stack));
  const uint64_t range_function = function(range_.function);
  state.section("call_stacks", 2);
  state.u64(names.size());
  for (const std::string &name : names) state.text(name);
  state.u64s(nodes);
  state.u64s(frames);
  for (const uint64_t value :
       {uint64_t{depth_beyond_}, uint64_t{top_}, static_cast<uint64_t>(transfer_), after_,
        last_cycle_, range_.low, range_.high, range_function, uint64_t{parked_.inherited()},
        uint64_t{parked_.depth()}, uint64_t{parked.size()}}) {
    state.u64(value);
  }
  for (const std::vector<uint64_t> &stack : parked) state.u64s(stack);
}

void CallStacks::load(StateReader &state) {
  const uint32_t version = state.section("call_stacks", 2);
  std::vector<uint32_t> functions;
  for (uint64_t left = state.u64(kMostNodes); left > 0; --left) {
    const std::string name = state.text();
    const bool unknown = name == symbols_.name(SymbolTable::kUnknown);
    functions.push_back(unknown ? SymbolTable::kUnknown : symbols_.intern(name));
  }
  const std::vector<uint64_t> nodes = state.u64s(size_t{kMostNodes} * 3);
  const std::vector<uint64_t> frames = state.u64s(size_t{kMostFrames} * 4);
  if (nodes.empty() || nodes.size() % 3 != 0) state.fail("found call stacks that are cut short");
  const auto below = [&](uint64_t value, size_t count) {
    if (value >= count) state.fail("found a call stack that refers to what is not there");
    return static_cast<uint32_t>(value);
  };
  nodes_.clear();
  children_.clear();
  for (size_t i = 0; i < nodes.size(); i += 3) {
    const auto node = static_cast<uint32_t>(nodes_.size());
    const uint32_t parent = below(nodes[i + 1], std::max<size_t>(node, 1));
    const uint32_t function = functions[below(nodes[i + 2], functions.size())];
    nodes_.push_back({nodes[i], parent, function});
    if (node != 0) children_.emplace(uint64_t{parent} << 32 | function, node);
  }
  const auto stack_of = [&](const std::vector<uint64_t> &words) {
    if (words.empty() || words.size() % 4 != 0) state.fail("found call stacks that are cut short");
    FrameStack stack;
    for (size_t i = 0; i < words.size(); i += 4) {
      stack.push_back({words[i], below(words[i + 1], nodes_.size()),
                       functions[below(words[i + 2], functions.size())], words[i + 3] != 0});
    }
    return stack;
  };
  frames_ = stack_of(frames);
  depth_beyond_ = static_cast<uint32_t>(state.u64(UINT32_MAX));
  top_ = below(state.u64(), nodes_.size());
  transfer_ = static_cast<Transfer>(state.u64(static_cast<uint64_t>(Transfer::kTrapReturn)));
  after_ = state.u64();
  last_cycle_ = state.u64();
  range_.low = state.u64();
  range_.high = state.u64();
  range_.function = functions[below(state.u64(), functions.size())];
  if (version < 2) return;
  const uint64_t inherited = state.u64(kMostFrames), depth = state.u64(kMostFrames);
  std::vector<FrameStack> parked;
  for (uint64_t left = state.u64(ParkedStacks::kMostParked); left > 0; --left) {
    parked.push_back(stack_of(state.u64s(size_t{kMostFrames} * 4)));
  }
  if (inherited > depth || (inherited != 0 && parked.empty())) {
    state.fail("found a task switch that nothing was left at");
  }
  parked_.restore(std::move(parked), inherited, depth);
}

}  // namespace firesim::bridges
