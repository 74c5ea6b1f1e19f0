// SPDX-License-Identifier: BSD-3-Clause
//
// Random choices of a target: numbers that are a pure function of a seed and of what is counted, so
// that they depend on nothing but the target.
#pragma once

#include <cstdint>

namespace firesim {

// The finalizer of SplitMix64 behind its increment (Steele, Lea and Flood, "Fast splittable
// pseudorandom number generators", 2014): uniform in [0, 2^64) for counters, too.
inline uint64_t mix_uniform(uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
  value = (value ^ value >> 27) * 0x94d049bb133111eb;
  return value ^ value >> 31;
}

// Exactly numerator / denominator.
struct Probability {
  uint64_t numerator = 0;
  uint64_t denominator = 1;

  // Whether an event of this probability happens, by a number that is uniform in [0, 2^64).
  bool hits(uint64_t uniform) const {
    __extension__ using Wide = unsigned __int128;
    return Wide{uniform} * denominator < Wide{numerator} << 64;
  }
};

}  // namespace firesim
