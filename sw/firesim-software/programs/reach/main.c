// SPDX-License-Identifier: BSD-3-Clause
// Writes a word at the end of each part of memory, and reads them all back: words that lie a power
// of two apart are in one set of any cache, and so go to memory and come back. With a disk, a
// sector also goes there from the last bytes of memory, and comes back to them.
#include "block.h"
#include "runtime.h"

static uint64_t *word_at(uint64_t offset) { return (uint64_t *)(FIRESIM_DRAM + offset); }

static uint64_t disk_errors(uint64_t bytes) {
  uint64_t *sector = word_at(bytes - 2 * SECTOR_BYTES);
  const unsigned words = SECTOR_BYTES / 8;
  uint64_t wrong = 0;
  for (unsigned i = 0; i < words; i++) sector[i] = (bytes << 8) + i;
  block_transfer(sector, 0, 1, true);
  for (unsigned i = 0; i < words; i++) sector[i] = 0;
  block_transfer(sector, 0, 1, false);
  for (unsigned i = 0; i < words; i++) wrong += sector[i] != (bytes << 8) + i;
  return wrong;
}

int main(int hart, const struct arguments *arguments) {
  (void)hart;
  const uint64_t bytes = number_argument(arguments, "bytes");
  const uint64_t step = number_argument(arguments, "step");
  if (step < 4 << 20 || bytes % step) fail("step %lu of %lu bytes", step, bytes);
  uint64_t words = 0, wrong = 0;
  for (uint64_t end = step; end <= bytes; end += step, words++) *word_at(end - 8) = end * 3;
  for (uint64_t end = step; end <= bytes; end += step) wrong += *word_at(end - 8) != end * 3;
  if (block_sectors()) wrong += disk_errors(bytes);
  print("reach words=%lu last=%lx errors=%lu\n", words, (uint64_t)word_at(bytes - 8), wrong);
  return wrong ? 1 : 0;
}
