// SPDX-License-Identifier: BSD-3-Clause
// modular: loads two modules of the kernel, one after the other, has each of them work, and unloads
// it again; the second comes when the first is gone. The region of interest begins before the first
// is loaded.
#include "system.h"
#include "text.h"

enum { TO_WRITE = 1, TCSBRK = 0x5409 };

static void fail(const char *what) {
  char line[96];
  struct text text = {.data = line, .room = sizeof line};
  append(&text, "modular: ");
  append(&text, what);
  append(&text, " failed\n");
  write_some(1, line, text.used);
  call1(__NR_exit_group, 1);
}

static void use(const char *name) {
  char path[64];
  struct text file = {.data = path, .room = sizeof path};
  append(&file, "/usr/lib/modules/");
  append(&file, name);
  append(&file, ".ko");
  const int module = open_file(path, 0);
  if (module < 0 || call3(__NR_finit_module, module, "", 0) != 0) fail(path);
  close_file(module);
  struct text entry = {.data = path, .room = sizeof path};
  append(&entry, "/proc/");
  append(&entry, name);
  const int calls = open_file(path, TO_WRITE);
  if (calls < 0 || write_some(calls, "x", 1) != 1) fail(path);
  close_file(calls);
  if (call2(__NR_delete_module, name, 0) != 0) fail(name);
}

int main(void) {
  __asm__ volatile(".word 0x00008013");  // the region of interest begins
  use("called");
  use("recalled");
  write_some(1, "modules are done\n", 17);
  call3(__NR_ioctl, 1, TCSBRK, 1);  // until the console has sent everything
  return 0;
}
