// SPDX-License-Identifier: BSD-3-Clause
// What the files of the program share.
#ifndef FIRESIM_PROTOBUF_PROGRAM_H_
#define FIRESIM_PROTOBUF_PROGRAM_H_

#include "protobuf.h"

// A message that an experiment has linked in; its bytes follow at `offset` from the first case.
struct pb_case {
  uint32_t message;  // which one of `pb_messages`
  uint32_t offset, bytes, room;
  uint32_t latency;
  uint32_t software;  // 1: in software too
  uint32_t batch;     // operations that are measured together, behind a first one if more than 1
  uint32_t reserved;
};
struct pb_cases {
  uint64_t count;
  struct pb_case cases[];
};
extern const struct pb_cases pb_cases;
extern const struct pb_message *const pb_messages[];

// Runs them all and prints a line for each.
void run_cases(void);

// What operations did: the last one's result, and the cycles of all.
struct pb_run {
  struct near_core_result result;
  uint64_t cycles;
};
// Runs as many operations as `batch` says, one behind the other.
struct pb_run run_operations(uint32_t batch, const struct pb_message *message, const void *source,
                             uint64_t bytes, void *arena, uint64_t room);

#endif  // FIRESIM_PROTOBUF_PROGRAM_H_
