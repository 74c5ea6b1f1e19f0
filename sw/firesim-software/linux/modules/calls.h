// SPDX-License-Identifier: BSD-3-Clause
// A module whose functions note what they take: when it is loaded, when a program writes to its
// file below /proc, on a kernel's thread, and when it is unloaded, which prints it.
//
// Included once, after these are defined: CALLS, the name of that file; loads, writes, queued and
// unloads, the names of the functions that the kernel calls; and ON_LOAD, ON_WRITE, ON_QUEUE and
// ON_UNLOAD, what each of them does, of the kinds of work below. Printing takes longest.
#ifndef FIRESIM_MODULES_CALLS_H_
#define FIRESIM_MODULES_CALLS_H_

#include <linux/init.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "work.h"

enum { BRANCHES = 1, HOLDS = 2, ENDS = 4, DEEPENS = 8, JUMPS = 16, ASKS = 32 };

static struct measure when_loaded, when_written, when_queued, when_unloaded;

// In the area that goes when the module has been loaded.
FUNCTION static __init void sets_up(struct measure *m) {
  enter(m, "sets_up");
  busy(8000);
  leaf(m, 6000);
  leave(m);
}

// Functions of the kernel, on top of one of a module.
FUNCTION static void asks(struct measure *m) {
  enter(m, "asks");
  for (int i = 0; i < 8; i++) {
    kfree(kmalloc(256, GFP_KERNEL));
    busy(3000);
  }
  leave(m);
}

FUNCTION static void work(struct measure *m, int kinds) {
  enter(m, "work");
  busy(10000);
  if (kinds & BRANCHES) branch(m);
  if (kinds & HOLDS) holds(m);
  if (kinds & ENDS) first(m);
  if (kinds & DEEPENS) deeper(m, 2);
  if (kinds & JUMPS) jumps(m);
  if (kinds & ASKS) asks(m);
  busy(5000);
  leave(m);
}

FUNCTION static void queued(struct work_struct *unused) {
  begin(&when_queued);
  work(&when_queued, ON_QUEUE);
  busy(1000);
}
static DECLARE_WORK(later, queued);

FUNCTION static ssize_t writes(struct file *file, const char __user *from, size_t bytes,
                               loff_t *at) {
  begin(&when_written);
  work(&when_written, ON_WRITE);
  schedule_work(&later);
  flush_work(&later);
  return bytes;
}
static const struct proc_ops operations = {.proc_write = writes};

FUNCTION static __init int loads(void) {
  begin(&when_loaded);
  sets_up(&when_loaded);
  work(&when_loaded, ON_LOAD);
  return proc_create(CALLS, 0200, NULL, &operations) ? 0 : -ENOMEM;
}

static void tell_path(const struct measure *m, int node) {
  if (m->nodes[node].parent != 0) {
    tell_path(m, m->nodes[node].parent);
    pr_cont(";");
  }
  pr_cont("%s", m->nodes[node].name);
}

void tell(const struct measure *m, const char *who) {
  for (int i = 1; i <= m->used; i++) {
    pr_info("truth %s ", who);
    tell_path(m, i);
    pr_cont(" %llu\n", m->nodes[i].cycles);
  }
}

#define NAME_OF(function) NAME_AS_IT_IS(function)
#define NAME_AS_IT_IS(function) #function

FUNCTION static void unloads(void) {
  remove_proc_entry(CALLS, NULL);
  begin(&when_unloaded);
  work(&when_unloaded, ON_UNLOAD);
  tell(&when_loaded, NAME_OF(loads));
  tell(&when_written, NAME_OF(writes));
  tell(&when_queued, NAME_OF(queued));
  tell(&when_unloaded, NAME_OF(unloads));
  pr_info("%s lay at %px\n", CALLS, (void *)((unsigned long)work & PAGE_MASK));
}

// By their own names: the two macros take a name as it stands.
#define COMES_AND_GOES(comes, goes) \
  module_init(comes);               \
  module_exit(goes)
COMES_AND_GOES(loads, unloads);
MODULE_LICENSE("Dual BSD/GPL");
MODULE_DESCRIPTION("Functions that note what they take");

#endif  // FIRESIM_MODULES_CALLS_H_
