// SPDX-License-Identifier: BSD-3-Clause
/*
 * Pages and frames of remote memory. The oldest page is evicted first, in batches: while the frames
 * of one batch are in use again, the pages of the next one are on their way out. Both ways of
 * paging evict at the same fault, so both evict the same pages.
 */
#include <asm/tlbflush.h>
#include <linux/etherdevice.h>
#include <linux/netdevice.h>
#include <linux/slab.h>

#include "firesim_paging.h"

#define INTERFACE "eth0"
/* Of a register, 40 cycles each: a memory blade that has not answered by then is gone. */
#define MOST_POLLS 100000000

static u64 cycles(void)
{
	return csr_read(CSR_CYCLE);
}

static struct page *first_of(struct list_head *frames)
{
	return list_first_entry(frames, struct page, lru);
}

static int set_addresses(struct region *region)
{
	struct net_device *interface = dev_get_by_name(&init_net, INTERFACE);
	u64 own = 0;

	if (!interface)
		return -ENODEV;
	memcpy(&own, interface->dev_addr, ETH_ALEN);
	dev_put(interface);
	pfa_put(region, PFA_OWN, own);
	pfa_put(region, PFA_PEER, region->setup.peer);
	return 0;
}

static void free_list(struct list_head *frames)
{
	struct page *frame, *next;

	list_for_each_entry_safe(frame, next, frames, lru) {
		list_del(&frame->lru);
		__free_page(frame);
	}
}

static void free_memory(struct region *region)
{
	unsigned long i;

	free_list(&region->spare);
	for (i = 0; region->tables && i < region_tables(region); i++)
		free_page((unsigned long)region->tables[i]);
	kfree(region->tables);
	region->tables = NULL;
}

/* All tables lie in what the window shows. */
static int make_tables(struct region *region)
{
	unsigned long i, page;

	region->tables = kcalloc(region_tables(region), sizeof(*region->tables), GFP_KERNEL);
	if (!region->tables)
		return -ENOMEM;
	for (i = 0; i < region_tables(region); i++) {
		region->tables[i] = (u64 *)__get_free_page(GFP_KERNEL);
		if (!region->tables[i])
			return -ENOMEM;
		if (!i)
			region->shown = __pa(region->tables[0]) & ~(PFA_WINDOW_BYTES - 1);
		if (__pa(region->tables[i]) - region->shown >= PFA_WINDOW_BYTES) {
			dev_err(region->unit->dev, "tables are beyond the window\n");
			return -ENOMEM;
		}
	}
	for (page = 0; page < region->pages; page++)
		*region_entry(region, page) = pte_remote(page);
	return 0;
}

static int take_frames(struct region *region)
{
	unsigned int i;

	for (i = 0; i < region->setup.frames; i++) {
		struct page *frame = alloc_page(GFP_HIGHUSER | __GFP_NOWARN);

		if (!frame)
			return -ENOMEM;
		list_add_tail(&frame->lru, &region->spare);
	}
	return 0;
}

/* The accelerator may keep lines of an earlier region's entries, which lay in the same place. */
static void forget_tables(struct region *region)
{
	unsigned long i, line;

	for (i = 0; i < region_tables(region); i++)
		for (line = 0; line < PAGE_SIZE; line += PFA_LINE_BYTES)
			pfa_put(region, PFA_FORGET, __pa(region->tables[i]) + line);
}

/* Fills the accelerator's queue, which is empty, with frames. */
static void offer_frames(struct region *region)
{
	unsigned int room;

	for (room = PFA_QUEUE_DEPTH; room && !list_empty(&region->spare); room--) {
		struct page *frame = first_of(&region->spare);

		list_del(&frame->lru);
		pfa_put(region, PFA_FREE, page_to_pfn(frame));
	}
}

/* Counters of the accelerator, which count from reset on. */
static struct remote_memory_counts since_reset(const struct region *region)
{
	struct remote_memory_counts counts = {
		.fetched = pfa_get(region, PFA_FETCHED),
		.repeated = readl(region->unit->regs + PFA_REPEATED),
		.walks = pfa_get(region, PFA_READS),
		.walks_missed = pfa_get(region, PFA_MISSES),
		.walk_wait_cycles = pfa_get(region, PFA_WAITED),
	};

	return counts;
}

int pages_start(struct region *region)
{
	int done = set_addresses(region);

	if (!done)
		done = make_tables(region);
	if (!done)
		done = take_frames(region);
	if (done) {
		free_memory(region);
		return done;
	}
	writel(region->setup.timeout_cycles, region->unit->regs + PFA_TIMEOUT);
	writel(region->setup.tries, region->unit->regs + PFA_TRIES);
	pfa_put(region, PFA_MEMORY, region->shown);
	forget_tables(region);
	region->evicted_before = pfa_get(region, PFA_EVICTED);
	region->before = since_reset(region);
	writel(1, region->unit->regs + PFA_CONTROL);
	if (region->setup.hardware)
		offer_frames(region);
	return 0;
}

struct remote_memory_counts pages_counts(struct region *region)
{
	const struct remote_memory_counts now = since_reset(region), *before = &region->before;
	struct remote_memory_counts counts = region->counts;

	counts.evicted = region->evictions;
	counts.fetched = now.fetched - before->fetched;
	counts.repeated = now.repeated - before->repeated;
	counts.walks = now.walks - before->walks;
	counts.walks_missed = now.walks_missed - before->walks_missed;
	counts.walk_wait_cycles = now.walk_wait_cycles - before->walk_wait_cycles;
	return counts;
}

/* Enters a page that has come into the books. */
static void enter(struct region *region, u64 page, struct page *frame)
{
	frame->index = page;
	list_add_tail(&frame->lru, &region->resident);
	region->counts.managed++;
}

/* Enters the pages that the accelerator has fetched. */
static void enter_new(struct region *region, unsigned int count)
{
	const u64 begin = cycles();

	for (; count; count--) {
		const u64 pair = pfa_get(region, PFA_NEW);

		enter(region, pfa_page(pair), pfn_to_page(pfa_frame(pair)));
	}
	region->counts.management_cycles += cycles() - begin;
}

void pages_settle(struct region *region)
{
	enter_new(region, pfa_new_pages(pfa_get(region, PFA_STATUS)));
}

static void evict_batch(struct region *region, struct vm_area_struct *vma)
{
	struct page *frame;
	LIST_HEAD(taken);
	unsigned int i;

	for (i = 0; i < region->setup.batch && !list_empty(&region->resident); i++) {
		frame = first_of(&region->resident);
		list_move_tail(&frame->lru, &taken);
		WRITE_ONCE(*region_entry(region, frame->index), pte_remote(frame->index));
		flush_tlb_page(vma, region->start + (frame->index << PAGE_SHIFT));
	}
	mb();
	list_for_each_entry(frame, &taken, lru) {
		if (region->setup.hardware)
			pfa_put(region, PFA_FORGET, __pa(region_entry(region, frame->index)));
		pfa_put(region, PFA_EVICT, pfa_pair(frame->index, page_to_pfn(frame)));
		region->evictions++;
	}
	list_splice_tail(&taken, &region->leaving);
}

/* Waits until the batch on its way out has arrived; its frames are free then. */
static bool collect_batch(struct region *region)
{
	unsigned int polls = 0;

	while (pfa_get(region, PFA_EVICTED) - region->evicted_before != region->evictions)
		if (++polls == MOST_POLLS)
			return false;
	list_splice_tail_init(&region->leaving, &region->spare);
	return true;
}

static bool reclaim(struct region *region, struct vm_area_struct *vma)
{
	if (list_empty(&region->leaving))
		evict_batch(region, vma);
	if (!collect_batch(region))
		return false;
	evict_batch(region, vma);
	return true;
}

static bool fetch(struct region *region, u64 page, struct page *frame)
{
	const u64 begin = cycles();
	u64 status;

	pfa_put(region, PFA_FETCH, pfa_pair(page, page_to_pfn(frame)));
	do
		status = pfa_get(region, PFA_STATUS);
	while (status & PFA_FETCHING);
	mb();
	region->counts.polling_cycles += cycles() - begin;
	return !(status & PFA_FAILED);
}

static bool in_software(struct region *region, struct vm_area_struct *vma, u64 page)
{
	struct page *frame;
	u64 begin;

	if (list_empty(&region->spare) && !reclaim(region, vma))
		return false;
	frame = first_of(&region->spare);
	if (!fetch(region, page, frame))
		return false;
	list_del(&frame->lru);
	WRITE_ONCE(*region_entry(region, page), pte_local(page_to_pfn(frame)));
	begin = cycles();
	enter(region, page, frame);
	region->counts.management_cycles += cycles() - begin;
	return true;
}

/* The accelerator had no frame, or the memory blade did not answer it. */
static bool in_hardware(struct region *region, struct vm_area_struct *vma)
{
	const u64 status = pfa_get(region, PFA_STATUS);

	if (pfa_free_frames(status))
		return false;
	enter_new(region, pfa_new_pages(status));
	if (list_empty(&region->spare) && !reclaim(region, vma))
		return false;
	offer_frames(region);
	return true;
}

vm_fault_t pages_fault(struct region *region, struct vm_area_struct *vma, unsigned long address)
{
	const u64 page = (address - region->start) >> PAGE_SHIFT, begin = cycles();
	bool done = true;

	region->counts.traps++;
	if (pte_is_remote(READ_ONCE(*region_entry(region, page))))
		done = region->setup.hardware ? in_hardware(region, vma)
					      : in_software(region, vma, page);
	/* Rocket's TLB keeps entries that are not valid, too. */
	local_flush_tlb_page(address);
	region->counts.handling_cycles += cycles() - begin;
	return done ? VM_FAULT_NOPAGE : VM_FAULT_SIGBUS;
}

/* A read of the entry of a remote page through the window has a frame used. */
static bool use_frame(struct region *region, unsigned long page)
{
	const phys_addr_t place = __pa(region_entry(region, page));
	void __iomem *entry = ioremap(region->unit->window + (place - region->shown), sizeof(u64));
	u64 found;

	if (!entry)
		return false;
	found = readq(entry);
	iounmap(entry);
	return found & _PAGE_PRESENT;
}

/* The accelerator gives frames back only with pages in them. */
static bool empty_queue(struct region *region)
{
	unsigned long page = 0;

	while (pfa_free_frames(pfa_get(region, PFA_STATUS))) {
		while (page < region->pages && !pte_is_remote(*region_entry(region, page)))
			page++;
		if (page == region->pages || !use_frame(region, page))
			return false;
		pages_settle(region);
	}
	return true;
}

/* Nobody has the memory any more. */
void pages_stop(struct region *region)
{
	pages_settle(region);
	if (!collect_batch(region) || (region->setup.hardware && !empty_queue(region))) {
		dev_err(region->unit->dev, "the memory blade does not answer: frames are lost\n");
		region->unit->lost = true;
	}
	writel(0, region->unit->regs + PFA_CONTROL);
	free_list(&region->resident);
	free_memory(region);
}
