// SPDX-License-Identifier: BSD-3-Clause
// The compute loop of functional-speed: integers, memory, branches and calls, some 1.35 billion
// instructions. Ends with 5555 in the finisher if the sums are right.
#include <stdint.h>

#include "address_map.h"

#ifdef FIRESIM_QEMU_VIRT
#define FINISHER ((volatile uint32_t *)0x00100000)
#else
#define FINISHER ((volatile uint32_t *)FIRESIM_FINISHER)
#endif

#define ROUNDS 120
#define WORDS 16384
#define LIMIT 65536

__asm__(
    ".section .text.start, \"ax\"\n"
    ".globl _start\n"
    "_start:\n"
    "  la sp, stack_end\n"
    "  call run\n");

static uint64_t table[WORDS] = {1};
static uint8_t composite[LIMIT] = {1};
uint64_t stack[1024] = {1};
uint64_t stack_end[2] = {1};

static uint64_t mix(uint64_t x) {
  x ^= x >> 31;
  x *= 0x7fb5d329728ea185;
  x ^= x >> 27;
  return x;
}

static uint32_t primes(void) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < LIMIT; ++i) composite[i] = 0;
  for (uint32_t i = 2; i < LIMIT; ++i) {
    if (composite[i]) continue;
    ++count;
    for (uint32_t j = 2 * i; j < LIMIT; j += i) composite[j] = 1;
  }
  return count;
}

static int compare(uint64_t a, uint64_t b) { return a < b; }

static void sort(uint64_t *data, long count, int (*less)(uint64_t, uint64_t)) {
  for (long gap = count / 2; gap > 0; gap /= 2) {
    for (long i = gap; i < count; ++i) {
      const uint64_t value = data[i];
      long j = i;
      for (; j >= gap && less(value, data[j - gap]); j -= gap) data[j] = data[j - gap];
      data[j] = value;
    }
  }
}

void run(void) {
  uint64_t wrong = 0;
  for (uint64_t round = 0; round < ROUNDS; ++round) {
    for (uint64_t i = 0; i < WORDS; ++i) table[i] = mix(i + round);
    sort(table, WORDS, compare);
    for (uint64_t i = 1; i < WORDS; ++i) wrong += table[i - 1] > table[i];
    wrong += primes() != 6542;
  }
  *FINISHER = wrong == 0 ? 0x5555 : 0x13333;
  for (;;) {
  }
}
