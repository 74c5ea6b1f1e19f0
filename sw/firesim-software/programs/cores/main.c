// SPDX-License-Identifier: BSD-3-Clause
// The same work on every core at once, in memory of its own, until the first core has done its
// rounds: a blade none of whose cores waits.
#include "runtime.h"

enum { MOST_HARTS = 16, WORDS = 512, LINE_WORDS = 8 };

static uint64_t memory[MOST_HARTS][WORDS];
// A line for each, so that counting keeps no other core waiting.
static volatile uint64_t rounds_done[MOST_HARTS][LINE_WORDS];

static uint64_t one_round(int hart, uint64_t state) {
  for (int i = 0; i < 16; i++) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    uint64_t *word = &memory[hart][state % WORDS];
    if (state & 64)
      *word += state * (*word | 1);
    else
      state += *word >> 3;
  }
  rounds_done[hart][0]++;
  return state;
}

void secondary_main(int hart) {
  if (hart >= MOST_HARTS) return;
  for (uint64_t state = 88172645463325252UL + (uint64_t)hart;;) state = one_round(hart, state);
}

int main(int hart, const struct arguments *arguments) {
  uint64_t state = 88172645463325252UL;
  for (uint64_t left = number_argument(arguments, "rounds"); left; left--)
    state = one_round(hart, state);
  for (int other = 0; other < MOST_HARTS; other++) {
    if (rounds_done[other][0]) print("cores hart=%u rounds=%lu\n", other, rounds_done[other][0]);
  }
  print("cores state=%lx\n", state);
  return 0;
}
