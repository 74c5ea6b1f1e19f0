// SPDX-License-Identifier: BSD-3-Clause
// Pages, entries of remote pages, and messages to and from a memory blade
// (docs/how-to/page-faults.md).
#pragma once

#include <cstdint>

#include "functional/devices/stream_stage.h"

namespace firesim::functional::pfa {

inline constexpr uint32_t kPageBytes = 4096, kPageWords = 512, kOffsetBits = 12;
inline constexpr uint32_t kNumberBits = 28;
inline constexpr uint64_t kNumberMask = (uint64_t{1} << kNumberBits) - 1;
inline constexpr uint64_t kAddressMask = (uint64_t{1} << 48) - 1;

struct PageAndFrame {
  uint64_t page = 0, frame = 0;

  static PageAndFrame of(uint64_t word) {
    return {word >> kNumberBits & kNumberMask, word & kNumberMask};
  }
  uint64_t word() const { return page << kNumberBits | frame; }
  uint64_t address() const { return frame << kOffsetBits; }
};

// An entry of a page table: V is bit 0, and bit 8 says that the page is remote.
inline constexpr uint64_t kValid = 1, kRemote = 1 << 8;
inline constexpr uint32_t kEntryShift = 10;

inline bool is_remote(uint64_t entry) {
  return (entry & (kValid | kRemote)) == kRemote && entry >> (kEntryShift + kNumberBits) == 0;
}
inline uint64_t page_of(uint64_t entry) { return entry >> kEntryShift & kNumberMask; }
// The entry once the page is in a frame.
inline uint64_t local(uint64_t entry, uint64_t frame) {
  return frame << kEntryShift | ((entry & 0x3fe) & ~kRemote) | kValid;
}

// Words of a message, in front of a page or of zeros.
enum Kind : uint64_t { kRead = 1, kData = 2, kWrite = 3, kWritten = 4 };
inline constexpr uint64_t kEtherType = 0xb688;  // 0x88b6, as it is in a frame's word
inline constexpr size_t kHeadWords = 5, kShortWords = 8;

struct Message {
  uint64_t kind = 0, tag = 0, page = 0;

  StreamFrame frame(uint64_t from, uint64_t to, size_t words) const {
    StreamFrame made(words);
    made[0] = to << 16;
    made[1] = kEtherType << 48 | from;
    made[2] = kind;
    made[3] = tag;
    made[4] = page;
    return made;
  }
};

}  // namespace firesim::functional::pfa
