// SPDX-License-Identifier: BSD-3-Clause
//
// Files that are either as they were or complete.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace firesim {

// Writes `text` to a temporary name next to `path` and renames it. Throws std::runtime_error, and
// removes the temporary file, when that fails.
void write_file_atomically(const std::filesystem::path &path, const std::string &text);

// A file that is written once, later, also when the disk is full by then: its blocks are taken
// from the disk at once, in `.NAME.room` beside it. The manager may have made that file before
// (firesim_common/whole_file.py); then it stays there if nothing is written.
class ReservedFile {
 public:
  // Throws std::runtime_error if the disk has no `bytes` for it.
  ReservedFile(std::filesystem::path path, uint64_t bytes);
  ~ReservedFile();
  ReservedFile(const ReservedFile &) = delete;
  ReservedFile &operator=(const ReservedFile &) = delete;

  // The file is there, whole, when this returns. Throws std::runtime_error if the text is longer
  // than what was reserved, and there is no more.
  void write(const std::string &text);

 private:
  [[noreturn]] void fail(const std::string &what, int error);

  const std::filesystem::path path_;
  const std::filesystem::path room_;
  int file_ = -1;
  bool made_ = false;  // and not found
};

}  // namespace firesim
