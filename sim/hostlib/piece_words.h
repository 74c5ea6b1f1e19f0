// SPDX-License-Identifier: BSD-3-Clause
// Tokens as words of the streams: cut into pieces of 32 bits, of which those are sent that differ.
// rtl/firesim_input_channel.v says what is in a value, rtl/firesim_rows.v what is in a row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hostlib/host_channel.h"

namespace firesim::hostlib {

// Pieces whose bits are in the first word of a value and of a row.
inline constexpr size_t kNearDown = 8, kNearUp = 47;
// A value says so many bits of its cycle: it holds from less than so many cycles after the present.
inline constexpr uint32_t kValueCycleBits = 16;
// Cycles without a row from which on a row says its cycle in a word of its own.
inline constexpr uint64_t kFar = 0xffff;

// Words with the bits of those pieces that are not in the first word.
constexpr size_t mask_words(size_t pieces, size_t near) {
  return pieces <= near ? 0 : (pieces - near + 63) / 64;
}

inline uint32_t piece_of(const Words &token, size_t piece) {
  return static_cast<uint32_t>(token[piece / 2] >> 32 * (piece % 2));
}

inline void set_piece(Words &token, size_t piece, uint32_t value) {
  uint64_t &word = token[piece / 2];
  const uint32_t shift = 32 * (piece % 2);
  word = (word & ~(uint64_t{UINT32_MAX} << shift)) | uint64_t{value} << shift;
}

// Appends the words that make the input channel `number` change from `old` to `token` in a cycle
// of the platform.
void append_value(std::vector<uint64_t> &message, size_t number, uint64_t cycle, const Words &old,
                  const Words &token, size_t pieces);

}  // namespace firesim::hostlib
