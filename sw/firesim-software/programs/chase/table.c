// SPDX-License-Identifier: BSD-3-Clause
// The permutation: Fisher-Yates from the last entry on, by SplitMix64.
#include "table.h"

#include "platform.h"
#include "splitmix.h"

void table_part(struct part part, uint64_t *shard) {
  uint32_t *table = firesim_heap(part.entries * sizeof *table);
  for (uint64_t i = 0; i < part.entries; i++) table[i] = (uint32_t)i;
  uint64_t state = TABLE_SEED;
  for (uint64_t i = part.entries - 1; i > 0; i--) {
    const uint64_t j = splitmix64(&state) % (i + 1);
    const uint32_t kept = table[i];
    table[i] = table[j];
    table[j] = kept;
  }
  for (uint64_t i = 0; i < part.count; i++) shard[i] = table[part.first + i];
}
