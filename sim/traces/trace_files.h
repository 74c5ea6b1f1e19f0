// SPDX-License-Identifier: BSD-3-Clause
// The two commit log formats: text in the style of Spike, and a compact binary one.
// docs/reference/traces.md describes both.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/buffered_file.h"
#include "traces/commit.h"

namespace firesim::traces {

// "core   0: 3 0x0000000080000000 (0x00000297) cycle 123".
class TextTrace {
 public:
  TextTrace(const std::filesystem::path &file, uint32_t hart);
  void add(const Commit &commit);
  void flush() { file_.flush(); }

 private:
  BufferedFile file_;
  std::string prefix_;  // "core   0: "
};

// 3 to 6 bytes for a usual instruction.
class BinaryTrace {
 public:
  BinaryTrace(const std::filesystem::path &file, uint32_t hart);
  void add(const Commit &commit);
  void flush() { file_.flush(); }

 private:
  BufferedFile file_;
  uint64_t last_cycle_ = 0;
  uint64_t expected_pc_ = 0;
};

// Reads a whole binary trace. Throws std::runtime_error when it is not one or is cut short.
std::vector<Commit> read_binary_trace(const std::filesystem::path &file, uint32_t &hart);

}  // namespace firesim::traces
