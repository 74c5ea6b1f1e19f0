// SPDX-License-Identifier: BSD-3-Clause
// Cores wake each other by software interrupts, which are not taken.
#include "cores.h"

#include "runtime.h"

enum { MOST_LOOKS = 10000000 };

static uint64_t ready, awaited;

void cores_wake(uint64_t cores) {
  full_fence();
  for (uint64_t hart = 1; hart < cores; hart++) clint_software_interrupt((int)hart, true);
}

void cores_wait(uint64_t cores) {
  awaited += cores - 1;
  for (uint64_t looks = 0; __atomic_load_n(&ready, __ATOMIC_ACQUIRE) < awaited;) {
    if (++looks > MOST_LOOKS) fail("cores: found %lu, expected at most the blade's", cores);
  }
}

void core_sleep(int hart) {
  set_csr(mie, MIE_SOFTWARE);
  wait_for_interrupt();
  clear_csr(mie, MIE_SOFTWARE);
  clint_software_interrupt(hart, false);
  full_fence();
}

void core_ready(void) { __atomic_fetch_add(&ready, 1, __ATOMIC_RELEASE); }
