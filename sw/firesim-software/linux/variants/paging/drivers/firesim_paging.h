/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Remote memory: the accelerator's registers, entries of remote pages, and what is known of the
 * memory that a program has mapped. docs/how-to/page-faults.md.
 */
#ifndef FIRESIM_PAGING_H_
#define FIRESIM_PAGING_H_

#include <linux/io.h>
#include <linux/list.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/mutex.h>

#include "remote_memory.h"

enum {
	PFA_CONTROL = 0x00,
	PFA_OWN = 0x08,
	PFA_PEER = 0x10,
	PFA_TIMEOUT = 0x18,
	PFA_TRIES = 0x20,
	PFA_MEMORY = 0x28,
	PFA_FREE = 0x30,
	PFA_NEW = 0x38,
	PFA_FETCH = 0x40,
	PFA_EVICT = 0x48,
	PFA_FORGET = 0x50,
	PFA_STATUS = 0x58,
	PFA_FETCHED = 0x60,
	PFA_EVICTED = 0x68,
	PFA_REPEATED = 0x70,
	PFA_READS = 0x78,
	PFA_MISSES = 0x80,
	PFA_WAITED = 0x88,
	PFA_REGISTER_BYTES = 0x1000
};
/* The queue of free frames; pages that may wait to be evicted. */
enum { PFA_QUEUE_DEPTH = 64, PFA_EVICTIONS = 16 };
/* The walker's window, from the first register on, and the bytes of memory that it shows. */
#define PFA_WINDOW 0x08000000UL
#define PFA_WINDOW_BYTES 0x08000000UL
#define PFA_LINE_BYTES 64
#define PFA_NUMBER_BITS 28
#define PFA_NUMBERS BIT_ULL(PFA_NUMBER_BITS)

#define PFA_FETCHING BIT_ULL(24)
#define PFA_FAILED BIT_ULL(25)

/* A remote page has this bit and is not valid; its number is in place of the frame's. */
#define PTE_REMOTE BIT_ULL(8)
#define PTE_RIGHTS (_PAGE_READ | _PAGE_WRITE | _PAGE_USER | _PAGE_ACCESSED | _PAGE_DIRTY)

static inline u64 pte_remote(u64 page)
{
	return page << _PAGE_PFN_SHIFT | PTE_RIGHTS | PTE_REMOTE;
}

static inline u64 pte_local(u64 frame)
{
	return frame << _PAGE_PFN_SHIFT | PTE_RIGHTS | _PAGE_PRESENT;
}

static inline bool pte_is_remote(u64 entry)
{
	return (entry & (PTE_REMOTE | _PAGE_PRESENT)) == PTE_REMOTE;
}

/* Counts in the register STATUS. */
static inline unsigned int pfa_free_frames(u64 status)
{
	return status & 0xff;
}

static inline unsigned int pfa_new_pages(u64 status)
{
	return status >> 8 & 0xff;
}

/* Page and frame as the registers FETCH, EVICT and NEW have them. */
static inline u64 pfa_pair(u64 page, u64 frame)
{
	return page << PFA_NUMBER_BITS | frame;
}

static inline u64 pfa_page(u64 pair)
{
	return pair >> PFA_NUMBER_BITS & (PFA_NUMBERS - 1);
}

static inline u64 pfa_frame(u64 pair)
{
	return pair & (PFA_NUMBERS - 1);
}

/* The accelerator, which one file at a time has. */
struct paging {
	void __iomem *regs;
	phys_addr_t window;
	struct device *dev;
	struct miscdevice misc;
	atomic_t opened;
	bool lost; /* it holds frames that cannot be had back: nobody gets it any more */
};

/*
 * An open file. A frame is in one of the lists by its `lru`, or in the accelerator's queue; of a
 * page that is here, `index` is its number.
 */
struct region {
	struct paging *unit;
	struct mutex lock; /* of all below */
	struct remote_memory_setup setup;
	struct mm_struct *mm; /* once it is mapped */
	struct mmu_notifier notifier;
	bool unmapped;
	unsigned long start, pages;
	u64 **tables;				   /* of last level, a page each */
	phys_addr_t shown;			   /* the first address that the window shows */
	struct list_head resident, spare, leaving; /* the oldest first */
	u64 evicted_before, evictions;
	struct remote_memory_counts counts, before;
};

static inline u64 pfa_get(const struct region *region, unsigned int offset)
{
	return readq(region->unit->regs + offset);
}

static inline void pfa_put(const struct region *region, unsigned int offset, u64 value)
{
	writeq(value, region->unit->regs + offset);
}

static inline unsigned long region_tables(const struct region *region)
{
	return region->pages / PTRS_PER_PTE;
}

static inline u64 *region_entry(const struct region *region, unsigned long page)
{
	return region->tables[page / PTRS_PER_PTE] + page % PTRS_PER_PTE;
}

/* firesim_paging_map.c */
int region_map(struct region *region, struct vm_area_struct *vma);
void region_unmapped(struct region *region);

/* firesim_paging_pages.c: the lock is held. */
int pages_start(struct region *region);
void pages_settle(struct region *region);
struct remote_memory_counts pages_counts(struct region *region);
vm_fault_t pages_fault(struct region *region, struct vm_area_struct *vma, unsigned long address);
void pages_stop(struct region *region);

#endif
