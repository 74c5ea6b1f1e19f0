// SPDX-License-Identifier: BSD-3-Clause
// The permutation: Fisher-Yates from the last entry on, by SplitMix64 (Steele, Lea and Flood,
// 2014).
#include "table.h"

#include "platform.h"

static uint64_t next(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

void table_part(struct part part, uint64_t *shard) {
  uint32_t *table = firesim_heap(part.entries * sizeof *table);
  for (uint64_t i = 0; i < part.entries; i++) table[i] = (uint32_t)i;
  uint64_t state = TABLE_SEED;
  for (uint64_t i = part.entries - 1; i > 0; i--) {
    const uint64_t j = next(&state) % (i + 1);
    const uint32_t kept = table[i];
    table[i] = table[j];
    table[j] = kept;
  }
  for (uint64_t i = 0; i < part.count; i++) shard[i] = table[part.first + i];
}
