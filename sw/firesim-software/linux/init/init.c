// SPDX-License-Identifier: BSD-3-Clause
// The first process of a node. It mounts what programs expect, has firesim-agent give the node its
// identity, writes /etc/hosts, runs the node's command, and ends the machine: with a power off when
// the command passed, and with its exit status given to the finisher when it did not.
//
// The kernel's command line says what to do: firesim.run=JOB runs the file /etc/firesim/JOB, any
// other firesim.run="COMMAND" is given to the shell, and without it the workload's own command
// runs, /etc/firesim/command; when there is none, a shell on the console.
#include <asm/ioctls.h>
#include <fcntl.h>
#include <linux/reboot.h>
#include <signal.h>

#include "node.h"
#include "system.h"
#include "text.h"

enum { RUN_BYTES = 1024, PATH_BYTES = 256 };
enum { STATUS_NO_SHELL = 127, STATUS_SIGNAL = 128, FINISH_FAIL = 0x3333, PAGE_BYTES = 4096 };
#define FINISHER "0x60003000"
#define JOBS "/etc/firesim/"

static char command_line[4096];

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

static void read_command_line(void) {
  const int file = open_file("/proc/cmdline", O_RDONLY);
  if (file < 0) return;
  const long got = read_some(file, command_line, sizeof command_line - 1);
  close_file(file);
  if (got > 0) command_line[got] = 0;
}

static long start(const char *const *words, const char *const *environment, bool on_console) {
  const long child = system_call(__NR_clone, SIGCHLD, 0, 0, 0, 0, 0);
  if (child != 0) return child;
  if (on_console) {  // a session of its own, so that Ctrl-C reaches it
    call1(__NR_setsid, 0);
    control(0, TIOCSCTTY, (void *)1);
  }
  call3(__NR_execve, words[0], words, environment);
  say("firesim: cannot run ");
  say(words[0]);
  say("\n");
  call1(__NR_exit_group, STATUS_NO_SHELL);
  return 0;
}

// Waits for a child, and for every orphan that ends meanwhile.
static int wait_for(long child) {
  for (;;) {
    int status = 0;
    const long ended = call4(__NR_wait4, -1, &status, 0, 0);
    if (ended < 0) return STATUS_NO_SHELL;
    if (ended != child) continue;
    return status & 0x7f ? STATUS_SIGNAL + (status & 0x7f) : (status >> 8) & 0xff;
  }
}

static bool is_file(const char *path) {
  const int file = open_file(path, O_RDONLY);
  if (file >= 0) close_file(file);
  return file >= 0;
}

// Runs what the node is to run; returns its exit status.
static int run(const char *const *environment) {
  char given[RUN_BYTES];
  char path[PATH_BYTES] = JOBS "command";
  const bool has_command = argument(command_line, "firesim.run", given, sizeof given);
  if (has_command && !starts_with(given, "/")) {
    struct text text = {.data = path, .room = sizeof path};
    append(&text, JOBS);
    append(&text, given);
    if (text.full) path[0] = 0;
  }
  const char *const file_words[] = {"/bin/sh", path, NULL};
  const char *const text_words[] = {"/bin/sh", "-c", given, NULL};
  const char *const shell_words[] = {"/bin/sh", "-l", NULL};
  const char *const *words = shell_words;
  if (has_command) words = text_words;
  if (path[0] && is_file(path)) words = file_words;
  return wait_for(start(words, environment, true));
}

static uint64_t number(const char *text) {
  uint64_t value = 0;
  const unsigned base = starts_with(text, "0x") ? 16 : 10;
  for (text += base == 16 ? 2 : 0; *text; text++) {
    const unsigned digit =
        *text <= '9' ? (unsigned)(*text - '0') : (unsigned)(*text | 32) - 'a' + 10;
    value = value * base + digit;
  }
  return value;
}

// Tells the finisher a failure: the machine ends in this store.
static void finish_with(int status) {
  char text[32];
  if (!argument(command_line, "firesim.finisher", text, sizeof text)) {
    struct text fallback = {.data = text, .room = sizeof text};
    append(&fallback, FINISHER);
  }
  enum { READ_WRITE = 3, SHARED = 1 };
  const uint64_t address = number(text);
  const int memory = open_file("/dev/mem", O_RDWR | O_SYNC);
  const long page = system_call(__NR_mmap, 0, PAGE_BYTES, READ_WRITE, SHARED, memory,
                                (long)(address & ~(uint64_t)(PAGE_BYTES - 1)));
  if (memory < 0 || (page < 0 && page > -PAGE_BYTES)) {
    say("firesim: cannot reach the finisher\n");
    return;
  }
  *(volatile uint32_t *)(page + (long)(address % PAGE_BYTES)) =
      (uint32_t)status << 16 | FINISH_FAIL;
}

static void end(int status) {
  call1(__NR_sync, 0);
  control(1, TCSBRK, (void *)1);  // until the console has sent everything
  if (status != 0) finish_with(status);
  call4(__NR_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2, LINUX_REBOOT_CMD_POWER_OFF, 0);
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
  read_command_line();
  say_instructions("before init", at_start);
  write_hosts(command_line);
  set_environment(command_line, variables, environment);
  const char *const agent[] = {"/usr/bin/firesim-agent", NULL};
  char ip[VARIABLE_BYTES];
  if (argument(command_line, "firesim.ip", ip, sizeof ip) && is_file(agent[0])) {
    wait_for(start(agent, environment, false));
  }
  const int status = run(environment);
  say_instructions("with the command", instructions());
  end(status);
  say("firesim: cannot power off\n");
  for (;;) wait_for(-1);
}
