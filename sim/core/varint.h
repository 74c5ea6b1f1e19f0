// SPDX-License-Identifier: BSD-3-Clause
// Numbers of seven bits a byte, the lowest first, of files that a run writes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace firesim {

constexpr size_t kMostVarintBytes = 10;

// Returns the place behind the number. There is room for kMostVarintBytes.
inline char *put_varint(char *at, uint64_t value) {
  while (value >= 128) {
    *at++ = static_cast<char>(value | 128);
    value >>= 7;
  }
  *at++ = static_cast<char>(value);
  return at;
}

// Small numbers of either sign become small unsigned ones.
constexpr uint64_t zigzag(uint64_t difference) {
  return difference << 1 ^ (0 - (difference >> 63));
}
constexpr uint64_t unzigzag(uint64_t value) { return value >> 1 ^ (0 - (value & 1)); }

}  // namespace firesim
