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

/* The oldest work request of the NIC's has ended. */
static void end_send(struct frdma_qp *qp, u32 status)
{
	struct frdma_send *sent = &qp->sent[qp->sends.done & qp->sends.mask];
	struct ib_uverbs_wc wc = make_wc(qp, sent->id, status, sent->opcode);

	wc.byte_len = sent->bytes;
	if (sent->region)
		sent->region->users--;
	sent->region = NULL;
	qp->sends.done++;
	frdma_queue_give_back(qp->send_queue);
	if (sent->signaled || status)
		frdma_cq_add(to_frdma_cq(qp->ib.send_cq), &wc, false);
}

static void end_receive(struct frdma_qp *qp, u32 status, const struct frdma_completion *entry)
{
	const u64 id = qp->received[qp->receives.done & qp->receives.mask];
	struct ib_uverbs_wc wc = make_wc(qp, id, status, IB_WC_RECV);
	bool solicited = false;

	if (entry) {
		const u8 opcode = le32_to_cpu(entry->qp_and_opcode) >> 24;
		const u32 immediate = le32_to_cpu(entry->immediate);

		wc.byte_len = le32_to_cpu(entry->bytes);
		if (opcode >= FRDMA_WRITE_FIRST && opcode <= FRDMA_WRITE_LAST)
			wc.opcode = IB_WC_RECV_RDMA_WITH_IMM;
		if (entry->flags & FRDMA_COMPLETION_IMMEDIATE) {
			wc.wc_flags = IB_WC_WITH_IMM;
			wc.ex.imm_data = cpu_to_be32(immediate);
		} else if (entry->flags & FRDMA_COMPLETION_INVALIDATED) {
			wc.wc_flags = USER_WITH_INVALIDATE;
			wc.ex.invalidate_rkey = immediate;
		}
		solicited = entry->flags & FRDMA_COMPLETION_SOLICITED;
	}
	qp->receives.done++;
	frdma_queue_give_back(qp->receive_queue);
	frdma_cq_add(to_frdma_cq(qp->ib.recv_cq), &wc, solicited);
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
			end_receive(qp, entry->status, entry);
			continue;
		}
		end_send(qp, entry->status);
		if (entry->status)
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

/* The NIC does not have the queue pair any more: what it had ends, then what it never saw. No more
 * than a queue's length, in case the program goes on. */
void frdma_flush(struct frdma_qp *qp)
{
	const void *shared;
	u32 left;

	while (qp->sends.done != qp->sends.posted)
		end_send(qp, IB_WC_WR_FLUSH_ERR);
	while (qp->receives.done != qp->receives.posted)
		end_receive(qp, IB_WC_WR_FLUSH_ERR, NULL);
	for (left = qp->sends.mask; left && (shared = frdma_queue_take(qp->send_queue)); left--)
		flush_send(qp, shared);
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
	}
	qp->receives.done = qp->receives.posted;
	frdma_queue_drop(qp->send_queue);
	frdma_queue_drop(qp->receive_queue);
}
