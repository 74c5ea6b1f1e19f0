// SPDX-License-Identifier: BSD-3-Clause
// Functions in functions. Each place that is looked up has a label with the function and the line
// that it is in, which is what DWARF must say of it.
#define TEXT_OF(line) #line
#define TEXT(line) TEXT_OF(line)
#define PLACE(function) __asm__ volatile("place_" function "_" TEXT(__LINE__) "_%=: nop" ::)
#define INLINED static inline __attribute__((always_inline)) void
#define FUNCTION __attribute__((noinline, noclone)) void

volatile int sink;

INLINED inner(int turns) {
  PLACE("inner");
  for (int i = 0; i < turns; i++) sink += i;
  PLACE("inner");
}

INLINED middle(int turns) {
  PLACE("middle");
  inner(turns);
  PLACE("middle");
}

FUNCTION plain(void) {
  PLACE("plain");
  sink = 1;
}

FUNCTION outer(int turns) {
  PLACE("outer");
  middle(turns);
  plain();
  if (turns > 3) {
    inner(2);
    PLACE("outer");
  }
}

FUNCTION _start(void) {
  outer(5);
  middle(sink);
  for (;;) PLACE("_start");
}
