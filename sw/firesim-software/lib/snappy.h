// SPDX-License-Identifier: BSD-3-Clause
// Snappy by the unit beside the core (part `snappy`), and the same in software.
#ifndef FIRESIM_SNAPPY_H_
#define FIRESIM_SNAPPY_H_

#include "near_core.h"

enum snappy_status {
  SNAPPY_BAD_DATA = 16,
  SNAPPY_NO_ROOM = 17,  // the output is longer than what there is room for
  SNAPPY_BAD_OPERATION = 18
};

// Operations for near_core_go: log2 of the history's bytes (11 to 16) and, of a compression, of the
// entries of the hash table (9 to 14).
static inline uint64_t snappy_decompression(unsigned window_log) {
  return (uint64_t)window_log << 8;
}
static inline uint64_t snappy_compression(unsigned window_log, unsigned hash_log) {
  return (uint64_t)hash_log << 16 | (uint64_t)window_log << 8 | 1;
}

// In software: bytes of output, or -1 when the stream is bad or has no room.
int64_t snappy_decompress(const unsigned char *source, size_t bytes, unsigned char *destination,
                          size_t room);

// In software: bytes of output, which takes at most 32 + bytes * 7 / 6. `table` has 1 << 14
// entries.
size_t snappy_compress(const unsigned char *source, size_t bytes, unsigned char *destination,
                       uint32_t *table);

#endif  // FIRESIM_SNAPPY_H_
