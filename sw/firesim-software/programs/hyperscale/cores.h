// SPDX-License-Identifier: BSD-3-Clause
// Several cores: a lock, and how the first one wakes the others and waits for them.
#ifndef FIRESIM_HYPERSCALE_CORES_H_
#define FIRESIM_HYPERSCALE_CORES_H_

#include <stdint.h>

enum { MOST_CORES = 4 };

// Cores get it in the order in which they ask: one that polls would always be first otherwise.
struct lock {
  uint32_t next, held;  // tickets: of the next core that asks, and of the one that has the lock
} __attribute__((aligned(64)));

static inline void lock(struct lock *one) {
  const uint32_t own = __atomic_fetch_add(&one->next, 1, __ATOMIC_RELAXED);
  while (__atomic_load_n(&one->held, __ATOMIC_ACQUIRE) != own) continue;
}

static inline void unlock(struct lock *one) {
  __atomic_store_n(&one->held, one->held + 1, __ATOMIC_RELEASE);
}

// For the first core: all others of `cores` go on behind core_sleep; waits until each of them has
// called core_ready once more.
void cores_wake(uint64_t cores);
void cores_wait(uint64_t cores);

// For all others.
void core_sleep(int hart);
void core_ready(void);

#endif  // FIRESIM_HYPERSCALE_CORES_H_
