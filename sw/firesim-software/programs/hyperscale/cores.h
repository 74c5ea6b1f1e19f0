// SPDX-License-Identifier: BSD-3-Clause
// Several cores: a lock, and how the first one wakes the others and waits for them.
#ifndef FIRESIM_HYPERSCALE_CORES_H_
#define FIRESIM_HYPERSCALE_CORES_H_

#include <stdint.h>

enum { MOST_CORES = 4 };

struct lock {
  uint32_t taken;  // 1, or 0
} __attribute__((aligned(64)));

static inline void lock(struct lock *one) {
  while (__atomic_exchange_n(&one->taken, 1, __ATOMIC_ACQUIRE)) {
    while (__atomic_load_n(&one->taken, __ATOMIC_RELAXED)) continue;
  }
}

static inline void unlock(struct lock *one) { __atomic_store_n(&one->taken, 0, __ATOMIC_RELEASE); }

// For the first core: all others of `cores` go on behind core_sleep; waits until each of them has
// called core_ready once more.
void cores_wake(uint64_t cores);
void cores_wait(uint64_t cores);

// For all others.
void core_sleep(int hart);
void core_ready(void);

#endif  // FIRESIM_HYPERSCALE_CORES_H_
