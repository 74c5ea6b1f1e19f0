// SPDX-License-Identifier: BSD-3-Clause
// Functions that note what they take, with and without a system: calls, recursion, a tail call, and
// a jump out of several functions at once, as longjmp does it.
#ifndef FIRESIM_STACKS_WORK_H_
#define FIRESIM_STACKS_WORK_H_

#include "measure.h"

#define FUNCTION __attribute__((__noinline__, __noclone__))

// What a library calls in the program that opened it.
typedef void callback(struct measure *m, uint64_t turns);

FUNCTION void leaf(struct measure *m, uint64_t turns) {
  enter(m, "leaf");
  busy(turns);
  leave(m);
}

FUNCTION void branch(struct measure *m) {
  enter(m, "branch");
  busy(9000);
  leaf(m, 12000);
  busy(6000);
  leaf(m, 8000);
  leave(m);
}

// Their code is in `holds`, where a debugger would name them with this ending.
static inline __attribute__((always_inline)) void inner(struct measure *m) {
  enter(m, "inner_[i]");
  busy(8000);
  leaf(m, 5000);
  leave(m);
}

static inline __attribute__((always_inline)) void middle(struct measure *m) {
  enter(m, "middle_[i]");
  busy(6000);
  inner(m);
  busy(4000);
  leave(m);
}

FUNCTION void holds(struct measure *m) {
  enter(m, "holds");
  busy(5000);
  middle(m);
  leaf(m, 7000);
  inner(m);
  leave(m);
}

FUNCTION void deeper(struct measure *m, int depth) {
  enter(m, "deeper");
  busy(7000);
  if (depth > 0) deeper(m, depth - 1);
  busy(5000);
  leave(m);
}

FUNCTION void last(struct measure *m) {
  enter(m, "last");
  busy(11000);
  leave(m);
}

// What it calls at last takes its place.
FUNCTION void first(struct measure *m) {
  enter(m, "first");
  busy(9000);
  leave(m);
  last(m);
}

// Registers that a function keeps for its caller; without those of the floating-point unit.
struct place {
  uint64_t words[14];
};

// As setjmp: returns 0, and 1 once more when go_back() goes there.
__attribute__((naked, __noinline__, __noclone__, returns_twice, unused)) static int remember(
    struct place *place __attribute__((unused))) {
  __asm__ volatile(
      "sd ra, 0(a0)\n sd sp, 8(a0)\n sd s0, 16(a0)\n sd s1, 24(a0)\n sd s2, 32(a0)\n"
      "sd s3, 40(a0)\n sd s4, 48(a0)\n sd s5, 56(a0)\n sd s6, 64(a0)\n sd s7, 72(a0)\n"
      "sd s8, 80(a0)\n sd s9, 88(a0)\n sd s10, 96(a0)\n sd s11, 104(a0)\n"
      "li a0, 0\n ret");
}

// As longjmp.
__attribute__((naked, __noinline__, __noclone__, unused)) static void go_back(
    const struct place *place __attribute__((unused))) {
  __asm__ volatile(
      "ld ra, 0(a0)\n ld sp, 8(a0)\n ld s0, 16(a0)\n ld s1, 24(a0)\n ld s2, 32(a0)\n"
      "ld s3, 40(a0)\n ld s4, 48(a0)\n ld s5, 56(a0)\n ld s6, 64(a0)\n ld s7, 72(a0)\n"
      "ld s8, 80(a0)\n ld s9, 88(a0)\n ld s10, 96(a0)\n ld s11, 104(a0)\n"
      "li a0, 1\n ret");
}

FUNCTION void deep(struct measure *m, const struct place *place, int depth) {
  enter(m, "deep");
  busy(3000);
  if (depth > 0) {
    deep(m, place, depth - 1);
  } else {
    go_back(place);
  }
  leave(m);
}

FUNCTION void jumps(struct measure *m) {
  struct place place;
  enter(m, "jumps");
  m->back = m->now;
  busy(4000);
  if (remember(&place) == 0) deep(m, &place, 3);
  leave_all(m);
  busy(6000);
  leave(m);
}

#endif  // FIRESIM_STACKS_WORK_H_
