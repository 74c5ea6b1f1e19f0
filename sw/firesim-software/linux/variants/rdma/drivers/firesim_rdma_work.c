// SPDX-License-Identifier: BSD-3-Clause
/*
 * FireSim RDMA NIC, work that programs have posted: entries are copied from the queues that are
 * shared with them into those of the NIC. An entry is read once, and checked as it was read.
 */
#include "firesim_rdma.h"

#define NIC_SIGNALED BIT(0)
#define NIC_SOLICITED BIT(1)
#define NIC_FENCED BIT(2)
#define NIC_SEND_INVALIDATE 12
#define NIC_UNKNOWN 0xff /* ends as a wrong operation */

/* A work request as it was read: the entry and its place in memory. */
struct request {
	struct rxe_send_wqe entry;
	struct rxe_sge place;
};

struct operation {
	u8 nic;
	u8 completion;
};

static const struct operation operations[] = {
	[IB_WR_RDMA_WRITE] = {0, IB_WC_RDMA_WRITE},
	[IB_WR_RDMA_WRITE_WITH_IMM] = {1, IB_WC_RDMA_WRITE},
	[IB_WR_SEND] = {2, IB_WC_SEND},
	[IB_WR_SEND_WITH_IMM] = {3, IB_WC_SEND},
	[IB_WR_RDMA_READ] = {4, IB_WC_RDMA_READ},
	[IB_WR_SEND_WITH_INV] = {NIC_SEND_INVALIDATE, IB_WC_SEND},
};

static struct operation operation_of(u32 opcode)
{
	const struct operation unknown = {NIC_UNKNOWN, IB_WC_SEND};

	if (opcode >= ARRAY_SIZE(operations) ||
	    (opcode > IB_WR_RDMA_READ && opcode != IB_WR_SEND_WITH_INV))
		return unknown;
	return operations[opcode];
}

/* Inline data goes to memory of the driver's, which the NIC reads by its physical address. */
static bool place_inline(struct frdma_qp *qp, struct frdma_work *work, u32 slot, u32 bytes,
			 const void *data)
{
	const size_t offset = (size_t)slot * qp->cap.max_inline_data;
	const dma_addr_t address = qp->inlined_address + offset;

	if (bytes > qp->cap.max_inline_data)
		return false;
	if (bytes)
		memcpy(qp->inlined + offset, data, bytes);
	work->local_low = cpu_to_le32(lower_32_bits(address));
	work->local_high = cpu_to_le32(upper_32_bits(address));
	work->bytes = cpu_to_le32(bytes);
	return true;
}

/* A key that no region has ends the work with an error of the NIC's. */
static bool place_region(struct frdma_qp *qp, struct frdma_work *work, struct frdma_send *sent,
			 const struct request *request)
{
	const struct rxe_sge *place = &request->place;

	if (request->entry.dma.num_sge > FRDMA_MOST_SGES)
		return false;
	work->local_key = cpu_to_le32(FRDMA_NO_KEY);
	if (!request->entry.dma.num_sge)
		return true;
	sent->region = frdma_region_of(to_frdma(qp->ib.device), qp->ib.pd, place->lkey);
	if (sent->region) {
		sent->region->users++;
		work->local_key = cpu_to_le32(place->lkey);
	}
	work->local_low = cpu_to_le32(lower_32_bits(place->addr));
	work->local_high = cpu_to_le32(upper_32_bits(place->addr));
	work->bytes = cpu_to_le32(place->length);
	return true;
}

static u8 flags_of(u32 flags)
{
	/* Each ends with a completion of the NIC's, so that the driver knows of it. */
	return NIC_SIGNALED | (flags & IB_SEND_SOLICITED ? NIC_SOLICITED : 0) |
	       (flags & IB_SEND_FENCE ? NIC_FENCED : 0);
}

static void take_send(struct frdma_qp *qp, const struct rxe_send_wqe *shared)
{
	const u32 slot = qp->sends.posted & qp->sends.mask;
	struct frdma_work *work = (struct frdma_work *)qp->sends.entries + slot;
	struct frdma_send *sent = &qp->sent[slot];
	struct operation operation;
	struct request request;
	u32 flags;
	bool fits;

	memcpy(&request, shared, sizeof(request));
	barrier(); /* the program may write to it now */
	flags = request.entry.wr.send_flags;
	operation = operation_of(request.entry.wr.opcode);
	memset(work, 0, sizeof(*work));
	sent->region = NULL;
	if (flags & IB_SEND_INLINE)
		fits = operation.nic != operations[IB_WR_RDMA_READ].nic &&
		       place_inline(qp, work, slot, request.entry.dma.length,
				    shared->dma.inline_data);
	else
		fits = place_region(qp, work, sent, &request);
	work->id = cpu_to_le32(slot);
	work->opcode = fits ? operation.nic : NIC_UNKNOWN;
	work->flags = flags_of(flags);
	work->remote_low = cpu_to_le32(lower_32_bits(request.entry.wr.wr.rdma.remote_addr));
	work->remote_high = cpu_to_le32(upper_32_bits(request.entry.wr.wr.rdma.remote_addr));
	work->remote_key = cpu_to_le32(request.entry.wr.wr.rdma.rkey);
	work->immediate = cpu_to_le32(request.entry.wr.opcode == IB_WR_SEND_WITH_INV
					      ? request.entry.wr.ex.invalidate_rkey
					      : be32_to_cpu(request.entry.wr.ex.imm_data));
	sent->id = request.entry.wr.wr_id;
	sent->bytes = le32_to_cpu(work->bytes);
	sent->opcode = operation.completion;
	sent->signaled = qp->signals_all || flags & IB_SEND_SIGNALED;
	qp->sends.posted++;
}

static bool has_room(const struct frdma_ring *ring)
{
	return (u16)(ring->posted - ring->done) < ring->mask;
}

void frdma_take_sends(struct frdma_qp *qp)
{
	struct frdma *nic = to_frdma(qp->ib.device);
	const u16 before = qp->sends.posted;
	const void *shared;

	if (!qp->live || qp->state != IB_QPS_RTS)
		return;
	while (has_room(&qp->sends) && (shared = frdma_queue_take(qp->send_queue)))
		take_send(qp, shared);
	if (qp->sends.posted != before)
		writel((u32)qp->sends.posted << 16 | qp->number, nic->regs + FRDMA_SEND_DOORBELL);
}

static void take_receive(struct frdma_qp *qp, const struct rxe_recv_wqe *shared)
{
	const u32 slot = qp->receives.posted & qp->receives.mask;
	struct frdma_buffer *buffer = (struct frdma_buffer *)qp->receives.entries + slot;
	struct {
		struct rxe_recv_wqe entry;
		struct rxe_sge place;
	} request;

	memcpy(&request, shared, sizeof(request));
	barrier(); /* the program may write to it now */
	memset(buffer, 0, sizeof(*buffer));
	buffer->id = cpu_to_le32(slot);
	/* Key 0 would be all of memory. */
	buffer->local_key = cpu_to_le32(request.place.lkey ? request.place.lkey : FRDMA_NO_KEY);
	if (request.entry.dma.num_sge == FRDMA_MOST_SGES) {
		buffer->address = cpu_to_le64(request.place.addr);
		buffer->bytes = cpu_to_le32(request.place.length);
	} else {
		buffer->local_key = cpu_to_le32(FRDMA_NO_KEY);
	}
	qp->received[slot] = request.entry.wr_id;
	qp->receives.posted++;
}

/* Whether the NIC has receive requests, or needs none. */
bool frdma_take_receives(struct frdma_qp *qp)
{
	struct frdma *nic = to_frdma(qp->ib.device);
	const u16 before = qp->receives.posted;
	const void *shared;

	if (!qp->live || qp->state == IB_QPS_ERR)
		return true;
	while (has_room(&qp->receives) && (shared = frdma_queue_take(qp->receive_queue)))
		take_receive(qp, shared);
	if (qp->receives.posted != before)
		writel((u32)qp->receives.posted << 16 | qp->number,
		       nic->regs + FRDMA_RECEIVE_DOORBELL);
	return qp->receives.posted != qp->receives.done;
}

/* Programs have written what they send into their queue: `wr` is empty. */
int frdma_post_send(struct ib_qp *ib, const struct ib_send_wr *wr, const struct ib_send_wr **bad_wr)
{
	struct frdma *nic = to_frdma(ib->device);
	struct frdma_qp *qp = to_frdma_qp(ib);
	unsigned long state;
	int error = 0;

	*bad_wr = wr;
	if (wr)
		return -EOPNOTSUPP;
	spin_lock_irqsave(&nic->lock, state);
	if (qp->state == IB_QPS_RTS) {
		frdma_take_receives(qp);
		frdma_take_sends(qp);
	} else if (qp->state == IB_QPS_ERR) {
		if (!qp->live)
			frdma_flush(qp);
	} else {
		error = -EINVAL;
	}
	spin_unlock_irqrestore(&nic->lock, state);
	return error;
}
