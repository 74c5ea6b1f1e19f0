// SPDX-License-Identifier: BSD-3-Clause
// Paging between local frames and a memory blade: by traps alone, or with the accelerator.
#ifndef FIRESIM_PAGER_H_
#define FIRESIM_PAGER_H_

#include "net.h"
#include "platform.h"

// Where the program's pages are, by virtual address.
#define PAGED_BASE 0x100000000UL
enum { MOST_PAGES = 1 << 18 };

struct pager_settings {
  bool hardware;
  uint64_t pages, frames, batch;
  uint64_t timeout_cycles, tries, polls;
};

// Since the start. Cycles are of the core.
struct pager_counts {
  uint64_t traps, handling_cycles;
  uint64_t managed, management_cycles;  // pages that were entered into the books
  uint64_t polling_cycles;              // of software that waits for the page it has fetched
  uint64_t fetched, evicted, repeated;
  uint64_t walks, walks_missed, walk_wait_cycles;  // that the accelerator saw
};

// All pages are remote at first. `net` has the addresses of this node and of the memory blade.
void pager_start(const struct pager_settings *settings, const struct net *net);
// Runs `work` in supervisor mode, where the pages are at PAGED_BASE; returns what it returns.
uint64_t pager_run(uint64_t (*work)(uint64_t argument), uint64_t argument);
// Enters what is still in the accelerator's queue, so that counts are whole.
void pager_settle(void);
struct pager_counts pager_counts(void);

#endif  // FIRESIM_PAGER_H_
