// SPDX-License-Identifier: BSD-3-Clause
// The table that is chased through: a permutation, of which each server has a part.
#ifndef CHASE_TABLE_H_
#define CHASE_TABLE_H_

#include <stdint.h>

enum { TABLE_SEED = 777 };

struct part {
  uint64_t entries;  // of the whole table
  uint64_t first, count;
};

// Writes a part of the permutation to `shard`. All of it is shuffled for that, in the heap.
void table_part(struct part part, uint64_t *shard);

#endif  // CHASE_TABLE_H_
