// SPDX-License-Identifier: BSD-3-Clause
// What the files of the program share.
#ifndef FIRESIM_ZSTD_PROGRAM_H_
#define FIRESIM_ZSTD_PROGRAM_H_

#include "zstd.h"

// Operations that an experiment has linked in; their inputs follow at `offset` from the first one.
struct zstd_case {
  uint32_t offset, bytes, room;
  uint32_t latency;
  uint32_t software;  // 1: in software too
  uint32_t warm;      // operations before the one that is measured
  uint32_t checksum;  // 1: one frame, whose checksum is compared
  uint32_t operation;
};
struct zstd_cases {
  uint64_t count;
  struct zstd_case cases[];
};
extern const struct zstd_cases zstd_cases;

// Runs them all and prints a line for each.
void run_cases(void);

// A frame of the reference library; `sample_content` bytes are in it.
extern const unsigned char sample_frame[];
extern const uint64_t sample_bytes, sample_content;

// What an operation did, beside its result.
struct zstd_run {
  struct near_core_result result;
  uint64_t cycles;
};
struct zstd_run run_operation(uint64_t operation, const unsigned char *source, uint64_t bytes,
                              unsigned char *to, uint64_t room);

#endif  // FIRESIM_ZSTD_PROGRAM_H_
