// SPDX-License-Identifier: BSD-3-Clause
//
// What the C++ that goldengate/engine emits is made of: types, and arithmetic wider than a word.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace model {

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using i32 = int32_t;
using i64 = int64_t;

struct PortEntry {
  const char *name;
  uint32_t width_bits;
  uint32_t is_input;
  size_t offset;
};

// A signal: its name and place, and where in the state it is kept, in `bytes` for each row.
struct SignalEntry {
  const char *name;
  uint32_t low_bit;
  uint32_t width_bits;
  uint32_t rows;
  uint32_t kind;
  size_t offset;
  size_t bytes;
};

// A field of the state that a profiling model watches. Of a memory it is a byte that a cycle sets
// which writes to it.
struct WatchedField {
  size_t offset;
  size_t bytes;
  bool is_state;
  bool is_written;
};

// Returns eight flags that lie side by side: not zero if one of them is set.
inline u64 eight_flags(const u8 *first) {
  u64 flags;
  std::memcpy(&flags, first, sizeof flags);
  return flags;
}

// Runs a model that is one zone. Every 64 cycles with the same inputs it is looked whether a cycle
// changed nothing: then no cycle does until an input changes, and the flag is cleared. A cycle that
// writes to a memory sets it.
template <class Words, class State, class Cycle>
inline void run_whole(State &s, Cycle cycle) {
  if (++s.unchanged < 64) {
    cycle(s);
    s.flag[0] = 1;
    return;
  }
  s.unchanged = 0;
  const Words before = s;
  cycle(s);
  if (std::memcmp(&before, static_cast<const Words *>(&s), sizeof(Words)) != 0) s.flag[0] = 1;
}

// Returns word `index` of the quotient, or else of the remainder, of two numbers of kWords words
// (least significant first; the divisor follows the dividend). Both are 0 when the divisor is 0.
template <size_t kWords, bool kQuotient>
u64 long_division(const std::array<u64, 2 * kWords> &numbers, size_t index) {
  std::array<u64, kWords> quotient{};
  std::array<u64, kWords> rest{};
  const u64 *divisor = &numbers[kWords];
  bool divisor_is_zero = true;
  for (size_t word = 0; word < kWords; ++word) divisor_is_zero &= divisor[word] == 0;
  if (divisor_is_zero) return 0;
  for (size_t bit = 64 * kWords; bit-- > 0;) {
    u64 carry = numbers[bit / 64] >> (bit % 64) & 1;
    for (size_t word = 0; word < kWords; ++word) {
      const u64 out = rest[word] >> 63;
      rest[word] = rest[word] << 1 | carry;
      carry = out;
    }
    bool fits = carry != 0;
    if (!fits) {
      fits = true;
      for (size_t word = kWords; word-- > 0;) {
        if (rest[word] == divisor[word]) continue;
        fits = rest[word] > divisor[word];
        break;
      }
    }
    if (!fits) continue;
    u64 borrow = 0;
    for (size_t word = 0; word < kWords; ++word) {
      const u64 before = rest[word];
      rest[word] = before - divisor[word] - borrow;
      borrow = before < divisor[word] || (before == divisor[word] && borrow != 0);
    }
    quotient[bit / 64] |= u64{1} << (bit % 64);
  }
  return kQuotient ? quotient[index] : rest[index];
}

}  // namespace model
