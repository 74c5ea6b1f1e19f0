// SPDX-License-Identifier: BSD-3-Clause
// The program without a system of stacks-exact: calls, also through pointers, recursion, a tail
// call, a jump out of several functions at once, and exceptions. What it notes of itself is printed
// in the end; before that, nothing that it does depends on time.
#include "../../../sw/firesim-software/linux/programs/measure.h"
#include "../../../sw/firesim-software/linux/programs/work.h"
#include "runtime.h"

enum { ROUNDS = 3, ECALL_OF_M_MODE = 11 };

static struct measure own;

bool handle_trap(uint64_t cause, uint64_t *epc, uint64_t tval __attribute__((unused))) {
  *epc += 4;
  return cause == ECALL_OF_M_MODE;
}

FUNCTION void ask(struct measure *m) {
  enter(m, "ask");
  for (int i = 0; i < 4; i++) {
    __asm__ volatile("ecall" ::: "memory");
    busy(2000);
  }
  leave(m);
}

static void (*volatile chosen)(struct measure *, uint64_t) = leaf;

FUNCTION void choose(struct measure *m) {
  enter(m, "choose");
  busy(3000);
  chosen(m, 5000);
  busy(3000);
  leave(m);
}

FUNCTION void work(struct measure *m) {
  enter(m, "work");
  busy(10000);
  branch(m);
  holds(m);
  deeper(m, 4);
  first(m);
  jumps(m);
  ask(m);
  choose(m);
  busy(5000);
  leave(m);
}

static void print_path(const struct measure *m, int node) {
  if (m->nodes[node].parent != 0) {
    print_path(m, m->nodes[node].parent);
    print(";");
  }
  print("%s", m->nodes[node].name);
}

FUNCTION void tell(const struct measure *m, const char *who) {
  for (int i = 1; i <= m->used; i++) {
    print("truth %s ", who);
    print_path(m, i);
    print(" %lu\n", m->nodes[i].cycles);
  }
}

int main(int hart __attribute__((unused)),
         const struct arguments *arguments __attribute__((unused))) {
  begin(&own);
  for (int round = 0; round < ROUNDS; round++) work(&own);
  tell(&own, "bare");
  return 0;
}
