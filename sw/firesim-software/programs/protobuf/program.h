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
// An operation: a message of so many bytes to an arena, or an object to a buffer.
struct pb_work {
  const struct pb_message *message;
  const void *from;
  uint64_t bytes;
  void *to;
  uint64_t room;
  bool writes;
};
// Does it as often as `batch` says, one operation behind the other.
struct pb_run run_operations(uint32_t batch, const struct pb_work *work);

#endif  // FIRESIM_PROTOBUF_PROGRAM_H_
