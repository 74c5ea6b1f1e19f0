// SPDX-License-Identifier: BSD-3-Clause
// A mix of integer, memory, floating-point, atomic, trap and waiting code, part of it in S-mode
// behind page tables where there is one, on every core. The generated engine is laid out for what
// this program makes a blade do, so it is no measure of that engine's speed.
#include <stddef.h>

#include "runtime.h"

enum { MOST_HARTS = 8, WORDS = 128, TABLE = 4096, TEXT = 256, WAIT_TICKS = 30, ENTRIES = 512 };
enum { FROM_SUPERVISOR = 9, FROM_MACHINE = 11 };

static const uint64_t MSTATUS_MPIE = 0x80, MSTATUS_MPP = 0x1800, MSTATUS_MPP_SUPERVISOR = 0x800;
static const uint64_t PAGE_VALID = 1, PAGE_ALL = 0xcf;

// What a core works on by itself.
static struct own {
  uint64_t random_state;
  uint32_t words[WORDS];
  char text[TEXT];
  uint64_t table[TABLE];
} own_memory[MOST_HARTS] __attribute__((aligned(64)));

static uint64_t next_random(struct own *own) {
  own->random_state = own->random_state * 6364136223846793005UL + 1442695040888963407UL;
  return own->random_state >> 33;
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

static uint64_t sort(struct own *own) {
  uint32_t *words = own->words;
  for (size_t i = 0; i < WORDS; i++) words[i] = (uint32_t)next_random(own);
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
static uint64_t chase(struct own *own) {
  for (size_t i = 0; i < TABLE; i++) own->table[i] = (i * 1365 + 779) % TABLE;
  uint64_t at = 1;
  for (size_t i = 0; i < 600; i++) at = own->table[at];
  return at;
}

static uint64_t text(struct own *own) {
  uint64_t sum = 0;
  for (size_t i = 0; i + 1 < TEXT; i++) own->text[i] = (char)('a' + next_random(own) % 26);
  for (size_t i = 0; own->text[i]; i++) sum = sum * 31 + (unsigned char)own->text[i];
  return sum;
}

static uint64_t multiply_and_divide(struct own *own) {
  uint64_t value = 1;
  for (uint64_t i = 3; i < 40; i++) {
    value = (value * (next_random(own) | 1)) % (i << 20 | 5) + i;
  }
  return value;
}

static double floating(struct own *own) {
  double sum = 0;
  float narrow = 1;
  for (int i = 1; i < 120; i++) {
    const double x = (double)(int64_t)next_random(own);
    sum = sum * 0.5 + x / i - (double)narrow;
    narrow = (float)sum * 0.25F + (float)i;
    if (i % 16 == 0) {
      double root = x;
#ifdef __riscv_flen
      __asm__("fsqrt.d %0, %1" : "=f"(root) : "f"(x));
#endif
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

// Every address stands for itself: devices by pages of 1 GiB, memory by 2 MiB, its start by 4 KiB.
// Every core fills the same tables with the same entries.
static void map(void) {
  static uint64_t tables[3][ENTRIES] __attribute__((aligned(4096)));
  const uint64_t memory = 0x80000000;
  for (uint64_t i = 0; i < 2; i++) tables[0][i] = i << 28 | PAGE_ALL;
  for (uint64_t i = 0; i < ENTRIES; i++) {
    tables[1][i] = (memory >> 2) + (i << 19) + PAGE_ALL;
    tables[2][i] = (memory >> 2) + (i << 10) + PAGE_ALL;
  }
  tables[0][2] = (uint64_t)tables[1] >> 2 | PAGE_VALID;
  tables[1][0] = (uint64_t)tables[2] >> 2 | PAGE_VALID;
  __asm__ volatile("csrw pmpaddr0, %0; csrw pmpcfg0, %1" : : "r"(~0UL >> 10), "r"(0x1fUL));
  __asm__ volatile("csrw satp, %0; sfence.vma" : : "r"(8UL << 60 | (uint64_t)tables[0] >> 12));
}

// Interrupts stay off: mret enables them when MPIE is 1, as any mret before has left it, and then
// the timer's interrupt, by which wait_a_while only wakes up, would be taken as a trap.
static void enter_supervisor(void) {
  uint64_t next;
  __asm__ volatile(
      "csrc mstatus, %1; csrs mstatus, %2; la %0, 1f; csrw mepc, %0; mret; 1: sfence.vma"
      : "=&r"(next)
      : "r"(MSTATUS_MPP | MSTATUS_MPIE), "r"(MSTATUS_MPP_SUPERVISOR)
      : "memory");
}

bool handle_trap(uint64_t cause, uint64_t *epc, uint64_t tval) {
  (void)tval;
  if (cause != FROM_MACHINE && cause != FROM_SUPERVISOR) return false;
  // Either call goes on in M-mode.
  __asm__ volatile("csrs mstatus, %0" : : "r"(MSTATUS_MPP));
  *epc += 4;
  return true;
}

static void wait_a_while(int hart) {
  clint_timer(hart, clint_time() + WAIT_TICKS);
  __asm__ volatile("csrs mie, %0" : : "r"((uint64_t)MIE_TIMER));
  wait_for_interrupt();
  __asm__ volatile("csrc mie, %0" : : "r"((uint64_t)MIE_TIMER));
  clint_timer(hart, ~0UL);
}

static bool has_supervisor(void) { return read_csr(misa) >> ('S' - 'A') & 1; }

static void start(int hart) {
  own_memory[hart].random_state = 0x9e3779b97f4a7c15UL + (uint64_t)hart;
  if (has_supervisor()) map();
}

static uint64_t one_round(int hart) {
  struct own *own = &own_memory[hart];
  uint64_t sum = sort(own) + chase(own) + text(own) + multiply_and_divide(own) + atomic();
  sum += (uint64_t)(int64_t)floating(own);
  if (has_supervisor()) enter_supervisor();
  sum += sort(own) + chase(own) + text(own) + atomic();
  __asm__ volatile("ecall" : : : "memory");
  for (int i = 0; i < 8; i++) __asm__ volatile("ecall" : : : "memory");
  wait_a_while(hart);
  return sum;
}

void secondary_main(int hart) {
  start(hart);
  for (;;) one_round(hart);
}

int main(int hart, const struct arguments *arguments) {
  start(hart);
  for (uint64_t left = number_argument(arguments, "rounds"); left; left--) {
    print("training sum=%lx\n", one_round(hart));
  }
  return 0;
}
