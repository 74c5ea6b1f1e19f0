// SPDX-License-Identifier: BSD-3-Clause
// Cuts tokens into pieces; see piece_words.h.
#include "hostlib/piece_words.h"

namespace firesim::hostlib {

void append_value(std::vector<uint64_t> &message, size_t number, uint64_t cycle, const Words &old,
                  const Words &token, size_t pieces) {
  constexpr uint64_t kCycleMask = (uint64_t{1} << kValueCycleBits) - 1;
  const size_t header = message.size();
  message.push_back(uint64_t{number} << 56 | (cycle & kCycleMask) << 32);
  message.resize(message.size() + mask_words(pieces, kNearDown));
  bool in_header = false, half = false;
  for (size_t piece = 0; piece < pieces; ++piece) {
    const uint64_t value = piece_of(token, piece);
    if (value == piece_of(old, piece)) continue;
    if (piece < kNearDown) {
      message[header] |= uint64_t{1} << (48 + piece);
      if (!in_header) {
        message[header] |= value;
        in_header = true;
        continue;
      }
    } else {
      const size_t place = piece - kNearDown;
      message[header + 1 + place / 64] |= uint64_t{1} << place % 64;
    }
    if (half) {
      message.back() |= value << 32;
    } else {
      message.push_back(value);
    }
    half = !half;
  }
}

}  // namespace firesim::hostlib
