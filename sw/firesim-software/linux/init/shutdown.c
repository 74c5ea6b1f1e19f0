// SPDX-License-Identifier: BSD-3-Clause
// Ends the machine when a program asks the first process to; see shutdown.h.
#ifdef FIRESIM_HAS_SHUTDOWN
#include "shutdown.h"

#include <linux/reboot.h>
#include <linux/wait.h>
#include <signal.h>

#include "job.h"
#include "system.h"

enum { PATIENCE_MS = 20, LAST_PACKETS_MS = 1 };

static const char *command_line;

static void sleep_ms(long ms) {
  const struct {
    long seconds;
    long nanoseconds;
  } time = {0, ms * 1000000};
  call2(__NR_nanosleep, &time, 0);
}

// Collects what has ended; returns whether nothing is left.
static bool all_ended(void) {
  for (;;) {
    const long ended = call4(__NR_wait4, -1, 0, WNOHANG, 0);
    if (ended <= 0) return ended < 0;
  }
}

// Gives every process the time to end, so that an ssh server closes its connections: the far end
// would wait for a machine that is gone.
static void end_processes(void) {
  call2(__NR_kill, -1, SIGTERM);
  call2(__NR_kill, -1, SIGHUP);
  for (int ms = 0; ms < PATIENCE_MS && !all_ended(); ms++) sleep_ms(1);
  call2(__NR_kill, -1, SIGKILL);
  while (!all_ended()) sleep_ms(1);
  sleep_ms(LAST_PACKETS_MS);
}

static void shut_down(int signal) {
  end_processes();
  if (signal == SIGTERM) {
    call1(__NR_sync, 0);
    call4(__NR_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2, LINUX_REBOOT_CMD_RESTART, 0);
  }
  end_machine(command_line, 0);
}

void listen_for_shutdown(const char *line) {
  static const int signals[] = {SIGUSR1, SIGUSR2, SIGTERM};
  command_line = line;
  struct {
    void (*handler)(int);
    unsigned long flags;
    unsigned long blocked;
  } action = {shut_down, 0, 0};
  for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++) {
    action.blocked |= 1UL << (signals[i] - 1);
  }
  for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++) {
    call4(__NR_rt_sigaction, signals[i], &action, 0, sizeof action.blocked);
  }
}
#endif  // FIRESIM_HAS_SHUTDOWN
