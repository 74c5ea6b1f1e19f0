// SPDX-License-Identifier: BSD-3-Clause
// A file of results that is written in large pieces.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace firesim {

// Throws std::runtime_error naming the file when the host cannot.
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

}  // namespace firesim
