// SPDX-License-Identifier: BSD-3-Clause
// recalled: what is loaded when `called` is gone, in the same place. What it has before its other
// functions moves these.
#define CALLS "recalled"
#define loads recalled_loads
#define writes recalled_writes
#define queued recalled_queued
#define unloads recalled_unloads
#define ON_LOAD BRANCHES
#define ON_WRITE ENDS
#define ON_QUEUE DEEPENS
#define ON_UNLOAD ASKS
#include "work.h"

void recalled_first(struct measure *m);
FUNCTION void recalled_first(struct measure *m) {
  enter(m, "recalled_first");
  busy(9000);
  leave(m);
}

#include "calls.h"
