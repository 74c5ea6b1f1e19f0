// SPDX-License-Identifier: BSD-3-Clause
//
// Files that somebody else may have made, opened so that they can neither lead elsewhere nor make
// the reader wait: only regular files, and inside a folder only by a plain name, without following
// links.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>

namespace firesim {

// What is wrong with a file, to be put after its name: "is missing", "is a directory, expected a
// regular file".
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class MissingFile : public FileError {
 public:
  MissingFile() : FileError("is missing") {}
};

// A regular file open for reading.
class RegularFile {
 public:
  // Opens the file at `path`, following links: for paths that the user gave. Throws FileError.
  explicit RegularFile(const std::filesystem::path &path);
  ~RegularFile();
  RegularFile(const RegularFile &) = delete;
  RegularFile &operator=(const RegularFile &) = delete;

  int descriptor() const { return descriptor_; }
  uint64_t bytes() const { return bytes_; }  // when it was opened
  // The same for two names of one file.
  std::pair<uint64_t, uint64_t> identity() const { return identity_; }

  // Reads exactly `count` bytes from `offset` on. Throws FileError if there are fewer.
  void read(void *to, uint64_t count, uint64_t offset) const;

  // The whole content. Throws FileError if that is more than `most_bytes`.
  std::string text(uint64_t most_bytes) const;

 private:
  friend class UntrustedFolder;
  RegularFile(int folder, const char *name, int flags);

  int descriptor_ = -1;
  uint64_t bytes_ = 0;
  std::pair<uint64_t, uint64_t> identity_;
};

// An open folder whose content is not trusted.
class UntrustedFolder {
 public:
  // Throws FileError if there is no folder.
  explicit UntrustedFolder(const std::filesystem::path &path);
  ~UntrustedFolder();
  UntrustedFolder(const UntrustedFolder &) = delete;
  UntrustedFolder &operator=(const UntrustedFolder &) = delete;

  // Whether `name` is one that can only mean a file in the folder itself: up to 255 letters, digits
  // and the characters _ - . %, and neither "." nor "..".
  static bool is_plain_name(const std::string &name);

  // Opens the regular file of this plain name that lies in the folder itself. Throws FileError.
  RegularFile open(const std::string &name) const;

 private:
  int descriptor_ = -1;
};

}  // namespace firesim
