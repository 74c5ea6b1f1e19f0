// SPDX-License-Identifier: BSD-3-Clause
// Words of a cache's data array, laid over what is read of memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace firesim::bridges {

constexpr uint32_t kDataWordBytes = 8;
constexpr uint64_t kAllBytes = UINT64_MAX;

// Lays those bytes of the word at `place` which `mask` has a bit for over `bytes`, the first of
// which is at `physical`.
inline void lay_word_over(uint64_t place, uint64_t word, uint64_t mask, uint64_t physical,
                          std::span<uint8_t> bytes) {
  const uint64_t end = std::min(place + kDataWordBytes, physical + bytes.size());
  for (uint64_t at = std::max(place, physical); at < end; ++at) {
    if ((mask >> (at - place) & 1) == 0) continue;
    bytes[at - physical] = static_cast<uint8_t>(word >> 8 * (at - place));
  }
}

}  // namespace firesim::bridges
