// SPDX-License-Identifier: BSD-3-Clause
/*
 * FireSim RDMA NIC, regions of memory: a program's pages are pinned and entered into the table of
 * pages, a stretch of it for each region.
 */
#include <linux/bitmap.h>
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <rdma/ib_umem.h>

#if __has_include(<rdma/iter.h>) /* a later 6.1 has it apart from umems */
#include <rdma/iter.h>
#endif

#include "firesim_rdma.h"

#define NIC_LOCAL_WRITE BIT(0)
#define NIC_REMOTE_READ BIT(1)
#define NIC_REMOTE_WRITE BIT(2)
#define KEY_VARIANT_BITS 8
/* The NIC has no atomic operations: the right to them is one to nothing. */
#define RIGHTS                                                                                     \
	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE |                  \
	 IB_ACCESS_REMOTE_ATOMIC | IB_ACCESS_OPTIONAL)
/* What had left for memory when a region was taken back has arrived by then. */
#define SETTLE_US 2
#define MOST_TABLE_BYTES (PAGE_SIZE << (MAX_ORDER - 1))

/* Room for each page of memory once, as far as memory in one piece goes. */
int frdma_table_create(struct frdma *nic)
{
	const u32 most = MOST_TABLE_BYTES / sizeof(*nic->table);

	nic->pages = min_t(unsigned long, roundup_pow_of_two(totalram_pages()), most);
	nic->table = dmam_alloc_coherent(nic->parent, nic->pages * sizeof(*nic->table),
					 &nic->table_address, GFP_KERNEL);
	nic->used = devm_bitmap_zalloc(nic->parent, nic->pages, GFP_KERNEL);
	if (!nic->table || !nic->used)
		return -ENOMEM;
	writeq(nic->table_address, nic->regs + FRDMA_TABLE);
	writel(nic->pages, nic->regs + FRDMA_PAGES);
	return 0;
}

/* The NIC looks at the table again. */
static void table_changed(struct frdma *nic)
{
	writel(nic->pages, nic->regs + FRDMA_PAGES);
}

static int enter_pages(struct frdma *nic, struct frdma_region *region)
{
	struct ib_block_iter block;
	unsigned long first;
	u32 page;

	region->pages = ib_umem_num_dma_blocks(region->umem, PAGE_SIZE);
	mutex_lock(&nic->table_lock);
	first = bitmap_find_next_zero_area(nic->used, nic->pages, 0, region->pages, 0);
	if (first >= nic->pages) {
		mutex_unlock(&nic->table_lock);
		return -ENOMEM;
	}
	bitmap_set(nic->used, first, region->pages);
	region->first_page = page = first;
	rdma_umem_for_each_dma_block (region->umem, &block, PAGE_SIZE)
		nic->table[page++] = cpu_to_le64(rdma_block_iter_dma_address(&block) | 1);
	table_changed(nic);
	mutex_unlock(&nic->table_lock);
	return 0;
}

static void remove_pages(struct frdma *nic, struct frdma_region *region)
{
	mutex_lock(&nic->table_lock);
	memset(&nic->table[region->first_page], 0, region->pages * sizeof(*nic->table));
	table_changed(nic);
	bitmap_clear(nic->used, region->first_page, region->pages);
	mutex_unlock(&nic->table_lock);
}

/* The low byte of a key is another one each time, and is never 0. */
static int choose_number(struct frdma *nic, struct frdma_region *region)
{
	int error = -ENOSPC;
	unsigned int i;

	spin_lock_irq(&nic->lock);
	for (i = 0; i < FRDMA_REGIONS; i++) {
		if (nic->regions[i])
			continue;
		nic->variants[i] = nic->variants[i] == U8_MAX ? 1 : nic->variants[i] + 1;
		region->number = i;
		region->ib.lkey = i << KEY_VARIANT_BITS | nic->variants[i];
		region->ib.rkey = region->ib.lkey;
		nic->regions[i] = region;
		error = 0;
		break;
	}
	spin_unlock_irq(&nic->lock);
	return error;
}

static void set_region(struct frdma *nic, const struct frdma_region *region, const struct ib_pd *pd,
		       u64 length, u64 address, int access)
{
	const u64 rights = (access & IB_ACCESS_LOCAL_WRITE ? NIC_LOCAL_WRITE : 0) |
			   (access & IB_ACCESS_REMOTE_READ ? NIC_REMOTE_READ : 0) |
			   (access & IB_ACCESS_REMOTE_WRITE ? NIC_REMOTE_WRITE : 0);
	const u64 domain = container_of(pd, struct frdma_pd, ib)->number;
	const u64 first = FRDMA_PAGED | (u64)region->first_page << PAGE_SHIFT;
	const u64 words[] = {(region->ib.lkey & U8_MAX) | rights << 8 | domain << 32, address,
			     length, first + ib_umem_offset(region->umem)};

	frdma_command(nic, FRDMA_SET_REGION, region->number, words, ARRAY_SIZE(words));
}

struct ib_mr *frdma_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 address, int access,
				struct ib_udata *udata)
{
	struct frdma *nic = to_frdma(pd->device);
	struct frdma_region *region;
	int error;

	if (access & ~RIGHTS)
		return ERR_PTR(-EOPNOTSUPP);
	if (!length || length >= BIT_ULL(FRDMA_ADDRESS_BITS) || address + length < address)
		return ERR_PTR(-EINVAL);
	region = kzalloc(sizeof(*region), GFP_KERNEL);
	if (!region)
		return ERR_PTR(-ENOMEM);
	region->address = address;
	region->ib.pd = pd; /* keys are compared with it before the core sets it */
	region->umem = ib_umem_get(pd->device, start, length, access);
	if (IS_ERR(region->umem)) {
		error = PTR_ERR(region->umem);
		goto free;
	}
	error = enter_pages(nic, region);
	if (error)
		goto release;
	error = choose_number(nic, region);
	if (error)
		goto remove;
	set_region(nic, region, pd, length, address, access);
	return &region->ib;

remove:
	remove_pages(nic, region);
release:
	ib_umem_release(region->umem);
free:
	kfree(region);
	return ERR_PTR(error);
}

/* Of work that the NIC has, it knows where the memory is: until that has ended, memory stays. */
int frdma_dereg_mr(struct ib_mr *mr, struct ib_udata *udata)
{
	struct frdma_region *region = container_of(mr, struct frdma_region, ib);
	struct frdma *nic = to_frdma(mr->device);
	bool busy;

	spin_lock_irq(&nic->lock);
	busy = region->users;
	if (!busy)
		region->ib.lkey = FRDMA_NO_KEY; /* so that there will be no new user */
	spin_unlock_irq(&nic->lock);
	if (busy)
		return -EBUSY;
	frdma_command(nic, FRDMA_CLEAR_REGION, region->number, NULL, 0);
	udelay(SETTLE_US);
	spin_lock_irq(&nic->lock);
	nic->regions[region->number] = NULL;
	spin_unlock_irq(&nic->lock);
	remove_pages(nic, region);
	ib_umem_release(region->umem);
	kfree(region);
	return 0;
}

/* The region of a key, if the domain has it; the lock is held. */
struct frdma_region *frdma_region_of(struct frdma *nic, const struct ib_pd *pd, u32 key)
{
	struct frdma_region *region;

	if (key >> KEY_VARIANT_BITS >= FRDMA_REGIONS)
		return NULL;
	region = nic->regions[key >> KEY_VARIANT_BITS];
	return region && region->ib.pd == pd && region->ib.lkey == key ? region : NULL;
}
