// SPDX-License-Identifier: BSD-3-Clause
// Compression and decompression, by the ZStd unit behind custom2 or in software.
#define NEAR_CORE_OPCODE CUSTOM_2
#include "cores.h"
#include "one_unit.h"
#include "service.h"
#include "steps.h"
#include "zstd.h"

enum { WINDOW_LOG = 16, HASH_LOG = 14 };

static void use_unit(uint64_t latency_cycles) {
  start_unit(latency_cycles);
  compress_nothing(zstd_compression(WINDOW_LOG, HASH_LOG));
}

static void *new_state(void) {
  struct zstd_encoder *const encoder = firesim_heap(zstd_encoder_bytes);
  zstd_make_ready(encoder);
  return encoder;
}

static int64_t decompress(bool by_unit, const unsigned char *from, size_t bytes, unsigned char *to,
                          size_t room) {
  if (by_unit) return by_the_unit(ZSTD_DECOMPRESS, from, bytes, to, room);
  static struct lock decoder;  // the library has one
  lock(&decoder);
  const int64_t made = zstd_decompress(from, bytes, to, room);
  unlock(&decoder);
  return made < 0 ? -1 : made;
}

static int64_t compress(void *state, bool by_unit, const unsigned char *from, size_t bytes,
                        unsigned char *to) {
  if (by_unit) {
    return by_the_unit(zstd_compression(WINDOW_LOG, HASH_LOG), from, bytes, to, COMPRESSED_BYTES);
  }
  const int64_t made =
      zstd_compress(state, from, bytes, to, COMPRESSED_BYTES, WINDOW_LOG, HASH_LOG);
  return made < 0 ? -1 : made;
}

const struct format zstd_format = {use_unit, new_state, decompress, compress};
