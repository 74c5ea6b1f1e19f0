// SPDX-License-Identifier: BSD-3-Clause
// The unit behind NEAR_CORE_OPCODE, which a file defines before it includes this: one operation.
#ifndef FIRESIM_HYPERSCALE_ONE_UNIT_H_
#define FIRESIM_HYPERSCALE_ONE_UNIT_H_

#include "near_core.h"

// Makes the unit of this core ready: physical addresses, and cycles more to memory and back.
static inline void start_unit(uint64_t latency_cycles) {
  near_core_latency(latency_cycles);
  near_core_translate(0, false);
}

// Waits for the oldest operation; returns its bytes, or -1.
static inline int64_t unit_result(void) {
  const struct near_core_result result = near_core_wait();
  return result.status == NEAR_CORE_OKAY ? (int64_t)result.bytes : -1;
}

static inline int64_t by_the_unit(uint64_t operation, const unsigned char *from, size_t bytes,
                                  unsigned char *to, size_t room) {
  near_core_go(operation, (uintptr_t)from, bytes, (uintptr_t)to, room);
  return unit_result();
}

// A unit clears its table before its first compression, a cycle an entry: no request should wait.
static inline void compress_nothing(uint64_t operation) {
  unsigned char nothing[1] = {0}, to[64];
  by_the_unit(operation, nothing, sizeof nothing, to, sizeof to);
}

#endif  // FIRESIM_HYPERSCALE_ONE_UNIT_H_
