// SPDX-License-Identifier: BSD-3-Clause
// Writing in large pieces; see buffered_file.h.
#include "core/buffered_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace firesim {

BufferedFile::BufferedFile(const std::filesystem::path &file)
    : name_(file.string()),
      descriptor_(open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)),
      buffer_(new char[kBytes]) {
  if (descriptor_ < 0) {
    throw std::runtime_error("cannot write " + name_ + ": " + std::strerror(errno));
  }
}

BufferedFile::~BufferedFile() {
  try {
    flush();
  } catch (const std::runtime_error &) {
    // Reported when it first happened, if the run was still going.
  }
  close(descriptor_);
}

void BufferedFile::put(std::string_view text) {
  while (!text.empty()) {
    const size_t size = std::min(kMostRoom, text.size());
    std::memcpy(room(size), text.data(), size);
    advance(size);
    text.remove_prefix(size);
  }
}

void BufferedFile::flush() {
  const char *data = buffer_.get();
  size_t left = used_;
  used_ = 0;
  while (left != 0) {
    const ssize_t written = write(descriptor_, data, left);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      throw std::runtime_error("cannot write " + name_ + ": " + std::strerror(errno));
    }
    data += written;
    left -= static_cast<size_t>(written);
  }
}

}  // namespace firesim
