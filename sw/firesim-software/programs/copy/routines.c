// SPDX-License-Identifier: BSD-3-Clause
// Copies by bytes and by words.
#include "routines.h"

void copy_bytes(unsigned char *to, const unsigned char *from, uint64_t bytes) {
  for (const unsigned char *const end = from + bytes; from < end;) *to++ = *from++;
}

void copy_words(unsigned char *to, const unsigned char *from, uint64_t bytes) {
  const uint64_t before = -(uintptr_t)to & 7, head = before < bytes ? before : bytes;
  copy_bytes(to, from, head);
  uint64_t *words = (uint64_t *)(to + head);
  const uint64_t count = (bytes - head) / 8;
  const unsigned shift = 8 * ((uintptr_t)(from + head) & 7);
  const uint64_t *source = (const uint64_t *)(from + head - shift / 8);
  if (count && shift == 0) {
#pragma GCC unroll 8
    for (uint64_t i = 0; i < count; i++) words[i] = source[i];
  } else if (count) {
    uint64_t low = source[0];
#pragma GCC unroll 8
    for (uint64_t i = 0; i < count; i++) {
      const uint64_t high = source[i + 1];
      words[i] = low >> shift | high << (64 - shift);
      low = high;
    }
  }
  const uint64_t done = head + 8 * count;
  copy_bytes(to + done, from + done, bytes - done);
}
