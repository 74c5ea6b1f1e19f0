// SPDX-License-Identifier: BSD-3-Clause
//
// Files that are either as they were or complete.
#include "core/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <utility>

namespace firesim {

void write_file_atomically(const std::filesystem::path &path, const std::string &text) {
  const std::filesystem::path temporary = path.string() + ".tmp";
  std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(temporary, path, error);
  if (!file || error) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw std::runtime_error("cannot write " + path.string() +
                             (error ? ": " + error.message() : ""));
  }
}

namespace {

// Not by operator+, of which GCC 12 warns wrongly.
std::filesystem::path room_of(const std::filesystem::path &path) {
  std::string name = ".";
  name += path.filename().string();
  name += ".room";
  return path.parent_path() / name;
}

}  // namespace

ReservedFile::ReservedFile(std::filesystem::path path, uint64_t bytes)
    : path_(std::move(path)), room_(room_of(path_)) {
  // A link at its place would lead out of the results folder. Read by the C library, too, where
  // the file system itself cannot reserve.
  constexpr int kFlags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC;
  file_ = open(room_.c_str(), kFlags | O_EXCL, 0666);
  made_ = file_ >= 0;
  if (!made_ && errno == EEXIST) file_ = open(room_.c_str(), kFlags, 0666);
  if (file_ < 0) fail("cannot make ", errno);
  // Only what is beyond a room that was there: when tmpfs cannot reserve all of a range, it frees
  // also what of it was reserved before.
  struct stat about {};
  if (fstat(file_, &about) != 0) fail("cannot make ", errno);
  const auto there = static_cast<uint64_t>(about.st_size);
  int error = bytes > there ? EINTR : 0;
  while (error == EINTR) {
    error = posix_fallocate(file_, about.st_size, static_cast<off_t>(bytes - there));
  }
  if (error != 0) {
    fail("cannot reserve " + std::to_string(bytes) + " bytes for ", error);
  }
}

ReservedFile::~ReservedFile() {
  if (file_ < 0) return;
  close(file_);
  if (made_) unlink(room_.c_str());
}

void ReservedFile::fail(const std::string &what, int error) {
  if (file_ >= 0) close(file_);
  if (made_) unlink(room_.c_str());
  file_ = -1;
  throw std::runtime_error(what + path_.string() + ": " + std::strerror(error));
}

void ReservedFile::write(const std::string &text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t wrote =
        pwrite(file_, text.data() + done, text.size() - done, static_cast<off_t>(done));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) fail("cannot write ", wrote < 0 ? errno : ENOSPC);
    done += static_cast<size_t>(wrote);
  }
  if (ftruncate(file_, static_cast<off_t>(text.size())) != 0 ||
      rename(room_.c_str(), path_.c_str()) != 0) {
    fail("cannot write ", errno);
  }
  close(file_);
  file_ = -1;
}

}  // namespace firesim
