// SPDX-License-Identifier: BSD-3-Clause
// The Internet checksum (RFC 1071) over the 8-byte words of a frame, as the NIC's hardware makes
// it.
#pragma once

#include <cstdint>
#include <span>

namespace firesim::functional {

// Where a frame that is sent gets its checksum: SEND_CHECKSUM as written.
struct ChecksumPlace {
  explicit ChecksumPlace(uint32_t written) : value(written) {}
  bool wanted() const { return (value >> 31) != 0; }
  uint32_t start() const { return value & 0x3ffe; }        // the first byte that counts
  uint32_t place() const { return value >> 16 & 0x3ffe; }  // of the two bytes of the result
  uint32_t value;
};

// The ones' complement sum of the 16-bit halves, low byte first, from byte `start` on, an even
// number. What lies beyond the frame's end is zeros, which add nothing.
inline uint16_t internet_sum(std::span<const uint64_t> words, uint32_t start) {
  uint64_t sum = 0;
  for (uint64_t half = start / 2; half < words.size() * 4; ++half) {
    sum += words[half / 4] >> (16 * (half % 4)) & 0xffff;
  }
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<uint16_t>(sum);
}

// Puts the checksum of a frame to its place, when that lies in the frame.
inline void put_checksum(std::span<uint64_t> words, ChecksumPlace wanted) {
  const uint32_t word = wanted.place() / 8, shift = wanted.place() % 8 * 8;
  if (word >= words.size()) return;
  const uint16_t sum = internet_sum(words, wanted.start());
  // 0 means "none" in UDP, and its other form is as good everywhere.
  const uint64_t checksum = sum == 0xffff ? 0xffff : 0xffff - sum;
  words[word] = (words[word] & ~(uint64_t{0xffff} << shift)) | checksum << shift;
}

}  // namespace firesim::functional
