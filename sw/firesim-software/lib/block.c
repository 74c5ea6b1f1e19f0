// SPDX-License-Identifier: BSD-3-Clause
// Block device requests by polling (docs/reference/interfaces.md, section 1).
#include "block.h"

enum { ADDRESS = 0x00, SECTOR = 0x08, COUNT = 0x10, WRITE = 0x18, ALLOCATE = 0x20 };
enum { COMPLETE = 0x30, SECTORS = 0x40, MAX_REQUEST = 0x48 };
enum { WAIT_LIMIT_CYCLES = 50000000 };

uint32_t block_sectors(void) { return read32(FIRESIM_BLOCK_DEVICE + SECTORS); }
uint32_t block_max_request(void) { return read32(FIRESIM_BLOCK_DEVICE + MAX_REQUEST); }

int block_start(void *memory, uint32_t sector, uint32_t count, bool write) {
  write64(FIRESIM_BLOCK_DEVICE + ADDRESS, (uintptr_t)memory);
  write32(FIRESIM_BLOCK_DEVICE + SECTOR, sector);
  write32(FIRESIM_BLOCK_DEVICE + COUNT, count);
  write32(FIRESIM_BLOCK_DEVICE + WRITE, write);
  full_fence();
  return (int)read32(FIRESIM_BLOCK_DEVICE + ALLOCATE);
}

int block_finished(void) {
  const uint64_t completion = read64(FIRESIM_BLOCK_DEVICE + COMPLETE);
  full_fence();
  return completion >> 63 ? (int)(completion & 0xff) : -1;
}

void block_transfer(void *memory, uint32_t sector, uint32_t count, bool write) {
  const uint32_t most = block_max_request();
  char *at = memory;
  if (most == 0) fail("the block device has no disk");
  while (count) {
    const uint32_t piece = count < most ? count : most;
    const int tracker = block_start(at, sector, piece, write);
    if (tracker < 0) fail("no free tracker for sector %u", sector);
    const uint64_t begin = cycles();
    int done;
    while ((done = block_finished()) < 0) {
      if (cycles() - begin > WAIT_LIMIT_CYCLES) fail("sector %u: no completion", sector);
    }
    if (done != tracker) fail("sector %u: found tracker %d, expected %d", sector, done, tracker);
    at += piece * SECTOR_BYTES;
    sector += piece;
    count -= piece;
  }
}
