// SPDX-License-Identifier: BSD-3-Clause
// A region of interest marked in the program: only `inside` shows in a trace whose trigger is
// {"kind": "instruction"} with the stock words.
#include "runtime.h"

__attribute__((noinline)) static uint64_t work(uint64_t rounds, uint64_t value) {
  while (rounds--) value = value * 6364136223846793005UL + 1442695040888963407UL;
  return value;
}

__attribute__((noinline)) static uint64_t before(uint64_t rounds) { return work(rounds, 1) + 1; }
__attribute__((noinline)) static uint64_t inside(uint64_t rounds) { return work(rounds, 2) + 1; }
__attribute__((noinline)) static uint64_t after(uint64_t rounds) { return work(rounds, 3) + 1; }

int main(int hart, const struct arguments *arguments) {
  (void)hart;
  const uint64_t rounds = number_argument(arguments, "rounds");
  uint64_t result = before(rounds);
  FIRESIM_TRACE_START();
  const uint64_t begin = cycles();
  result += inside(rounds);
  const uint64_t end = cycles();
  FIRESIM_TRACE_END();
  result += after(rounds);
  print("region begin=%lu end=%lu result=%lx\n", begin, end, result);
  return 0;
}
