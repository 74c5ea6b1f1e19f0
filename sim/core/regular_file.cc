// SPDX-License-Identifier: BSD-3-Clause
//
// Opens and reads regular files. See the header.
#include "core/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>

namespace firesim {

namespace {

constexpr size_t kMaxNameBytes = 255;

std::string kind_name(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISLNK(mode)) return "a symbolic link";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

void check_regular(mode_t mode) {
  if (!S_ISREG(mode)) throw FileError("is " + kind_name(mode) + ", expected a regular file");
}

[[noreturn]] void fail_to_read() {
  if (errno == ENOENT) throw MissingFile();
  throw FileError(std::string("cannot be read: ") + std::strerror(errno));
}

}  // namespace

RegularFile::RegularFile(const std::filesystem::path &path)
    : RegularFile(AT_FDCWD, path.c_str(), 0) {}

// Looked at before it is opened, since opening a device can do something; and after, since it may
// have been replaced meanwhile.
RegularFile::RegularFile(int folder, const char *name, int flags) {
  struct stat facts {};
  const int look = (flags & O_NOFOLLOW) != 0 ? AT_SYMLINK_NOFOLLOW : 0;
  if (fstatat(folder, name, &facts, look) != 0) fail_to_read();
  check_regular(facts.st_mode);
  descriptor_ = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);
  if (descriptor_ < 0) fail_to_read();
  try {
    if (fstat(descriptor_, &facts) != 0) fail_to_read();
    check_regular(facts.st_mode);
  } catch (...) {
    close(descriptor_);
    throw;
  }
  bytes_ = static_cast<uint64_t>(facts.st_size);
  identity_ = {facts.st_dev, facts.st_ino};
}

RegularFile::~RegularFile() { close(descriptor_); }

void RegularFile::read(void *to, uint64_t count, uint64_t offset) const {
  auto *next = static_cast<char *>(to);
  while (count > 0) {
    const ssize_t part = pread(descriptor_, next, count, static_cast<off_t>(offset));
    if (part < 0 && errno == EINTR) continue;
    if (part < 0) fail_to_read();
    if (part == 0) throw FileError("has become shorter while it was read");
    next += part;
    offset += static_cast<uint64_t>(part);
    count -= static_cast<uint64_t>(part);
  }
}

std::string RegularFile::text(uint64_t most_bytes) const {
  if (bytes_ > most_bytes) {
    throw FileError("has " + std::to_string(bytes_) + " bytes, expected at most " +
                    std::to_string(most_bytes));
  }
  std::string content(bytes_, '\0');
  read(content.data(), content.size(), 0);
  return content;
}

UntrustedFolder::UntrustedFolder(const std::filesystem::path &path)
    : descriptor_(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {
  if (descriptor_ < 0) fail_to_read();
}

UntrustedFolder::~UntrustedFolder() { close(descriptor_); }

bool UntrustedFolder::is_plain_name(const std::string &name) {
  return !name.empty() && name.size() <= kMaxNameBytes && name != "." && name != ".." &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.' || c == '%';
         });
}

RegularFile UntrustedFolder::open(const std::string &name) const {
  if (!is_plain_name(name)) throw FileError("is not a plain name of a file in its folder");
  return {descriptor_, name.c_str(), O_NOFOLLOW};
}

}  // namespace firesim
