// SPDX-License-Identifier: BSD-3-Clause
// Runs a node's command and ends the machine; see job.h.
#include "job.h"

#include <asm/ioctls.h>
#include <fcntl.h>
#include <linux/reboot.h>
#include <signal.h>

#define FIRESIM_BARE_NUMBERS
#include "address_map.h"
#include "node.h"
#include "system.h"
#include "text.h"

enum { RUN_BYTES = 1024, PATH_BYTES = 256 };
enum { STATUS_NO_SHELL = 127, STATUS_SIGNAL = 128, FINISH_FAIL = 0x3333, PAGE_BYTES = 4096 };
#define TEXT(value) #value
#define TEXT_OF(number) TEXT(number)
#define JOBS "/etc/firesim/"

static void say(const char *text) { write_some(2, text, length(text)); }

long start(const char *const *words, const char *const *environment, bool on_console) {
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

int wait_for(long child) {
  for (;;) {
    int status = 0;
    const long ended = call4(__NR_wait4, -1, &status, 0, 0);
    if (ended < 0) return STATUS_NO_SHELL;
    if (ended != child) continue;
    return status & 0x7f ? STATUS_SIGNAL + (status & 0x7f) : (status >> 8) & 0xff;
  }
}

bool is_file(const char *path) {
  const int file = open_file(path, O_RDONLY);
  if (file >= 0) close_file(file);
  return file >= 0;
}

bool has_job(const char *line) {
  char given[2];
  return argument(line, "firesim.run", given, sizeof given) || is_file(JOBS "command");
}

int run_job(const char *line, const char *const *environment, bool on_console) {
  char given[RUN_BYTES];
  char path[PATH_BYTES] = JOBS "command";
  const bool has_command = argument(line, "firesim.run", given, sizeof given);
  if (has_command && starts_with(given, "/")) {
    path[0] = 0;  // the path of a program, not the name of a job
  } else if (has_command) {
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
  return wait_for(start(words, environment, on_console));
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
static void finish_with(const char *line, int status) {
  char text[32];
  if (!argument(line, "firesim.finisher", text, sizeof text)) {
    struct text fallback = {.data = text, .room = sizeof text};
    append(&fallback, TEXT_OF(FIRESIM_FINISHER));
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

void end_machine(const char *line, int status) {
  call1(__NR_sync, 0);
  control(1, TCSBRK, (void *)1);  // until the console has sent everything
  if (status != 0) finish_with(line, status);
  call4(__NR_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2, LINUX_REBOOT_CMD_POWER_OFF, 0);
}
