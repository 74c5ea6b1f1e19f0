// SPDX-License-Identifier: BSD-3-Clause
// Snappy in software: what the unit beside the core is compared with.
#include "snappy.h"

enum { MOST_HASH_LOG = 14, LEAST_HASH_LOG = 8, BLOCK = 1 << 16 };

// Loads and stores of words at any address: this core traps on those that are not aligned.
static inline uint32_t word_at(const unsigned char *p) {
  return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

// Copies forwards, a byte at a time where the two overlap or are not aligned alike.
static void copy(unsigned char *to, const unsigned char *from, size_t bytes) {
  const size_t distance = (size_t)(to - from);
  if (distance % 8 == 0 && distance >= 8) {
    for (; bytes && (uintptr_t)to % 8; bytes--) *to++ = *from++;
    for (; bytes >= 8; bytes -= 8, to += 8, from += 8) *(uint64_t *)to = *(const uint64_t *)from;
  }
  while (bytes--) *to++ = *from++;
}

// Reads the length in front of the stream; returns what follows, or null.
static const unsigned char *read_length(const unsigned char *at, const unsigned char *end,
                                        uint64_t *length) {
  *length = 0;
  for (unsigned shift = 0; shift < 35 && at != end; shift += 7) {
    const unsigned char digit = *at++;
    if (shift == 28 && digit > 15) return NULL;
    *length |= (uint64_t)(digit & 127) << shift;
    if (digit < 128) return at;
  }
  return NULL;
}

static uint64_t number_at(const unsigned char *at, unsigned bytes) {
  uint64_t number = 0;
  for (unsigned i = 0; i < bytes; i++) number |= (uint64_t)at[i] << (8 * i);
  return number;
}

int64_t snappy_decompress(const unsigned char *source, size_t bytes, unsigned char *destination,
                          size_t room) {
  const unsigned char *const end = source + bytes;
  uint64_t length;
  const unsigned char *at = read_length(source, end, &length);
  if (!at || length > room) return -1;
  unsigned char *to = destination, *const full = destination + length;
  while (at != end) {
    const unsigned tag = *at++;
    const uint64_t rest = (uint64_t)(end - at);
    if ((tag & 3) == 0) {
      uint64_t count = (tag >> 2) + 1;
      if (count > 60) {
        const unsigned digits = (unsigned)count - 60;
        if (rest < digits) return -1;
        count = number_at(at, digits) + 1;
        at += digits;
      }
      if (count > (uint64_t)(end - at) || count > (uint64_t)(full - to)) return -1;
      copy(to, at, count);
      at += count;
      to += count;
      continue;
    }
    const unsigned digits = (tag & 3) == 3 ? 4 : tag & 3;
    if (rest < digits) return -1;
    uint64_t distance = number_at(at, digits), count = (tag >> 2) + 1;
    if (digits == 1) {
      distance |= (uint64_t)(tag >> 5) << 8;
      count = (tag >> 2 & 7) + 4;
    }
    at += digits;
    if (!distance || distance > (uint64_t)(to - destination)) return -1;
    if (count > (uint64_t)(full - to)) return -1;
    copy(to, to - distance, count);
    to += count;
  }
  return to == full ? (int64_t)length : -1;
}

static unsigned char *put_literal(unsigned char *to, const unsigned char *from, size_t bytes) {
  if (!bytes) return to;
  if (bytes <= 60) {
    *to++ = (unsigned char)((bytes - 1) << 2);
  } else if (bytes <= 256) {
    *to++ = 60 << 2;
    *to++ = (unsigned char)(bytes - 1);
  } else {  // a block has 64 KiB
    *to++ = 61 << 2;
    *to++ = (unsigned char)(bytes - 1);
    *to++ = (unsigned char)((bytes - 1) >> 8);
  }
  copy(to, from, bytes);
  return to + bytes;
}

static unsigned char *put_copy(unsigned char *to, size_t distance, size_t bytes) {
  while (bytes) {
    const size_t piece = bytes >= 68 ? 64 : bytes > 64 ? 60 : bytes;
    const bool near = piece < 12 && distance < 2048;
    *to++ =
        (unsigned char)(near ? distance >> 8 << 5 | (piece - 4) << 2 | 1 : (piece - 1) << 2 | 2);
    *to++ = (unsigned char)distance;
    if (!near) *to++ = (unsigned char)(distance >> 8);
    bytes -= piece;
  }
  return to;
}

// One block, whose matches lie in it. Entries of the table are positions in the block and 1. Little
// data has a small table, as in the library: all of it is cleared.
static unsigned char *compress_block(const unsigned char *source, size_t bytes, unsigned char *to,
                                     uint32_t *table) {
  unsigned hash_log = LEAST_HASH_LOG;
  while (hash_log < MOST_HASH_LOG && (size_t)1 << hash_log < bytes) hash_log++;
  for (size_t i = 0; i < (size_t)1 << hash_log; i++) table[i] = 0;
  size_t at = 0, told = 0, skip = 32;
  while (at + 4 <= bytes) {
    const uint32_t word = word_at(source + at);
    uint32_t *const entry = &table[(word * 0x1e35a7bdu) >> (32 - hash_log)];
    const size_t before = *entry;
    *entry = (uint32_t)at + 1;
    if (!before || word_at(source + before - 1) != word) {
      at += skip++ >> 5;
      continue;
    }
    size_t length = 4;
    while (at + length < bytes && source[at + length] == source[before - 1 + length]) length++;
    to = put_literal(to, source + told, at - told);
    to = put_copy(to, at - (before - 1), length);
    at = told = at + length;
    skip = 32;
  }
  return put_literal(to, source + told, bytes - told);
}

size_t snappy_compress(const unsigned char *source, size_t bytes, unsigned char *destination,
                       uint32_t *table) {
  unsigned char *to = destination;
  size_t length = bytes;
  for (; length >= 128; length >>= 7) *to++ = (unsigned char)(length | 128);
  *to++ = (unsigned char)length;
  for (size_t done = 0; done < bytes; done += BLOCK) {
    const size_t block = bytes - done < BLOCK ? bytes - done : BLOCK;
    to = compress_block(source + done, block, to, table);
  }
  return (size_t)(to - destination);
}
