// SPDX-License-Identifier: BSD-3-Clause
// Chases pointers through growing amounts of memory, a line at a time in a scattered order: each
// load needs the one before, so its cycles show which cache, or memory, it was served from.
#include "runtime.h"

enum { LINE_BYTES = 64, LINE_WORDS = LINE_BYTES / 8 };

// Links `lines` (a power of two) into one ring: i -> a i + c mod lines visits all of them, because
// c is odd and a is 1 modulo 4.
static void link_ring(uint64_t *memory, uint64_t lines) {
  for (uint64_t i = 0; i < lines; i++) {
    const uint64_t next = (i * 1664525 + 1013904223) & (lines - 1);
    memory[i * LINE_WORDS] = (uint64_t)&memory[next * LINE_WORDS];
  }
}

__attribute__((noinline)) static const uint64_t *chase(const uint64_t *from, uint64_t loads) {
  for (; loads; loads--) from = (const uint64_t *)*(const volatile uint64_t *)from;
  return from;
}

static bool is_size(uint64_t kib) { return kib != 0 && (kib & (kib - 1)) == 0; }

int main(int hart, const struct arguments *arguments) {
  (void)hart;
  const uint64_t least = number_argument(arguments, "least_kib");
  const uint64_t most = number_argument(arguments, "most_kib");
  const uint64_t loads = number_argument(arguments, "loads");
  if (!is_size(least) || !is_size(most) || least > most || loads == 0) {
    print("latency: least_kib=%lu most_kib=%lu loads=%lu: expected powers of two and a load\n",
          least, most, loads);
    return 2;
  }
  uint64_t *memory = firesim_heap(most << 10);
  for (uint64_t kib = least; kib <= most; kib *= 2) {
    const uint64_t lines = (kib << 10) / LINE_BYTES;
    link_ring(memory, lines);
    // Once around: what fits a cache is in it from then on.
    if (chase(memory, lines) != memory) fail("latency: the ring of %lu KiB is broken", kib);
    const uint64_t begin = cycles();
    chase(memory, loads);
    const uint64_t spent = cycles() - begin;
    print("latency kib=%lu loads=%lu cycles=%lu cycles_per_load_x100=%lu\n", kib, loads, spent,
          spent * 100 / loads);
  }
  return 0;
}
