// SPDX-License-Identifier: BSD-3-Clause
// Compression and decompression, by the Snappy unit behind custom0 or in software.
#define NEAR_CORE_OPCODE CUSTOM_0
#include "one_unit.h"
#include "service.h"
#include "snappy.h"
#include "steps.h"

enum { WINDOW_LOG = 16, HASH_LOG = 14 };

static void use_unit(uint64_t latency_cycles) {
  start_unit(latency_cycles);
  compress_nothing(snappy_compression(WINDOW_LOG, HASH_LOG));
}

static void *new_state(void) { return firesim_heap(sizeof(uint32_t) << HASH_LOG); }

static int64_t decompress(bool by_unit, const unsigned char *from, size_t bytes, unsigned char *to,
                          size_t room) {
  if (by_unit) return by_the_unit(snappy_decompression(WINDOW_LOG), from, bytes, to, room);
  return snappy_decompress(from, bytes, to, room);
}

static int64_t compress(void *state, bool by_unit, const unsigned char *from, size_t bytes,
                        unsigned char *to) {
  if (by_unit) {
    return by_the_unit(snappy_compression(WINDOW_LOG, HASH_LOG), from, bytes, to, COMPRESSED_BYTES);
  }
  return (int64_t)snappy_compress(from, bytes, to, state);
}

const struct format snappy_format = {use_unit, new_state, decompress, compress};
