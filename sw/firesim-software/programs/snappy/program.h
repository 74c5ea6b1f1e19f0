// SPDX-License-Identifier: BSD-3-Clause
// What the files of the program share.
#ifndef FIRESIM_SNAPPY_PROGRAM_H_
#define FIRESIM_SNAPPY_PROGRAM_H_

#include "snappy.h"

// An operation that an experiment has linked in; its input follows at `offset` from the first one.
struct snappy_case {
  uint64_t operation;
  uint32_t offset, bytes, room;
  uint32_t latency;
  uint32_t software;  // 1: in software too
  uint32_t warm;      // operations before the one that is measured
};
struct snappy_cases {
  uint64_t count;
  struct snappy_case cases[];
};
extern const struct snappy_cases snappy_cases;

// Runs them all and prints a line for each.
void run_cases(void);

// What an operation did, beside its result.
struct snappy_run {
  struct near_core_result result;
  uint64_t cycles;
};
struct snappy_run run_operation(uint64_t operation, uintptr_t source, uint64_t bytes,
                                uintptr_t destination, uint64_t room);

#endif  // FIRESIM_SNAPPY_PROGRAM_H_
