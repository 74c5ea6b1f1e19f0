// SPDX-License-Identifier: BSD-3-Clause
// The tree of all call stacks seen, with the cycles of each; its files, and its place in snapshots.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/state.h"
#include "traces/symbols.h"

namespace firesim::traces {

// In snapshots functions are numbered as they are seen; the names say which they are.
class FunctionNumbers {
 public:
  explicit FunctionNumbers(const SymbolTable &symbols) : symbols_(symbols) {}
  uint64_t of(uint32_t function);
  void save(StateWriter &state) const;
  // The functions by their numbers in a snapshot.
  static std::vector<uint32_t> load(StateReader &state, SymbolTable &symbols);
  // An entry of them.
  static uint32_t known(StateReader &state, uint64_t value, size_t count);

 private:
  const SymbolTable &symbols_;
  std::unordered_map<uint32_t, uint64_t> numbers_;
  std::vector<std::string> names_;
};

// How stacks of frames are in a snapshot.
struct SavedFrames {
  const std::vector<uint32_t> &functions;  // by their numbers there
  uint32_t words;                          // of a frame
  uint32_t most;                           // frames of a stack
};

// Node 0 is the root. A node comes after its parent; the path to the root is the stack.
class StackTree {
 public:
  // `symbols` outlives this.
  StackTree(const SymbolTable &symbols, uint32_t root, size_t most_nodes);

  // The node above `parent`; `parent` itself when there are too many.
  uint32_t child(uint32_t parent, uint32_t function);
  void charge(uint32_t node, uint64_t cycles) { nodes_[node].cycles += cycles; }
  void take_back(uint32_t node, uint64_t cycles) { nodes_[node].cycles -= cycles; }
  size_t size() const { return nodes_.size(); }
  uint32_t parent(uint32_t node) const { return nodes_[node].parent; }
  uint32_t function(uint32_t node) const { return nodes_[node].function; }

  // Lines "root;main;foo 123", sorted.
  void write_folded(std::ostream &stream) const;
  // The same with counts of another kind, by node; 0 beyond the last.
  void write_folded(std::ostream &stream, const std::vector<uint64_t> &counts) const;
  // A "sampled" profile in the speedscope format, one sample a stack, weights in cycles.
  void write_speedscope(std::ostream &stream, const std::string &name) const;

  // For snapshots.
  std::vector<uint64_t> flat(FunctionNumbers &functions) const;
  void load(StateReader &state, const std::vector<uint32_t> &functions);
  // The nodes of another tree take the place of this one's.
  void take_nodes(const StackTree &other);

 private:
  struct Node {
    uint64_t cycles;
    uint32_t parent;
    uint32_t function;
  };

  void add(const Node &node);
  std::string path(uint32_t node, char separator) const;

  const SymbolTable &symbols_;
  const size_t most_nodes_;
  std::vector<Node> nodes_;
  std::unordered_map<uint64_t, uint32_t> children_;  // parent << 32 | function -> node
};

}  // namespace firesim::traces
