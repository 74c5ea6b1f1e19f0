// SPDX-License-Identifier: BSD-3-Clause
// The block device: requests of whole 512-byte sectors.
#ifndef FIRESIM_BLOCK_H_
#define FIRESIM_BLOCK_H_

#include "platform.h"

enum { SECTOR_BYTES = 512 };

// Size of the device; 0 when there is no disk.
uint32_t block_sectors(void);
// Most sectors of one request.
uint32_t block_max_request(void);

// Starts a request and returns its tracker, or -1 when none is free. `memory` is 64-byte aligned.
int block_start(void *memory, uint32_t sector, uint32_t count, bool write);
// Pops the tracker of a finished request, or -1 when there is none.
int block_finished(void);

// One request of any length, in pieces, waited for.
void block_transfer(void *memory, uint32_t sector, uint32_t count, bool write);

#endif  // FIRESIM_BLOCK_H_
