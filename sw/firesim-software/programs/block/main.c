// SPDX-License-Identifier: BSD-3-Clause
// Writes a pattern to the disk, reads it back and checks every word.
#include "block.h"
#include "runtime.h"

static uint64_t word(uint64_t sector, uint64_t index) {
  return (sector << 32 | index) * 0x9e3779b97f4a7c15UL;
}

int main(int hart, const struct arguments *arguments) {
  (void)hart;
  const uint32_t first = (uint32_t)number_argument(arguments, "sector");
  const uint32_t count = (uint32_t)number_argument(arguments, "count");
  const uint32_t words = SECTOR_BYTES / 8;
  if (!count || block_sectors() < first || block_sectors() - first < count) {
    fail("sectors %u to %u of a disk of %u", first, first + count, block_sectors());
  }
  uint64_t *out = firesim_heap((size_t)count * SECTOR_BYTES);
  uint64_t *back = firesim_heap((size_t)count * SECTOR_BYTES);
  for (uint32_t i = 0; i < count * words; i++) out[i] = word(first + i / words, i);
  const uint64_t begin = cycles();
  block_transfer(out, first, count, true);
  const uint64_t middle = cycles();
  block_transfer(back, first, count, false);
  const uint64_t end = cycles();
  uint64_t wrong = 0;
  for (uint32_t i = 0; i < count * words; i++) wrong += back[i] != out[i];
  print("block sectors=%u write_cycles=%lu read_cycles=%lu errors=%lu\n", count, middle - begin,
        end - middle, wrong);
  return wrong ? 1 : 0;
}
