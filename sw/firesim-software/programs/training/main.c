// SPDX-License-Identifier: BSD-3-Clause
// A mix of integer, memory, floating-point, atomic, trap and waiting code. The generated engine is
// laid out for what this program makes a blade do, so it is no measure of that engine's speed.
#include <stddef.h>

#include "runtime.h"

enum { WORDS = 512, TABLE = 4096, WAIT_TICKS = 30 };

static uint32_t words[WORDS];
static uint64_t random_state = 0x9e3779b97f4a7c15UL;

static uint64_t next_random(void) {
  random_state = random_state * 6364136223846793005UL + 1442695040888963407UL;
  return random_state >> 33;
}

static void sift(uint32_t *heap, size_t root, size_t count) {
  for (size_t child; (child = 2 * root + 1) < count; root = child) {
    if (child + 1 < count && heap[child + 1] > heap[child]) child++;
    if (heap[root] >= heap[child]) return;
    const uint32_t moved = heap[root];
    heap[root] = heap[child];
    heap[child] = moved;
  }
}

static uint64_t sort(void) {
  for (size_t i = 0; i < WORDS; i++) words[i] = (uint32_t)next_random();
  for (size_t i = WORDS / 2; i-- > 0;) sift(words, i, WORDS);
  for (size_t end = WORDS - 1; end > 0; end--) {
    const uint32_t largest = words[0];
    words[0] = words[end];
    words[end] = largest;
    sift(words, 0, end);
  }
  return words[WORDS / 2];
}

// A walk through a table larger than the data cache, in an order that cannot be foreseen.
static uint64_t chase(void) {
  uint64_t *table = firesim_heap(TABLE * sizeof(uint64_t));
  for (size_t i = 0; i < TABLE; i++) table[i] = (i * 1365 + 779) % TABLE;
  uint64_t at = 1;
  for (size_t i = 0; i < 600; i++) at = table[at];
  return at;
}

static uint64_t text(void) {
  static char buffer[256];
  uint64_t sum = 0;
  for (size_t i = 0; i + 1 < sizeof buffer; i++) buffer[i] = (char)('a' + next_random() % 26);
  for (size_t i = 0; buffer[i]; i++) sum = sum * 31 + (unsigned char)buffer[i];
  return sum;
}

static uint64_t multiply_and_divide(void) {
  uint64_t value = 1;
  for (uint64_t i = 3; i < 40; i++) value = (value * (next_random() | 1)) % (i << 20 | 5) + i;
  return value;
}

static double floating(void) {
  double sum = 0;
  float narrow = 1;
  for (int i = 1; i < 120; i++) {
    const double x = (double)(int64_t)next_random();
    sum = sum * 0.5 + x / i - (double)narrow;
    narrow = (float)sum * 0.25F + (float)i;
    if (i % 16 == 0) {
      double root;
      __asm__("fsqrt.d %0, %1" : "=f"(root) : "f"(x));
      sum += root;
    }
  }
  return sum;
}

static uint64_t atomic(void) {
  static uint64_t counter;
  for (int i = 0; i < 30; i++) __atomic_fetch_add(&counter, i, __ATOMIC_SEQ_CST);
  return counter;
}

bool handle_trap(uint64_t cause, uint64_t *epc, uint64_t tval) {
  (void)tval;
  if (cause != 11) return false;
  *epc += 4;
  return true;
}

static void wait_a_while(void) {
  clint_timer(0, clint_time() + WAIT_TICKS);
  __asm__ volatile("csrs mie, %0" : : "r"((uint64_t)MIE_TIMER));
  wait_for_interrupt();
  __asm__ volatile("csrc mie, %0" : : "r"((uint64_t)MIE_TIMER));
  clint_timer(0, ~0UL);
}

int main(int hart, const struct arguments *arguments) {
  (void)hart;
  for (uint64_t left = number_argument(arguments, "rounds"); left; left--) {
    uint64_t sum = sort() + chase() + text() + multiply_and_divide() + atomic();
    sum += (uint64_t)(int64_t)floating();
    for (int i = 0; i < 8; i++) __asm__ volatile("ecall" : : : "memory");
    wait_a_while();
    print("training sum=%lx\n", sum);
  }
  return 0;
}
