// SPDX-License-Identifier: BSD-3-Clause
// What a program notes of itself: how many cycles each stack of its functions took, by the cycle
// counter at each entry and exit.
#ifndef FIRESIM_STACKS_MEASURE_H_
#define FIRESIM_STACKS_MEASURE_H_

#include "cycles.h"

enum { MOST_NODES = 64 };

struct node {
  const char *name;
  int parent;
  uint64_t cycles;
};

// Of one thread.
struct measure {
  struct node nodes[MOST_NODES];  // the first is the root
  int used, now;
  int back;  // the node that a jump out of those above it goes to
  uint64_t since;
};

// Before the first entry: what is noted lies in memory that may not be there yet.
static inline __attribute__((always_inline)) void begin(struct measure *m) {
  m->since = cycle_count();
  m->since = cycle_count();
}

static inline __attribute__((always_inline)) void enter(struct measure *m, const char *name) {
  const uint64_t now = cycle_count();
  m->nodes[m->now].cycles += now - m->since;
  int found = 1;
  while (found <= m->used && (m->nodes[found].parent != m->now || m->nodes[found].name != name)) {
    found++;
  }
  if (found > m->used) {
    m->nodes[found].name = name;
    m->nodes[found].parent = m->now;
    m->used = found;
  }
  m->now = found;
  m->since = now;
}

static inline __attribute__((always_inline)) void leave(struct measure *m) {
  const uint64_t now = cycle_count();
  m->nodes[m->now].cycles += now - m->since;
  m->now = m->nodes[m->now].parent;
  m->since = now;
}

// Behind a jump out of all that were entered above `back`.
static inline __attribute__((always_inline)) void leave_all(struct measure *m) {
  const uint64_t now = cycle_count();
  m->nodes[m->now].cycles += now - m->since;
  m->now = m->back;
  m->since = now;
}

// Some two cycles a turn.
static inline __attribute__((always_inline)) void busy(uint64_t turns) {
  __asm__ volatile("1: addi %0, %0, -1\n bnez %0, 1b" : "+r"(turns));
}

// Writes a line "truth WHO A;B;C CYCLES" for each stack.
void tell(const struct measure *m, const char *who);

#endif  // FIRESIM_STACKS_MEASURE_H_
