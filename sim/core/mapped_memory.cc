// SPDX-License-Identifier: BSD-3-Clause
//
// Memory mapped from the kernel.
#include "core/mapped_memory.h"

#include <sys/mman.h>

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

MappedMemory MappedMemory::copy_on_write(const RegularFile &file) {
  if (file.bytes() == 0) return {};
  return {map(file.bytes(), 0, file.descriptor(), "a file"), file.bytes()};
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
