// SPDX-License-Identifier: BSD-3-Clause
// Stores of all sizes and atomic operations at random places. What memory holds after so many
// stores of each hart is known: regression/oracles/coherent_memory.py computes it.
#include "runtime.h"

enum { MOST_KIB = 1024, MOST_HARTS = 4, WORD_BYTES = 8 };

uint64_t memory[MOST_KIB * 1024 / WORD_BYTES] __attribute__((aligned(4096)));
// What main has asked the other harts for: bits of the offset that a hart chooses, 0 before.
static volatile uint64_t chosen_bits;
static volatile uint64_t hart_count;

void store_rounds(uint64_t *memory, uint64_t chosen, uint64_t own, uint64_t state, uint64_t rounds);

static uint64_t first_state(int hart) { return 88172645463325252UL + (uint64_t)hart; }

void secondary_main(int hart) {
  while (!chosen_bits)
    ;
  if ((uint64_t)hart >= hart_count) return;
  const uint64_t own = (uint64_t)hart * WORD_BYTES;
  store_rounds(memory, chosen_bits, own, first_state(hart), UINT64_MAX);
}

int main(int hart, const struct arguments *arguments) {
  const uint64_t kib = number_argument(arguments, "kib");
  const uint64_t harts = number_argument(arguments, "harts");
  if (kib < 1 || kib > MOST_KIB || (kib & (kib - 1))) return 2;
  if (harts != 1 && harts != 2 && harts != MOST_HARTS) return 2;
  hart_count = harts;
  __asm__ volatile("fence" ::: "memory");
  chosen_bits = (kib * 1024 - 1) & ~(harts * WORD_BYTES - 1);
  store_rounds(memory, chosen_bits, 0, first_state(hart), number_argument(arguments, "rounds"));
  return 0;
}
