// SPDX-License-Identifier: BSD-3-Clause
/*
 * FireSim RDMA NIC, receive queues that queue pairs share. The NIC has a receive queue for each
 * queue pair, so the driver gives each some of the shared requests ahead, and takes back what a
 * queue pair has not used when it ends. So no request is lost, but one that an idle queue pair has
 * is not there for another.
 */
#include <linux/slab.h>
#include <rdma/uverbs_ioctl.h>

#include "firesim_rdma.h"

int frdma_create_srq(struct ib_srq *ib, struct ib_srq_init_attr *init, struct ib_udata *udata)
{
	struct frdma_srq *srq = to_frdma_srq(ib);
	struct rxe_create_srq_resp answer = {};
	int error;

	if (!udata || init->srq_type != IB_SRQT_BASIC)
		return -EOPNOTSUPP;
	if (!init->attr.max_wr || init->attr.max_wr > FRDMA_MOST_WORK ||
	    init->attr.max_sge > FRDMA_MOST_SGES || init->attr.srq_limit > init->attr.max_wr ||
	    udata->outlen < sizeof(answer))
		return -EINVAL;
	srq->queue = frdma_queue_create(udata, init->attr.max_wr, FRDMA_RECEIVE_BYTES, &answer.mi);
	if (IS_ERR(srq->queue))
		return PTR_ERR(srq->queue);
	srq->returned = kvcalloc(srq->queue->mask, sizeof(*srq->returned), GFP_KERNEL);
	error = srq->returned ? ib_copy_to_udata(udata, &answer, sizeof(answer)) : -ENOMEM;
	if (error) {
		kvfree(srq->returned);
		frdma_queue_destroy(srq->queue);
		return error;
	}
	srq->limit = init->attr.srq_limit;
	init->attr.max_wr = srq->queue->mask;
	init->attr.max_sge = FRDMA_MOST_SGES;
	return 0;
}

/* The core sees to it that no queue pair uses it any more. */
int frdma_destroy_srq(struct ib_srq *ib, struct ib_udata *udata)
{
	struct frdma_srq *srq = to_frdma_srq(ib);

	kvfree(srq->returned);
	frdma_queue_destroy(srq->queue);
	return 0;
}

/* Tells the program, once, that fewer requests are left than it has asked for. */
static void check_limit(struct frdma_srq *srq)
{
	struct ib_event event = {.device = srq->ib.device,
				 .element.srq = &srq->ib,
				 .event = IB_EVENT_SRQ_LIMIT_REACHED};
	const u32 left = frdma_queue_left(srq->queue) + srq->count + srq->given;

	if (left >= srq->limit)
		return;
	srq->limit = 0;
	if (srq->ib.event_handler)
		srq->ib.event_handler(&event, srq->ib.srq_context);
}

int frdma_modify_srq(struct ib_srq *ib, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		     struct ib_udata *udata)
{
	struct frdma_srq *srq = to_frdma_srq(ib);
	struct frdma *nic = to_frdma(ib->device);

	if (mask & IB_SRQ_MAX_WR)
		return -EOPNOTSUPP;
	if (!(mask & IB_SRQ_LIMIT))
		return 0;
	if (attr->srq_limit > srq->queue->mask)
		return -EINVAL;
	spin_lock_irq(&nic->lock);
	srq->limit = attr->srq_limit;
	check_limit(srq);
	spin_unlock_irq(&nic->lock);
	return 0;
}

int frdma_query_srq(struct ib_srq *ib, struct ib_srq_attr *attr)
{
	const struct frdma_srq *srq = to_frdma_srq(ib);

	attr->max_wr = srq->queue->mask;
	attr->max_sge = FRDMA_MOST_SGES;
	attr->srq_limit = srq->limit;
	return 0;
}

/* How many requests a queue pair may have ahead: all together half of them, and one at least. */
u32 frdma_srq_share(const struct frdma_srq *srq)
{
	return max(srq->queue->mask / (2 * max(srq->users, 1U)), 1U);
}

/* The next request, if there is one. */
bool frdma_srq_take(struct frdma_srq *srq, struct frdma_request *request)
{
	const void *shared;

	if (srq->count) {
		*request = srq->returned[--srq->count];
	} else {
		if (srq->given == srq->queue->mask)
			return false;
		shared = frdma_queue_take(srq->queue);
		if (!shared)
			return false;
		frdma_read_request(request, shared);
		/* It is the driver's now, so its place is free. */
		frdma_queue_give_back(srq->queue);
	}
	srq->given++;
	return true;
}

/* A request that was taken was not used. */
void frdma_srq_return(struct frdma_srq *srq, const struct frdma_request *request)
{
	srq->given--;
	srq->returned[srq->count++] = *request;
}

/* A request that was taken has ended. */
void frdma_srq_done(struct frdma_srq *srq)
{
	srq->given--;
	check_limit(srq);
}
