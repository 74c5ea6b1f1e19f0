// SPDX-License-Identifier: BSD-3-Clause
// Stacks with their cycles; see stack_tree.h.
#include "traces/stack_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace firesim::traces {
namespace {

constexpr uint64_t kMostFunctions = 1 << 20;

}  // namespace

uint64_t FunctionNumbers::of(uint32_t function) {
  const auto [place, added] = numbers_.emplace(function, names_.size());
  if (added) names_.push_back(symbols_.name(function));
  return place->second;
}

void FunctionNumbers::save(StateWriter &state) const {
  state.u64(names_.size());
  for (const std::string &name : names_) state.text(name);
}

std::vector<uint32_t> FunctionNumbers::load(StateReader &state, SymbolTable &symbols) {
  std::vector<uint32_t> functions;
  for (uint64_t left = state.u64(kMostFunctions); left > 0; --left) {
    const std::string name = state.text();
    const bool unknown = name == symbols.name(SymbolTable::kUnknown);
    functions.push_back(unknown ? SymbolTable::kUnknown : symbols.intern(name));
  }
  return functions;
}

uint32_t FunctionNumbers::known(StateReader &state, uint64_t value, size_t count) {
  if (value >= count) state.fail("found a call stack that refers to what is not there");
  return static_cast<uint32_t>(value);
}

StackTree::StackTree(const SymbolTable &symbols, uint32_t root, size_t most_nodes)
    : symbols_(symbols), most_nodes_(most_nodes) {
  nodes_.push_back({0, 0, root});
}

void StackTree::add(const Node &node) {
  const auto number = static_cast<uint32_t>(nodes_.size());
  nodes_.push_back(node);
  if (number != 0) children_.emplace(uint64_t{node.parent} << 32 | node.function, number);
}

uint32_t StackTree::child(uint32_t parent, uint32_t function) {
  const auto found = children_.find(uint64_t{parent} << 32 | function);
  if (found != children_.end()) return found->second;
  if (nodes_.size() == most_nodes_) return parent;
  add({0, parent, function});
  return static_cast<uint32_t>(nodes_.size() - 1);
}

std::string StackTree::path(uint32_t node, char separator) const {
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

void StackTree::write_folded(std::ostream &stream) const {
  std::vector<uint64_t> cycles;
  for (const Node &node : nodes_) cycles.push_back(node.cycles);
  write_folded(stream, cycles);
}

void StackTree::write_folded(std::ostream &stream, const std::vector<uint64_t> &counts) const {
  std::vector<std::string> lines;
  for (uint32_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    lines.push_back(fmt::format("{} {}\n", path(i, ';'), counts[i]));
  }
  std::sort(lines.begin(), lines.end());
  for (const std::string &line : lines) stream << line;
}

void StackTree::write_speedscope(std::ostream &stream, const std::string &name) const {
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

std::vector<uint64_t> StackTree::flat(FunctionNumbers &functions) const {
  std::vector<uint64_t> words;
  for (const Node &node : nodes_) {
    words.insert(words.end(), {node.cycles, node.parent, functions.of(node.function)});
  }
  return words;
}

void StackTree::load(StateReader &state, const std::vector<uint32_t> &functions) {
  const std::vector<uint64_t> words = state.u64s(most_nodes_ * 3);
  if (words.empty() || words.size() % 3 != 0) state.fail("found call stacks that are cut short");
  nodes_.clear();
  children_.clear();
  for (size_t i = 0; i < words.size(); i += 3) {
    const uint32_t parent =
        FunctionNumbers::known(state, words[i + 1], std::max<size_t>(nodes_.size(), 1));
    add({words[i], parent,
         functions[FunctionNumbers::known(state, words[i + 2], functions.size())]});
  }
}

void StackTree::take_nodes(const StackTree &other) {
  nodes_ = other.nodes_;
  children_ = other.children_;
}

}  // namespace firesim::traces
