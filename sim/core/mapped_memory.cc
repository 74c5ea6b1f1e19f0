// SPDX-License-Identifier: BSD-3-Clause
//
// Memory mapped from the kernel.
#include "core/mapped_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

namespace firesim {

namespace {

// No swap space is set aside: most pages are never written.
uint8_t *map(uint64_t bytes, int flags, int file, const std::string &what) {
  void *memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE | flags, file, 0);
  if (memory == MAP_FAILED) {
    throw std::runtime_error("cannot map " + std::to_string(bytes) + " bytes of " + what + ": " +
                             std::strerror(errno));
  }
  return static_cast<uint8_t *>(memory);
}

}  // namespace

MappedMemory MappedMemory::zeros(uint64_t bytes) {
  if (bytes == 0) return {};
  return {map(bytes, MAP_ANONYMOUS, -1, "memory"), bytes};
}

MappedMemory MappedMemory::copy_on_write(const std::filesystem::path &file, uint64_t bytes) {
  if (bytes == 0) return {};
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    throw std::runtime_error("cannot read " + file.string() + ": " + std::strerror(errno));
  }
  try {
    const off_t length = lseek(descriptor, 0, SEEK_END);
    if (length < 0 || static_cast<uint64_t>(length) < bytes) {
      throw std::runtime_error(file.string() + " has " + std::to_string(length) +
                               " bytes, expected at least " + std::to_string(bytes));
    }
    uint8_t *data = map(bytes, 0, descriptor, file.string());
    close(descriptor);
    return {data, bytes};
  } catch (...) {
    close(descriptor);
    throw;
  }
}

void MappedMemory::swap(MappedMemory &other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
}

void MappedMemory::unmap() {
  if (data_ != nullptr) munmap(data_, bytes_);
  data_ = nullptr;
  bytes_ = 0;
}

}  // namespace firesim
