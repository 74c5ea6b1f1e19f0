// SPDX-License-Identifier: BSD-3-Clause
// Compression and decompression, by the Snappy unit behind custom0 or in software.
#define NEAR_CORE_OPCODE CUSTOM_0
#include "service.h"
#include "snappy.h"
#include "steps.h"

enum { WINDOW_LOG = 16, HASH_LOG = 14 };

static uint32_t table[1 << HASH_LOG];

static int64_t by_the_unit(uint64_t operation, const unsigned char *from, size_t bytes,
                           unsigned char *to, size_t room) {
  near_core_go(operation, (uintptr_t)from, bytes, (uintptr_t)to, room);
  const struct near_core_result result = near_core_wait();
  return result.status == NEAR_CORE_OKAY ? (int64_t)result.bytes : -1;
}

// The unit clears its table for its first compression, a cycle an entry: no request should wait.
void use_compression_unit(uint64_t latency_cycles) {
  near_core_latency(latency_cycles);
  near_core_translate(0, false);
  static unsigned char nothing[1], to[64];
  by_the_unit(snappy_compression(WINDOW_LOG, HASH_LOG), nothing, sizeof nothing, to, sizeof to);
}

int64_t decompress(bool by_unit, const unsigned char *from, size_t bytes, unsigned char *to,
                   size_t room) {
  if (by_unit) return by_the_unit(snappy_decompression(WINDOW_LOG), from, bytes, to, room);
  return snappy_decompress(from, bytes, to, room);
}

int64_t compress(bool by_unit, const unsigned char *from, size_t bytes, unsigned char *to) {
  if (by_unit) {
    return by_the_unit(snappy_compression(WINDOW_LOG, HASH_LOG), from, bytes, to, COMPRESSED_BYTES);
  }
  return (int64_t)snappy_compress(from, bytes, to, table);
}
