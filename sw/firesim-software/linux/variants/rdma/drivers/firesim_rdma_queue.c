// SPDX-License-Identifier: BSD-3-Clause
/*
 * FireSim RDMA NIC, queues that are shared with programs: rings in memory that both map, with the
 * layout of rxe's user ABI. A program owns one index of each, which is masked wherever it is read;
 * what it does with the other one is without effect, since the driver only writes that one.
 */
#include <linux/log2.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <rdma/uverbs_ioctl.h>

#include "firesim_rdma.h"

/* Room for at least `entries`; `info` is what the program maps it by. */
struct frdma_queue *frdma_queue_create(struct ib_udata *udata, u32 entries, u32 entry_bytes,
				       struct mminfo *info)
{
	struct frdma_context *context = rdma_udata_to_drv_context(udata, struct frdma_context, ib);
	struct frdma_queue *queue = kzalloc(sizeof(*queue), GFP_KERNEL);
	size_t bytes;
	int error;

	if (!queue)
		return ERR_PTR(-ENOMEM);
	queue->mask = roundup_pow_of_two(entries + 1) - 1;
	queue->shift = order_base_2(max_t(u32, entry_bytes, SMP_CACHE_BYTES));
	bytes = PAGE_ALIGN(sizeof(*queue->buf) + ((size_t)(queue->mask + 1) << queue->shift));
	queue->buf = vmalloc_user(bytes);
	if (!queue->buf) {
		kfree(queue);
		return ERR_PTR(-ENOMEM);
	}
	queue->buf->log2_elem_size = queue->shift;
	queue->buf->index_mask = queue->mask;
	error = rdma_user_mmap_entry_insert(&context->ib, &queue->entry, bytes);
	if (error) {
		vfree(queue->buf);
		kfree(queue);
		return ERR_PTR(error);
	}
	info->offset = rdma_user_mmap_get_offset(&queue->entry);
	info->size = bytes;
	return queue;
}

/* It is gone when nobody maps it any more. */
void frdma_queue_destroy(struct frdma_queue *queue)
{
	if (!IS_ERR_OR_NULL(queue))
		rdma_user_mmap_entry_remove(&queue->entry);
}

void frdma_mmap_free(struct rdma_user_mmap_entry *entry)
{
	struct frdma_queue *queue = container_of(entry, struct frdma_queue, entry);

	vfree(queue->buf);
	kfree(queue);
}

int frdma_mmap(struct ib_ucontext *context, struct vm_area_struct *vma)
{
	struct rdma_user_mmap_entry *entry = rdma_user_mmap_entry_get(context, vma);
	int error;

	if (!entry)
		return -EINVAL;
	/* The mapping has references to the pages: it may outlive the queue. */
	error = remap_vmalloc_range(vma, container_of(entry, struct frdma_queue, entry)->buf, 0);
	rdma_user_mmap_entry_put(entry);
	return error;
}

static void *entry_at(const struct frdma_queue *queue, u32 index)
{
	return queue->buf->data + ((size_t)index << queue->shift);
}

static u32 posted(const struct frdma_queue *queue)
{
	return smp_load_acquire(&queue->buf->producer_index) & queue->mask;
}

bool frdma_queue_has_work(const struct frdma_queue *queue)
{
	return queue->taken != posted(queue);
}

/* How many entries the program has posted that were not taken. */
u32 frdma_queue_left(const struct frdma_queue *queue)
{
	return (posted(queue) - queue->taken) & queue->mask;
}

/* The next entry that the program has posted, or NULL. The program may still change it. */
const void *frdma_queue_take(struct frdma_queue *queue)
{
	const void *entry = entry_at(queue, queue->taken);

	if (!frdma_queue_has_work(queue))
		return NULL;
	queue->taken = (queue->taken + 1) & queue->mask;
	return entry;
}

/* The entry that was taken last will be taken again. */
void frdma_queue_untake(struct frdma_queue *queue)
{
	queue->taken = (queue->taken - 1) & queue->mask;
}

/* The oldest entry that was taken has ended: the program may use its place. */
void frdma_queue_give_back(struct frdma_queue *queue)
{
	queue->done = (queue->done + 1) & queue->mask;
	smp_store_release(&queue->buf->consumer_index, queue->done);
}

/* What was taken and has not ended will be taken again. */
void frdma_queue_take_again(struct frdma_queue *queue)
{
	queue->taken = queue->done;
}

/* Forgets all that was posted. */
void frdma_queue_drop(struct frdma_queue *queue)
{
	queue->taken = posted(queue);
	queue->done = queue->taken;
	smp_store_release(&queue->buf->consumer_index, queue->done);
}

/* Where the next completion goes, or NULL if the program has left no room. */
void *frdma_queue_place(struct frdma_queue *queue)
{
	const u32 oldest = smp_load_acquire(&queue->buf->consumer_index) & queue->mask;

	if (((queue->taken + 1) & queue->mask) == oldest)
		return NULL;
	return entry_at(queue, queue->taken);
}

/* That completion is there. */
void frdma_queue_put(struct frdma_queue *queue)
{
	queue->taken = (queue->taken + 1) & queue->mask;
	smp_store_release(&queue->buf->producer_index, queue->taken);
}
