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
/* Receive requests that are copied at most before the NIC is told of them: a program may have
 * posted hundreds, and the NIC use up the last one that it had while they are copied. */
#define TOLD_AT_ONCE 16

/* A work request as it was read: the entry and its pieces of memory. */
struct request {
	struct rxe_send_wqe entry;
	struct rxe_sge pieces[FRDMA_MOST_SGES];
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

static bool is_read(struct operation operation)
{
	return operation.nic == operations[IB_WR_RDMA_READ].nic;
}

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

static void set_place(struct frdma_work *work, u32 key, u64 address, u32 bytes)
{
	work->local_key = cpu_to_le32(key);
	work->local_low = cpu_to_le32(lower_32_bits(address));
	work->local_high = cpu_to_le32(upper_32_bits(address));
	work->bytes = cpu_to_le32(bytes);
}

/* Only keys of the driver's own memory are 0. A key that no region has ends the work with an error
 * of the NIC's. */
static void place_region(struct frdma_qp *qp, struct frdma_work *work, struct frdma_send *sent,
			 const struct request *request)
{
	const struct rxe_sge *piece = request->pieces;

	set_place(work, FRDMA_NO_KEY, 0, 0);
	if (!request->entry.dma.num_sge)
		return;
	sent->region = frdma_region_of(to_frdma(qp->ib.device), qp->ib.pd, piece->lkey);
	if (sent->region)
		sent->region->users++;
	set_place(work, sent->region ? piece->lkey : FRDMA_NO_KEY, piece->addr, piece->length);
}

/* What is sent is gathered here; what is read is scattered when it is there. */
static void place_bounce(struct frdma_qp *qp, struct frdma_work *work, struct frdma_send *sent,
			 bool reads)
{
	const struct frdma_bounce *bounce = sent->bounce;
	const bool good = reads || frdma_gather(qp, sent->bounce);

	set_place(work, good ? 0 : FRDMA_NO_KEY, bounce->address, bounce->bytes);
}

static u8 flags_of(u32 flags)
{
	/* Each ends with a completion of the NIC's, so that the driver knows of it. */
	return NIC_SIGNALED | (flags & IB_SEND_SOLICITED ? NIC_SOLICITED : 0) |
	       (flags & IB_SEND_FENCE ? NIC_FENCED : 0);
}

/* Whether a request has pieces of memory that the queue pair may have. */
static bool fits(const struct frdma_qp *qp, const struct request *request)
{
	const u32 count = request->entry.dma.num_sge;

	return count <= 1 || (count <= qp->cap.max_send_sge &&
			      frdma_pieces_bytes(request->pieces, count) != U32_MAX);
}

/* False: there is no place for its data now. */
static bool place(struct frdma_qp *qp, struct frdma_work *work, struct frdma_send *sent,
		  const struct request *request, const struct rxe_send_wqe *shared)
{
	const struct operation operation = operation_of(request->entry.wr.opcode);
	const u32 count = request->entry.dma.num_sge;
	bool good = true;

	if (is_read(operation) && !qp->attr.max_rd_atomic) {
		good = false; /* The NIC would take 0 for 16. */
	} else if (request->entry.wr.send_flags & IB_SEND_INLINE) {
		good = !is_read(operation) &&
		       place_inline(qp, work, sent - qp->sent, request->entry.dma.length,
				    shared->dma.inline_data);
	} else if (!fits(qp, request)) {
		good = false;
	} else if (count <= 1) {
		place_region(qp, work, sent, request);
	} else {
		sent->bounce = frdma_bounce_create(qp, &qp->bounced_sends, request->pieces, count);
		if (!sent->bounce)
			return false;
		place_bounce(qp, work, sent, is_read(operation));
	}
	work->opcode = good ? operation.nic : NIC_UNKNOWN;
	return true;
}

/* False: there is no place for its data now, and it was not taken. */
static bool take_send(struct frdma_qp *qp, const struct rxe_send_wqe *shared)
{
	const u32 slot = qp->sends.posted & qp->sends.mask;
	struct frdma_work *work = (struct frdma_work *)qp->sends.entries + slot;
	struct frdma_send *sent = &qp->sent[slot];
	struct request request;
	u32 flags;

	memcpy(&request, shared, sizeof(request));
	barrier(); /* the program may write to it now */
	flags = request.entry.wr.send_flags;
	memset(work, 0, sizeof(*work));
	sent->region = NULL;
	sent->bounce = NULL;
	if (!place(qp, work, sent, &request, shared))
		return false;
	work->id = cpu_to_le32(slot);
	work->flags = flags_of(flags);
	work->remote_low = cpu_to_le32(lower_32_bits(request.entry.wr.wr.rdma.remote_addr));
	work->remote_high = cpu_to_le32(upper_32_bits(request.entry.wr.wr.rdma.remote_addr));
	work->remote_key = cpu_to_le32(request.entry.wr.wr.rdma.rkey);
	work->immediate = cpu_to_le32(request.entry.wr.opcode == IB_WR_SEND_WITH_INV
					      ? request.entry.wr.ex.invalidate_rkey
					      : be32_to_cpu(request.entry.wr.ex.imm_data));
	sent->id = request.entry.wr.wr_id;
	sent->bytes = le32_to_cpu(work->bytes);
	sent->opcode = operation_of(request.entry.wr.opcode).completion;
	sent->signaled = qp->signals_all || flags & IB_SEND_SIGNALED;
	qp->sends.posted++;
	return true;
}

static bool has_room(const struct frdma_ring *ring, u32 most)
{
	return (u16)(ring->posted - ring->done) < min(ring->mask, most);
}

void frdma_take_sends(struct frdma_qp *qp)
{
	struct frdma *nic = to_frdma(qp->ib.device);
	const u16 before = qp->sends.posted;
	const void *shared;

	if (!qp->live || qp->state != IB_QPS_RTS)
		return;
	qp->waits = false;
	while (has_room(&qp->sends, U32_MAX) && !qp->waits &&
	       (shared = frdma_queue_take(qp->send_queue))) {
		qp->waits = !take_send(qp, shared);
		if (qp->waits)
			frdma_queue_untake(qp->send_queue);
	}
	if (qp->waits && qp->sends.posted == qp->sends.done)
		frdma_look_again(nic, true); /* No completion will come and give some back. */
	if (qp->sends.posted != before)
		writel((u32)qp->sends.posted << 16 | qp->number, nic->regs + FRDMA_SEND_DOORBELL);
}

/* Of an entry that the program may still change. */
void frdma_read_request(struct frdma_request *request, const void *shared)
{
	struct {
		struct rxe_recv_wqe entry;
		struct rxe_sge pieces[FRDMA_MOST_SGES];
	} read;

	memcpy(&read, shared, sizeof(read));
	barrier(); /* the program may write to it now */
	request->id = read.entry.wr_id;
	request->count = read.entry.dma.num_sge;
	memcpy(request->pieces, read.pieces, sizeof(request->pieces));
}

static bool next_receive(struct frdma_qp *qp, struct frdma_request *request)
{
	const void *shared;

	if (qp->srq)
		return frdma_srq_take(qp->srq, request);
	shared = frdma_queue_take(qp->receive_queue);
	if (shared)
		frdma_read_request(request, shared);
	return shared;
}

static void untake_receive(struct frdma_qp *qp, const struct frdma_request *request)
{
	if (qp->srq)
		frdma_srq_return(qp->srq, request);
	else
		frdma_queue_untake(qp->receive_queue);
}

/* False: there is no memory for a bounce now. What the queue pair may not have gets no memory, so
 * that nothing can be received there. */
static bool give_receive(struct frdma_qp *qp, const struct frdma_request *request)
{
	const u32 slot = qp->receives.posted & qp->receives.mask;
	struct frdma_buffer *buffer = (struct frdma_buffer *)qp->receives.entries + slot;
	struct frdma_received *received = &qp->received[slot];
	const struct rxe_sge *piece = request->pieces;

	memset(buffer, 0, sizeof(*buffer));
	buffer->id = cpu_to_le32(slot);
	buffer->local_key = cpu_to_le32(FRDMA_NO_KEY);
	received->request = *request;
	received->bounce = NULL;
	if (request->count == 1) {
		/* Key 0 would be all of memory. */
		buffer->local_key = cpu_to_le32(piece->lkey ? piece->lkey : FRDMA_NO_KEY);
		buffer->address = cpu_to_le64(piece->addr);
		buffer->bytes = cpu_to_le32(piece->length);
	} else if (request->count && request->count <= FRDMA_MOST_SGES &&
		   frdma_pieces_bytes(piece, request->count) != U32_MAX) {
		received->bounce =
			frdma_bounce_create(qp, &qp->bounced_receives, piece, request->count);
		if (!received->bounce)
			return false;
		buffer->local_key = 0;
		buffer->address = cpu_to_le64(received->bounce->address);
		buffer->bytes = cpu_to_le32(received->bounce->bytes);
	}
	qp->receives.posted++;
	return true;
}

/* Tells the NIC of receive requests beyond those up to `told`; returns up to which it knows them.
 */
static u16 tell_receives(const struct frdma_qp *qp, u16 told)
{
	const struct frdma *nic = to_frdma(qp->ib.device);

	if (qp->receives.posted != told)
		writel((u32)qp->receives.posted << 16 | qp->number,
		       nic->regs + FRDMA_RECEIVE_DOORBELL);
	return qp->receives.posted;
}

/* Whether the NIC has receive requests, or needs none. */
bool frdma_take_receives(struct frdma_qp *qp)
{
	const u32 most = qp->srq ? frdma_srq_share(qp->srq) : U32_MAX;
	u16 told = qp->receives.posted;
	struct frdma_request request;

	if (!qp->live || qp->state == IB_QPS_ERR)
		return true;
	while (has_room(&qp->receives, most) && next_receive(qp, &request)) {
		if (!give_receive(qp, &request)) {
			untake_receive(qp, &request);
			break;
		}
		if ((u16)(qp->receives.posted - told) == TOLD_AT_ONCE)
			told = tell_receives(qp, told);
	}
	tell_receives(qp, told);
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
