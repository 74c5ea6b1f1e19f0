// SPDX-License-Identifier: BSD-3-Clause
// The two commit log formats: text in the style of Spike, and a compact binary one.
// docs/reference/traces.md describes both.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bridges/tracerv/commit.h"

namespace firesim::bridges {

// A file written in large pieces. Throws std::runtime_error naming the file when the host cannot.
class BufferedFile {
 public:
  explicit BufferedFile(const std::filesystem::path &file);
  ~BufferedFile();
  BufferedFile(const BufferedFile &) = delete;
  BufferedFile &operator=(const BufferedFile &) = delete;

  static constexpr size_t kMostRoom = 4096;

  // At least `bytes` (<= kMostRoom) of room; tell advance() how many were used.
  char *room(size_t bytes) {
    if (kBytes - used_ < bytes) flush();
    return buffer_.get() + used_;
  }
  void advance(size_t bytes) { used_ += bytes; }
  // A text of any length.
  void put(std::string_view text);
  void flush();

 private:
  static constexpr size_t kBytes = 1 << 18;

  std::string name_;
  int descriptor_;
  std::unique_ptr<char[]> buffer_;
  size_t used_ = 0;
};

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

}  // namespace firesim::bridges
