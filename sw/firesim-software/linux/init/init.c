// SPDX-License-Identifier: BSD-3-Clause
// The first process of a node. It mounts what programs expect, has firesim-agent give the node its
// identity, runs the node's command, and ends the machine: with a power off when the command
// passed, and with its exit status given to the finisher when it did not.
//
// The kernel's command line says what to do: firesim.run=JOB runs the file /etc/firesim/JOB, any
// other firesim.run="COMMAND" is given to the shell, and without it the workload's own command
// runs, /etc/firesim/command; when there is none, a shell on the console.
#include <fcntl.h>

#include "job.h"
#include "node.h"
#include "shutdown.h"
#include "system.h"
#include "text.h"

static char command_line[LINE_BYTES];

static void say(const char *text) { write_some(2, text, length(text)); }

static unsigned long instructions(void) {
  unsigned long count;
  __asm__ volatile("rdinstret %0" : "=r"(count));
  return count;
}

static void say_instructions(const char *when, unsigned long count) {
  char flag[4];
  if (!argument(command_line, "firesim.instructions", flag, sizeof flag)) return;
  char data[96];
  struct text text = {.data = data, .room = sizeof data};
  append(&text, "firesim: instructions ");
  append(&text, when);
  append(&text, ": ");
  append_number(&text, count);
  append(&text, "\n");
  say(text.data);
}

static void mount(const char *kind, const char *place) {
  call3(__NR_mkdirat, HERE, place, 0755);
  system_call(__NR_mount, (long)kind, (long)place, (long)kind, 0, 0, 0);
}

static void mount_all(void) {
  mount("proc", "/proc");
  mount("devtmpfs", "/dev");
  mount("devpts", "/dev/pts");
  mount("tmpfs", "/dev/shm");
  mount("tmpfs", "/tmp");
  mount("tmpfs", "/run");
}

// Standard input, output and error of everything: the console.
static void open_console(void) {
  const int console = open_file("/dev/console", O_RDWR);
  if (console < 0) return;
  for (int file = 0; file <= 2; file++) {
    if (file != console) call3(__NR_dup3, console, file, 0);
  }
  if (console > 2) close_file(console);
}

int main(int argc, char **argv) {
  static char variables[VARIABLES][VARIABLE_BYTES];
  const char *environment[VARIABLES + 1];
  (void)argc;
  (void)argv;
  const unsigned long at_start = instructions();
  mount_all();
  open_console();
  say("firesim: init\n");
  read_file(COMMAND_LINE, command_line, sizeof command_line);
  say_instructions("before init", at_start);
  set_environment(command_line, variables, environment);
  listen_for_shutdown(command_line);
  const char *const agent[] = {"/usr/bin/firesim-agent", NULL};
  char ip[VARIABLE_BYTES];
  if (argument(command_line, "firesim.ip", ip, sizeof ip) && is_file(agent[0])) {
    wait_for(start(agent, environment, false));
  } else {
    write_hosts(command_line);
  }
  const int status = run_job(command_line, environment, true);
  say_instructions("with the command", instructions());
  end_machine(command_line, status);
  say("firesim: cannot power off\n");
  for (;;) wait_for(-1);
}
