// SPDX-License-Identifier: BSD-3-Clause
//
// Page-aligned memory from the kernel: all zero and without cost until written, or the content of a
// file, copied page by page as it is written to. So a thousand clones of one machine share what
// they do not write.
#pragma once

#include <cstdint>

#include "core/regular_file.h"

namespace firesim {

class MappedMemory {
 public:
  MappedMemory() = default;
  ~MappedMemory() { unmap(); }
  MappedMemory(const MappedMemory &) = delete;
  MappedMemory &operator=(const MappedMemory &) = delete;
  MappedMemory(MappedMemory &&other) noexcept { swap(other); }
  MappedMemory &operator=(MappedMemory &&other) noexcept {
    swap(other);
    return *this;
  }

  // `bytes` of zeros. Throws std::runtime_error when there is no room.
  static MappedMemory zeros(uint64_t bytes);

  // The whole content of the file, which must not change as long as this object lives; writes do
  // not reach it. Throws std::runtime_error.
  static MappedMemory copy_on_write(const RegularFile &file);

  uint8_t *data() const { return data_; }
  uint64_t size() const { return bytes_; }

 private:
  MappedMemory(uint8_t *data, uint64_t bytes) : data_(data), bytes_(bytes) {}
  void swap(MappedMemory &other) noexcept;
  void unmap();

  uint8_t *data_ = nullptr;
  uint64_t bytes_ = 0;
};

}  // namespace firesim
