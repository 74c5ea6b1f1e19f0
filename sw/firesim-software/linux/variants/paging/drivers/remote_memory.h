/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * /dev/remote-memory, as programs use it: one opens it, says by REMOTE_MEMORY_SETUP how pages are
 * to come and go, and maps it, shared, in whole units of REMOTE_MEMORY_UNIT bytes. One program at a
 * time does so, and once for each time it opens the file.
 */
#ifndef FIRESIM_REMOTE_MEMORY_H_
#define FIRESIM_REMOTE_MEMORY_H_

#include <linux/ioctl.h>
#include <linux/types.h>

/* Of what is mapped: length and address are multiples. */
#define REMOTE_MEMORY_UNIT (2UL << 20)

struct remote_memory_setup {
	__u64 peer;	      /* MAC address of the memory blade, first byte lowest */
	__u32 hardware;	      /* 1: the accelerator handles faults; 0: each one traps */
	__u32 frames;	      /* of local memory, at least two batches and two, at most the pages */
	__u32 batch;	      /* pages that are evicted together, 1 to 16 */
	__u32 timeout_cycles; /* without an answer, after which a message is sent again */
	__u32 tries;	      /* messages for a page without an answer before there is a SIGBUS */
	__u32 reserved;	      /* 0 */
};

/* Since it was mapped. Cycles are of the core. */
struct remote_memory_counts {
	__u64 traps, handling_cycles;	  /* page faults that the kernel has handled */
	__u64 managed, management_cycles; /* pages that were entered into the books */
	__u64 polling_cycles;		  /* of a trap that waits for its page */
	__u64 fetched, evicted, repeated;
	__u64 walks, walks_missed, walk_wait_cycles; /* that the accelerator saw */
};

#define REMOTE_MEMORY_SETUP _IOW('r', 1, struct remote_memory_setup)
/* Enters what is still in the accelerator's queue first, so that counts are whole. */
#define REMOTE_MEMORY_COUNTS _IOR('r', 2, struct remote_memory_counts)

#endif
