// SPDX-License-Identifier: BSD-3-Clause
// An FST file for wave viewers: signals of a node by hierarchical name, in target cycles.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace firesim::bridges {

// The parts of a hierarchical name.
std::vector<std::string> path_of(const std::string &name);

// Time 0 is cycle 0, a cycle begins with the rising edge of `clock`, and `cycle` is its number; the
// outermost scope is called as the node. The same values are the same file, whenever it is made.
class WaveFile {
 public:
  // Makes the file, in a folder of its own if need be.
  WaveFile(const std::filesystem::path &path, const std::string &node, uint64_t clock_hz);
  ~WaveFile();
  WaveFile(const WaveFile &) = delete;
  WaveFile &operator=(const WaveFile &) = delete;

  // Adds a variable at its place in the hierarchy; `alias` 0, or the handle it shares. In the order
  // of the paths, so that each scope is there once.
  uint32_t add(const std::vector<std::string> &path, uint32_t width_bits, uint32_t alias);
  // The values of a cycle that differ from those before go between the two. Cycles ascend.
  void begin(uint64_t cycle);
  void end(uint64_t cycle);
  void change(uint32_t handle, const uint64_t *words, size_t count);
  void close();

 private:
  class Writer;

  uint64_t time_of(uint64_t half_cycles) const;
  void open_scope(const std::string &name);

  const uint64_t clock_hz_;
  std::unique_ptr<Writer> writer_;
  std::vector<std::string> open_;  // scopes within the node's
  uint32_t clock_ = 0;
  uint32_t cycle_ = 0;
};

}  // namespace firesim::bridges
