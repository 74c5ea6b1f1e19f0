// SPDX-License-Identifier: BSD-3-Clause
/*
 * FireSim RDMA NIC, queue pairs: what a program may ask for, and their states.
 */
#include <linux/dma-mapping.h>
#include <linux/slab.h>
#include <rdma/uverbs_ioctl.h>

#include "firesim_rdma.h"

#define UNSUPPORTED (IB_QP_ALT_PATH | IB_QP_PATH_MIG_STATE | IB_QP_RATE_LIMIT)

static int check_init(const struct ib_qp_init_attr *init)
{
	if (init->qp_type != IB_QPT_RC || init->create_flags)
		return -EOPNOTSUPP;
	if (init->cap.max_send_wr > FRDMA_MOST_WORK || init->cap.max_send_sge > FRDMA_MOST_SGES ||
	    init->cap.max_inline_data > FRDMA_MOST_INLINE)
		return -EINVAL;
	if (!init->srq &&
	    (init->cap.max_recv_wr > FRDMA_MOST_WORK || init->cap.max_recv_sge > FRDMA_MOST_SGES))
		return -EINVAL;
	return 0;
}

static int create_ring(struct frdma *nic, struct frdma_ring *ring, u32 entries, size_t bytes)
{
	ring->mask = entries - 1;
	ring->entries =
		dma_alloc_coherent(nic->parent, entries * bytes, &ring->address, GFP_KERNEL);
	return ring->entries ? 0 : -ENOMEM;
}

static void free_ring(struct frdma *nic, struct frdma_ring *ring, size_t bytes)
{
	if (ring->entries)
		dma_free_coherent(nic->parent, (ring->mask + 1) * bytes, ring->entries,
				  ring->address);
}

static size_t inlined_bytes(const struct frdma_qp *qp)
{
	return (qp->sends.mask + 1) * qp->cap.max_inline_data;
}

static void free_memory(struct frdma *nic, struct frdma_qp *qp)
{
	if (qp->inlined)
		dma_free_coherent(nic->parent, inlined_bytes(qp), qp->inlined, qp->inlined_address);
	free_ring(nic, &qp->sends, sizeof(struct frdma_work));
	free_ring(nic, &qp->receives, sizeof(struct frdma_buffer));
	free_ring(nic, &qp->completions, sizeof(struct frdma_completion));
	kvfree(qp->sent);
	kvfree(qp->received);
	frdma_queue_destroy(qp->send_queue);
	frdma_queue_destroy(qp->receive_queue);
}

/* As many entries as the queues of the program have; completions of all of them fit. */
static int create_rings(struct frdma *nic, struct frdma_qp *qp)
{
	const u32 sends = qp->send_queue->mask + 1;
	const u32 receives = qp->srq ? FRDMA_SHARED_RECEIVES : qp->receive_queue->mask + 1;

	if (create_ring(nic, &qp->sends, sends, sizeof(struct frdma_work)) ||
	    create_ring(nic, &qp->receives, receives, sizeof(struct frdma_buffer)) ||
	    create_ring(nic, &qp->completions, roundup_pow_of_two(sends + receives),
			sizeof(struct frdma_completion)))
		return -ENOMEM;
	qp->sent = kvcalloc(sends, sizeof(*qp->sent), GFP_KERNEL);
	qp->received = kvcalloc(receives, sizeof(*qp->received), GFP_KERNEL);
	if (qp->cap.max_inline_data)
		qp->inlined = dma_alloc_coherent(nic->parent, inlined_bytes(qp),
						 &qp->inlined_address, GFP_KERNEL);
	if (!qp->sent || !qp->received || (qp->cap.max_inline_data && !qp->inlined))
		return -ENOMEM;
	return 0;
}

static int create_memory(struct frdma *nic, struct frdma_qp *qp, struct ib_udata *udata,
			 struct rxe_create_qp_resp *answer)
{
	const u32 send_bytes =
		sizeof(struct rxe_send_wqe) +
		max_t(u32, FRDMA_MOST_SGES * sizeof(struct rxe_sge), qp->cap.max_inline_data);

	qp->send_queue = frdma_queue_create(udata, qp->cap.max_send_wr, send_bytes, &answer->sq_mi);
	if (IS_ERR(qp->send_queue))
		return PTR_ERR(qp->send_queue);
	qp->cap.max_send_wr = qp->send_queue->mask;
	if (qp->srq)
		return create_rings(nic, qp);
	qp->receive_queue =
		frdma_queue_create(udata, qp->cap.max_recv_wr, FRDMA_RECEIVE_BYTES, &answer->rq_mi);
	if (IS_ERR(qp->receive_queue))
		return PTR_ERR(qp->receive_queue);
	qp->cap.max_recv_wr = qp->receive_queue->mask;
	return create_rings(nic, qp);
}

/* The one after the last one that was chosen: late packets for an old one find nobody. */
static int choose_number(struct frdma *nic, struct frdma_qp *qp)
{
	const unsigned int count = FRDMA_QPS - FRDMA_FIRST_QP;
	int error = -ENOSPC;
	unsigned int i;

	spin_lock_irq(&nic->lock);
	for (i = 0; i < count && error; i++) {
		const unsigned int number =
			(nic->last_qp + 1 + i - FRDMA_FIRST_QP) % count + FRDMA_FIRST_QP;

		if (nic->qps[number])
			continue;
		qp->number = nic->last_qp = number;
		nic->qps[number] = qp;
		error = 0;
	}
	spin_unlock_irq(&nic->lock);
	return error;
}

static void give_number_back(struct frdma *nic, struct frdma_qp *qp)
{
	spin_lock_irq(&nic->lock);
	nic->qps[qp->number] = NULL;
	spin_unlock_irq(&nic->lock);
}

/* Of a shared receive queue. */
static void count_user(struct frdma *nic, struct frdma_qp *qp, int change)
{
	if (!qp->srq)
		return;
	spin_lock_irq(&nic->lock);
	qp->srq->users += change;
	spin_unlock_irq(&nic->lock);
}

/* All work ends; who shares a receive queue is told when the queue pair has none of it any more. */
static void flush(struct frdma_qp *qp)
{
	struct ib_event event = {.device = qp->ib.device,
				 .element.qp = &qp->ib,
				 .event = IB_EVENT_QP_LAST_WQE_REACHED};

	frdma_flush(qp);
	if (qp->srq && qp->ib.event_handler)
		qp->ib.event_handler(&event, qp->ib.qp_context);
}

static void flush_later(struct work_struct *work)
{
	struct frdma_qp *qp = container_of(to_delayed_work(work), struct frdma_qp, flush);
	struct frdma *nic = to_frdma(qp->ib.device);

	mutex_lock(&qp->mutex);
	if (qp->state == IB_QPS_ERR) {
		frdma_disconnect(qp);
		spin_lock_irq(&nic->lock);
		flush(qp);
		spin_unlock_irq(&nic->lock);
	}
	mutex_unlock(&qp->mutex);
}

int frdma_create_qp(struct ib_qp *ib, struct ib_qp_init_attr *init, struct ib_udata *udata)
{
	struct frdma *nic = to_frdma(ib->device);
	struct frdma_qp *qp = to_frdma_qp(ib);
	struct rxe_create_qp_resp answer = {};
	int error = udata ? check_init(init) : -EOPNOTSUPP;

	if (!error && udata->outlen < sizeof(answer))
		error = -EINVAL;
	if (error)
		return error;
	mutex_init(&qp->mutex);
	INIT_DELAYED_WORK(&qp->flush, flush_later);
	qp->cap = init->cap;
	qp->cap.max_send_sge = FRDMA_MOST_SGES;
	qp->cap.max_recv_sge = init->srq ? 0 : FRDMA_MOST_SGES;
	qp->cap.max_recv_wr = init->srq ? 0 : init->cap.max_recv_wr;
	qp->srq = init->srq ? to_frdma_srq(init->srq) : NULL;
	qp->signals_all = init->sq_sig_type == IB_SIGNAL_ALL_WR;
	qp->state = IB_QPS_RESET;
	error = create_memory(nic, qp, udata, &answer);
	if (!error)
		error = choose_number(nic, qp);
	if (!error) {
		error = ib_copy_to_udata(udata, &answer, sizeof(answer));
		if (error)
			give_number_back(nic, qp);
	}
	if (error) {
		free_memory(nic, qp);
		return error;
	}
	count_user(nic, qp, 1);
	ib->qp_num = qp->number;
	init->cap = qp->cap;
	return 0;
}

int frdma_destroy_qp(struct ib_qp *ib, struct ib_udata *udata)
{
	struct frdma *nic = to_frdma(ib->device);
	struct frdma_qp *qp = to_frdma_qp(ib);

	mutex_lock(&qp->mutex);
	frdma_disconnect(qp);
	mutex_unlock(&qp->mutex);
	spin_lock_irq(&nic->lock);
	frdma_forget(qp);
	nic->qps[qp->number] = NULL;
	spin_unlock_irq(&nic->lock);
	count_user(nic, qp, -1);
	cancel_delayed_work_sync(&qp->flush);
	free_memory(nic, qp);
	return 0;
}

static int check_path(const struct frdma *nic, const struct rdma_ah_attr *path)
{
	const struct ib_gid_attr *own = path->grh.sgid_attr;

	if (path->type != RDMA_AH_ATTR_TYPE_ROCE || !own ||
	    own->gid_type != IB_GID_TYPE_ROCE_UDP_ENCAP)
		return -EOPNOTSUPP;
	if (!ipv6_addr_v4mapped((const struct in6_addr *)&own->gid) ||
	    !ipv6_addr_v4mapped((const struct in6_addr *)&path->grh.dgid))
		return -EOPNOTSUPP;
	return 0;
}

static int check_attr(const struct frdma *nic, const struct ib_qp_attr *attr, int mask)
{
	if (mask & IB_QP_PATH_MTU &&
	    (attr->path_mtu < IB_MTU_256 || attr->path_mtu > frdma_mtu(nic)))
		return -EINVAL;
	if (mask & IB_QP_PKEY_INDEX && attr->pkey_index)
		return -EINVAL;
	return mask & IB_QP_AV ? check_path(nic, &attr->ah_attr) : 0;
}

#define KEEP(bit, field)                                                                           \
	do {                                                                                       \
		if (mask & (bit))                                                                  \
			kept->field = attr->field;                                                 \
	} while (0)

static __be32 address_of(const union ib_gid *gid)
{
	return ((const struct in6_addr *)gid)->s6_addr32[3];
}

/*
 * Programs ask for as many READs as their peer can do (perftest does), which may be more than this
 * end can: it gets what it can, and a query says so. The NIC has no more on the wire, and READs of
 * its peer beyond that wait.
 */
static void keep_reads(struct ib_qp_attr *kept, const struct ib_qp_attr *attr, int mask)
{
	if (mask & IB_QP_MAX_QP_RD_ATOMIC)
		kept->max_rd_atomic = min_t(u8, attr->max_rd_atomic, FRDMA_MOST_READS);
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC)
		kept->max_dest_rd_atomic = min_t(u8, attr->max_dest_rd_atomic, FRDMA_MOST_READS);
}

static void keep_attr(struct frdma_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	struct ib_qp_attr *kept = &qp->attr;

	if (mask & IB_QP_AV) {
		qp->own_ip = address_of(&attr->ah_attr.grh.sgid_attr->gid);
		qp->peer_ip = address_of(&attr->ah_attr.grh.dgid);
		kept->ah_attr = attr->ah_attr;
		kept->ah_attr.grh.sgid_attr = NULL; /* is the core's to keep */
	}
	KEEP(IB_QP_PATH_MTU, path_mtu);
	KEEP(IB_QP_RQ_PSN, rq_psn);
	KEEP(IB_QP_SQ_PSN, sq_psn);
	KEEP(IB_QP_DEST_QPN, dest_qp_num);
	KEEP(IB_QP_ACCESS_FLAGS, qp_access_flags);
	KEEP(IB_QP_PORT, port_num);
	KEEP(IB_QP_MIN_RNR_TIMER, min_rnr_timer);
	KEEP(IB_QP_TIMEOUT, timeout);
	KEEP(IB_QP_RETRY_CNT, retry_cnt);
	KEEP(IB_QP_RNR_RETRY, rnr_retry);
	keep_reads(kept, attr, mask);
}

static int change_state(struct frdma_qp *qp, enum ib_qp_state next)
{
	struct frdma *nic = to_frdma(qp->ib.device);
	const enum ib_qp_state before = qp->state;

	if (next == IB_QPS_RTR || (next == IB_QPS_RTS && before == IB_QPS_RTR)) {
		const int error = frdma_connect(qp);

		if (error)
			return error;
	}
	if (next == IB_QPS_ERR || next == IB_QPS_RESET)
		frdma_disconnect(qp);
	spin_lock_irq(&nic->lock);
	/* It may have failed meanwhile; only a reset takes it out of that. */
	if (qp->state == before || next == IB_QPS_RESET)
		qp->state = next;
	if (next == IB_QPS_RESET) {
		frdma_forget(qp);
	} else if (qp->state == IB_QPS_ERR) {
		if (!qp->live)
			flush(qp);
	} else if (qp->live) {
		frdma_take_sends(qp);
		if (!frdma_take_receives(qp))
			frdma_look_again(nic, true);
		else
			frdma_look_again(nic, false);
	}
	spin_unlock_irq(&nic->lock);
	return 0;
}

int frdma_modify_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask, struct ib_udata *udata)
{
	struct frdma_qp *qp = to_frdma_qp(ib);
	enum ib_qp_state before, next;
	int error = 0;

	if (mask & ~IB_QP_ATTR_STANDARD_BITS || mask & UNSUPPORTED)
		return -EOPNOTSUPP;
	mutex_lock(&qp->mutex);
	before = qp->state;
	next = mask & IB_QP_STATE ? attr->qp_state : before;
	if (next == IB_QPS_SQD || next == IB_QPS_SQE ||
	    (before == IB_QPS_RTS && next == IB_QPS_RTS && mask & IB_QP_MIN_RNR_TIMER))
		error = -EOPNOTSUPP;
	else if (!ib_modify_qp_is_ok(before, next, IB_QPT_RC, mask))
		error = -EINVAL;
	else
		error = check_attr(to_frdma(ib->device), attr, mask);
	if (!error) {
		keep_attr(qp, attr, mask);
		if (mask & IB_QP_STATE)
			error = change_state(qp, next);
	}
	mutex_unlock(&qp->mutex);
	return error;
}

int frdma_query_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask,
		   struct ib_qp_init_attr *init)
{
	struct frdma_qp *qp = to_frdma_qp(ib);

	mutex_lock(&qp->mutex);
	*attr = qp->attr;
	attr->qp_state = attr->cur_qp_state = qp->state;
	attr->cap = qp->cap;
	mutex_unlock(&qp->mutex);
	init->cap = qp->cap;
	init->sq_sig_type = qp->signals_all ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR;
	return 0;
}
