// SPDX-License-Identifier: BSD-3-Clause
// Hashes of outputs that an experiment compares, and bytes around them that must stay as they are.
#ifndef FIRESIM_DIGEST_H_
#define FIRESIM_DIGEST_H_

#include "platform.h"

enum { CANARY = 0xa5 };
#define CANARIES 0xa5a5a5a5a5a5a5a5UL

// By words where they are aligned (regression/support/target_digest.py has the same).
static inline uint64_t digest(const unsigned char *at, uint64_t bytes) {
  uint64_t hash = bytes;
  for (; bytes && (uintptr_t)at % 8; bytes--) hash = (hash ^ *at++) * 0x9e3779b97f4a7c15;
  for (; bytes >= 8; bytes -= 8, at += 8)
    hash = (hash ^ *(const uint64_t *)at) * 0x9e3779b97f4a7c15;
  while (bytes--) hash = (hash ^ *at++) * 0x9e3779b97f4a7c15;
  return hash;
}

// All bytes, and those that share a word with the first and the last.
static inline void lay_canaries(unsigned char *from, const unsigned char *to) {
  uint64_t *at = (uint64_t *)((uintptr_t)from & ~7UL);
  while (at < (const uint64_t *)to) *at++ = CANARIES;
}

// Words, or bytes at the ends, that are not canaries.
static inline uint64_t changed(const unsigned char *from, const unsigned char *to) {
  uint64_t count = 0;
  for (; from < to && (uintptr_t)from % 8; from++) count += *from != CANARY;
  for (; from + 8 <= to; from += 8) count += *(const uint64_t *)from != CANARIES;
  for (; from < to; from++) count += *from != CANARY;
  return count;
}

#endif  // FIRESIM_DIGEST_H_
