// SPDX-License-Identifier: BSD-3-Clause
// The cycle counter of a hart.
#ifndef FIRESIM_CYCLES_H_
#define FIRESIM_CYCLES_H_

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdint.h>
#endif

static inline uint64_t cycle_count(void) {
  uint64_t value;
  __asm__ volatile("rdcycle %0" : "=r"(value)::"memory");
  return value;
}

#endif  // FIRESIM_CYCLES_H_
