// SPDX-License-Identifier: BSD-3-Clause
// Says hello by system calls, and what the core says of itself (misa).
#include "runtime.h"

static void run(void) {
  uint64_t misa;
  print_text("hello from the target\n");
  __asm__ volatile("csrr %0, misa" : "=r"(misa));
  print_hex("misa ", misa);
}
