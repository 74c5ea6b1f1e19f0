// SPDX-License-Identifier: BSD-3-Clause
/*
 * FireSim RDMA NIC, work that has ended: completions of the NIC become those of programs, and what
 * a queue pair in error has left is flushed.
 */
#include "firesim_rdma.h"

#define PHASE BIT_ULL(63)
/* As libibverbs has it; the kernel's own number is another one. */
#define USER_WITH_INVALIDATE BIT(3)
/* The peer's answer to a wrong packet leaves first. */
#define FLUSH_MS 1

static struct ib_uverbs_wc make_wc(const struct frdma_qp *qp, u64 id, u32 status, u32 opcode)
{
	return (struct ib_uverbs_wc){.wr_id = id,
				     .status = status,
				     .opcode = opcode,
				     .qp_num = qp->number,
				     .src_qp = qp->attr.dest_qp_num,
				     .port_num = 1};
}

/* A queue pair in error stops; what is left of it is flushed soon. */
void frdma_fail(struct frdma_qp *qp, enum ib_event_type event)
{
	struct ib_event what = {.device = qp->ib.device, .element.qp = &qp->ib, .event = event};

	if (qp->state == IB_QPS_ERR)
		return;
	qp->state = IB_QPS_ERR;
	if (qp->ib.event_handler)
		qp->ib.event_handler(&what, qp->ib.qp_context);
	schedule_delayed_work(&qp->flush, msecs_to_jiffies(FLUSH_MS));
}

/* The oldest work request of the NIC's has ended; returns how. */
static u32 end_send(struct frdma_qp *qp, u32 status)
{
	struct frdma_send *sent = &qp->sent[qp->sends.done & qp->sends.mask];
	struct ib_uverbs_wc wc;

	if (sent->bounce && !status && sent->opcode == IB_WC_RDMA_READ &&
	    !frdma_scatter(qp, sent->bounce, sent->bytes))
		status = IB_WC_LOC_PROT_ERR;
	wc = make_wc(qp, sent->id, status, sent->opcode);
	wc.byte_len = sent->bytes;
	if (sent->region)
		sent->region->users--;
	sent->region = NULL;
	frdma_bounce_destroy(qp, sent->bounce);
	sent->bounce = NULL;
	qp->sends.done++;
	frdma_queue_give_back(qp->send_queue);
	if (sent->signaled || status)
		frdma_cq_add(to_frdma_cq(qp->ib.send_cq), &wc, false);
	return status;
}

static u32 end_receive(struct frdma_qp *qp, u32 status, const struct frdma_completion *entry)
{
	struct frdma_received *received = &qp->received[qp->receives.done & qp->receives.mask];
	struct ib_uverbs_wc wc = make_wc(qp, received->request.id, status, IB_WC_RECV);
	bool solicited = false;

	if (entry) {
		const u8 opcode = le32_to_cpu(entry->qp_and_opcode) >> 24;
		const u32 immediate = le32_to_cpu(entry->immediate);

		wc.byte_len = le32_to_cpu(entry->bytes);
		if (opcode >= FRDMA_WRITE_FIRST && opcode <= FRDMA_WRITE_LAST)
			wc.opcode = IB_WC_RECV_RDMA_WITH_IMM;
		else if (received->bounce && !status &&
			 !frdma_scatter(qp, received->bounce, wc.byte_len))
			wc.status = IB_WC_LOC_PROT_ERR;
		if (entry->flags & FRDMA_COMPLETION_IMMEDIATE) {
			wc.wc_flags = IB_WC_WITH_IMM;
			wc.ex.imm_data = cpu_to_be32(immediate);
		} else if (entry->flags & FRDMA_COMPLETION_INVALIDATED) {
			wc.wc_flags = USER_WITH_INVALIDATE;
			wc.ex.invalidate_rkey = immediate;
		}
		solicited = entry->flags & FRDMA_COMPLETION_SOLICITED;
	}
	frdma_bounce_destroy(qp, received->bounce);
	received->bounce = NULL;
	qp->receives.done++;
	if (qp->srq)
		frdma_srq_done(qp->srq);
	else
		frdma_queue_give_back(qp->receive_queue);
	frdma_cq_add(to_frdma_cq(qp->ib.recv_cq), &wc, solicited);
	return wc.status;
}

/* The next completion of the NIC, or NULL; its phase is 1 in the first pass through the ring. */
static const struct frdma_completion *next_completion(struct frdma_qp *qp)
{
	struct frdma_ring *ring = &qp->completions;
	const struct frdma_completion *entry =
		(const struct frdma_completion *)ring->entries + (ring->done & ring->mask);
	const bool phase = !(ring->done & (ring->mask + 1));

	if (!!(le64_to_cpu(READ_ONCE(entry->phase_and_index)) & PHASE) != phase)
		return NULL;
	dma_rmb();
	ring->done++;
	return entry;
}

void frdma_complete(struct frdma_qp *qp)
{
	const struct frdma_completion *entry;

	if (!qp->live)
		return;
	while ((entry = next_completion(qp))) {
		if (entry->flags & FRDMA_COMPLETION_RECEIVED) {
			if (end_receive(qp, entry->status, entry) != entry->status)
				frdma_fail(qp, IB_EVENT_QP_ACCESS_ERR);
			continue;
		}
		if (end_send(qp, entry->status))
			frdma_fail(qp, IB_EVENT_QP_FATAL);
	}
	frdma_take_sends(qp);
}

static void flush_send(struct frdma_qp *qp, const struct rxe_send_wqe *shared)
{
	const struct ib_uverbs_wc wc =
		make_wc(qp, READ_ONCE(shared->wr.wr_id), IB_WC_WR_FLUSH_ERR, IB_WC_SEND);

	frdma_queue_give_back(qp->send_queue);
	frdma_cq_add(to_frdma_cq(qp->ib.send_cq), &wc, false);
}

static void flush_receive(struct frdma_qp *qp, const struct rxe_recv_wqe *shared)
{
	const struct ib_uverbs_wc wc =
		make_wc(qp, READ_ONCE(shared->wr_id), IB_WC_WR_FLUSH_ERR, IB_WC_RECV);

	frdma_queue_give_back(qp->receive_queue);
	frdma_cq_add(to_frdma_cq(qp->ib.recv_cq), &wc, false);
}

/* The NIC does not have the queue pair any more, and receive requests that it had are not used:
 * they are taken again, or another queue pair may have them. */
void frdma_withdraw_receives(struct frdma_qp *qp)
{
	while (qp->receives.posted != qp->receives.done) {
		struct frdma_received *received =
			&qp->received[--qp->receives.posted & qp->receives.mask];

		frdma_bounce_destroy(qp, received->bounce);
		received->bounce = NULL;
		if (qp->srq)
			frdma_srq_return(qp->srq, &received->request);
		else
			frdma_queue_untake(qp->receive_queue);
	}
}

/* The NIC does not have the queue pair any more: what it had ends, then what it never saw. No more
 * than a queue's length, in case the program goes on. */
void frdma_flush(struct frdma_qp *qp)
{
	const void *shared;
	u32 left;

	while (qp->sends.done != qp->sends.posted)
		end_send(qp, IB_WC_WR_FLUSH_ERR);
	if (qp->srq)
		frdma_withdraw_receives(qp);
	while (qp->receives.done != qp->receives.posted)
		end_receive(qp, IB_WC_WR_FLUSH_ERR, NULL);
	for (left = qp->sends.mask; left && (shared = frdma_queue_take(qp->send_queue)); left--)
		flush_send(qp, shared);
	if (qp->srq)
		return;
	for (left = qp->receives.mask; left && (shared = frdma_queue_take(qp->receive_queue));
	     left--)
		flush_receive(qp, shared);
}

/* All work of a queue pair that the NIC does not have any more is gone without a completion. */
void frdma_forget(struct frdma_qp *qp)
{
	for (; qp->sends.done != qp->sends.posted; qp->sends.done++) {
		struct frdma_send *sent = &qp->sent[qp->sends.done & qp->sends.mask];

		if (sent->region)
			sent->region->users--;
		sent->region = NULL;
		frdma_bounce_destroy(qp, sent->bounce);
		sent->bounce = NULL;
	}
	frdma_withdraw_receives(qp);
	frdma_queue_drop(qp->send_queue);
	if (!qp->srq)
		frdma_queue_drop(qp->receive_queue);
}
