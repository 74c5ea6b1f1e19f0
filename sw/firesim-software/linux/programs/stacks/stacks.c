// SPDX-License-Identifier: BSD-3-Clause
// stacks: a process, its thread, a child that shares its memory (vfork), one that does not (fork)
// and the program that this one becomes, each of which knows how many cycles each stack of its
// functions took.
//
// Calls, recursion, a tail call, a jump out of several functions at once, page faults, system calls
// and a signal are among them. The region of interest begins where the first of them does. Each
// begins its work when the others wait.
#include "../measure.h"
#include "../work.h"
#include "system.h"

enum { PAGE_BYTES = 4096, PAGES = 12, STACK_BYTES = 16384, SIGNAL_USER = 10 };
enum { SHARES_ALL = 0x100 | 0x200 | 0x400 | 0x800 | 0x10000 | 0x40000, CHILD_ENDED = 17 };
enum { SHARES_MEMORY_UNTIL_IT_ENDS = 0x100 | 0x4000 };
enum { TCSBRK = 0x5409 };
enum { WAIT = 128, WAKE = 129 };  // of a futex, private

static struct measure own, threads_own, childs_own;
static char memory[PAGES * PAGE_BYTES];
static char stack[STACK_BYTES] __attribute__((aligned(16)));
static volatile uint32_t thread_is_done;

FUNCTION void touch(struct measure *m) {
  enter(m, "touch");
  for (int page = 0; page < PAGES; page++) *(volatile char *)&memory[page * PAGE_BYTES] = 1;
  busy(4000);
  leave(m);
}

FUNCTION void ask(struct measure *m) {
  enter(m, "ask");
  for (int i = 0; i < 8; i++) {
    call1(__NR_getppid, 0);
    busy(3000);
  }
  leave(m);
}

static void on_signal(int number __attribute__((unused))) {
  enter(&own, "on_signal");
  busy(15000);
  leaf(&own, 6000);
  leave(&own);
}

FUNCTION void interrupted(struct measure *m) {
  enter(m, "interrupted");
  busy(5000);
  call2(__NR_kill, call1(__NR_getpid, 0), SIGNAL_USER);
  busy(8000);
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
  touch(m);
  ask(m);
  busy(5000);
  leave(m);
}

FUNCTION void signals(struct measure *m) {
  enter(m, "signals");
  busy(4000);
  interrupted(m);
  busy(4000);
  leave(m);
}

FUNCTION void thread_work(void) {
  begin(&threads_own);
  work(&threads_own);
  thread_is_done = 1;
  call3(__NR_futex, &thread_is_done, WAKE, 1);
  call1(__NR_exit, 0);
}

// Returns in the one that calls it; the thread runs `thread_work` on the other stack.
FUNCTION void make_thread(void) {
  register long a0 __asm__("a0") = SHARES_ALL;
  register long a1 __asm__("a1") = (long)(stack + STACK_BYTES);
  register long a7 __asm__("a7") = __NR_clone;
  __asm__ volatile("li a2, 0\n li a3, 0\n li a4, 0\n ecall\n bnez a0, 1f\n call thread_work\n 1:"
                   : "+r"(a0)
                   : "r"(a1), "r"(a7)
                   : "a2", "a3", "a4", "ra", "memory");
}

struct action {
  void (*handler)(int);
  uint64_t flags, mask;
};

int main(int argc, char **argv) {
  if (argc > 1) {  // the program that the child becomes
    begin(&own);
    work(&own);
    tell(&own, argv[1]);
    return 0;
  }
  const struct action action = {.handler = on_signal};
  call4(__NR_rt_sigaction, SIGNAL_USER, &action, 0, sizeof action.mask);
  __asm__ volatile(".word 0x00008013");  // the region of interest begins
  begin(&own);
  work(&own);
  begin(&own);
  signals(&own);
  make_thread();
  while (!thread_is_done) call4(__NR_futex, &thread_is_done, WAIT, 0, 0);
  const long first_child =
      system_call(__NR_clone, SHARES_MEMORY_UNTIL_IT_ENDS | CHILD_ENDED, 0, 0, 0, 0, 0);
  if (first_child == 0) {
    begin(&childs_own);
    work(&childs_own);
    call1(__NR_exit, 0);
  }
  call4(__NR_wait4, first_child, 0, 0, 0);
  const long child = system_call(__NR_clone, CHILD_ENDED, 0, 0, 0, 0, 0);
  if (child == 0) {
    const char *const words[] = {"/usr/bin/stacks", "program", 0};
    own = (struct measure){0};
    begin(&own);
    work(&own);
    tell(&own, "child");
    call3(__NR_execve, words[0], words, words + 2);
    return 1;
  }
  call4(__NR_wait4, child, 0, 0, 0);
  tell(&childs_own, "vforked");
  tell(&own, "process");
  tell(&threads_own, "thread");
  write_some(1, "stacks are done\n", 16);
  call3(__NR_ioctl, 1, TCSBRK, 1);  // until the console has sent everything
  return 0;
}
