// SPDX-License-Identifier: BSD-3-Clause
/*
 * FireSim RDMA NIC, completion queues of programs: rings that the driver writes, and events for
 * those who wait.
 */
#include <rdma/uverbs_ioctl.h>

#include "firesim_rdma.h"

int frdma_create_cq(struct ib_cq *ib, const struct ib_cq_init_attr *attr, struct ib_udata *udata)
{
	struct frdma_cq *cq = to_frdma_cq(ib);
	struct rxe_create_cq_resp answer = {};
	int error;

	if (!udata || attr->flags)
		return -EOPNOTSUPP;
	if (!attr->cqe || attr->cqe > FRDMA_MOST_CQES || udata->outlen < sizeof(answer))
		return -EINVAL;
	cq->queue = frdma_queue_create(udata, attr->cqe, sizeof(struct ib_uverbs_wc), &answer.mi);
	if (IS_ERR(cq->queue))
		return PTR_ERR(cq->queue);
	ib->cqe = cq->queue->mask;
	error = ib_copy_to_udata(udata, &answer, sizeof(answer));
	if (error)
		frdma_queue_destroy(cq->queue);
	return error;
}

/* The core sees to it that no queue pair uses it any more. */
int frdma_destroy_cq(struct ib_cq *ib, struct ib_udata *udata)
{
	frdma_queue_destroy(to_frdma_cq(ib)->queue);
	return 0;
}

/* A program that is about to sleep has posted its receive requests: they are taken here. */
int frdma_req_notify_cq(struct ib_cq *ib, enum ib_cq_notify_flags flags)
{
	struct frdma *nic = to_frdma(ib->device);
	struct frdma_cq *cq = to_frdma_cq(ib);
	unsigned long state;
	unsigned int i;
	int missed;

	spin_lock_irqsave(&nic->lock, state);
	if (cq->notify != IB_CQ_NEXT_COMP)
		cq->notify = flags & IB_CQ_SOLICITED_MASK;
	for (i = FRDMA_FIRST_QP; i < FRDMA_QPS; i++)
		if (nic->qps[i] && nic->qps[i]->ib.recv_cq == ib)
			frdma_take_receives(nic->qps[i]);
	missed = flags & IB_CQ_REPORT_MISSED_EVENTS &&
		 cq->queue->taken != (READ_ONCE(cq->queue->buf->consumer_index) & cq->queue->mask);
	spin_unlock_irqrestore(&nic->lock, state);
	return missed;
}

/* A program that leaves no room loses the completion, and is told once. */
void frdma_cq_add(struct frdma_cq *cq, const struct ib_uverbs_wc *wc, bool solicited)
{
	struct ib_uverbs_wc *place = frdma_queue_place(cq->queue);

	if (!place) {
		struct ib_event event = {
			.device = cq->ib.device, .element.cq = &cq->ib, .event = IB_EVENT_CQ_ERR};

		if (!cq->overrun && cq->ib.event_handler)
			cq->ib.event_handler(&event, cq->ib.cq_context);
		cq->overrun = true;
		return;
	}
	*place = *wc;
	frdma_queue_put(cq->queue);
	if (cq->notify == IB_CQ_NEXT_COMP || (cq->notify && (solicited || wc->status))) {
		cq->notify = 0;
		cq->ib.comp_handler(&cq->ib, cq->ib.cq_context);
	}
}
