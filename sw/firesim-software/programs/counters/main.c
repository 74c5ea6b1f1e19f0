// SPDX-License-Identifier: BSD-3-Clause
// Four loops that each stress one part of the core, with the cycles and instructions of each: a
// known shape to hold AutoCounter's samples against.
#include "runtime.h"

enum { BUFFER_BYTES = 64 << 10, LINE_BYTES = 64 };

__attribute__((noinline)) static uint64_t arithmetic(uint64_t rounds) {
  uint64_t value = rounds;
  while (rounds--) value = (value << 1 ^ value >> 3) + rounds;
  return value;
}

__attribute__((noinline)) static uint64_t division(uint64_t rounds) {
  uint64_t value = ~0UL;
  for (; rounds; rounds--) value = value / (rounds | 1) + ~rounds;
  return value;
}

__attribute__((noinline)) static uint64_t branches(uint64_t rounds) {
  uint64_t state = 88172645463325252UL;
  uint64_t taken = 0;
  while (rounds--) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    if (state & 1) {
      __asm__ volatile("" : "+r"(taken));  // keeps it a branch
      taken++;
    }
  }
  return taken;
}

// A stride of one line over four times the data cache: every load misses.
__attribute__((noinline)) static uint64_t misses(uint64_t rounds) {
  const volatile uint64_t *buffer = firesim_heap(BUFFER_BYTES);
  uint64_t sum = 0;
  for (uint64_t i = 0; i < rounds; i++) sum += buffer[i * LINE_BYTES % BUFFER_BYTES / 8];
  return sum;
}

int main(int hart, const struct arguments *arguments) {
  (void)hart;
  static const struct {
    const char *name;
    uint64_t (*run)(uint64_t);
  } loops[] = {{"arithmetic", arithmetic},
               {"division", division},
               {"branches", branches},
               {"misses", misses}};
  const uint64_t rounds = number_argument(arguments, "rounds");
  for (unsigned i = 0; i < sizeof loops / sizeof *loops; i++) {
    const uint64_t begin = cycles();
    const uint64_t retired = instructions();
    const uint64_t result = loops[i].run(rounds);
    const uint64_t spent = cycles() - begin;
    print("counters loop=%s cycles=%lu instructions=%lu result=%lx\n", loops[i].name, spent,
          instructions() - retired, result);
  }
  return 0;
}
