// SPDX-License-Identifier: BSD-3-Clause
// SplitMix64 (Steele, Lea and Flood, 2014): random numbers that the references in Python draw too.
#ifndef FIRESIM_SPLITMIX_H_
#define FIRESIM_SPLITMIX_H_

#include <stdint.h>

static inline uint64_t splitmix64(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

#endif  // FIRESIM_SPLITMIX_H_
