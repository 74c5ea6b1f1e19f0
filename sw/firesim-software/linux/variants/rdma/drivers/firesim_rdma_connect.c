// SPDX-License-Identifier: BSD-3-Clause
/*
 * FireSim RDMA NIC, queue pairs in the NIC: set up when they may receive, again when they may send,
 * and taken away.
 */
#include <linux/delay.h>
#include <linux/etherdevice.h>
#include <linux/log2.h>

#include "firesim_rdma.h"

#define QP_ENABLED BIT_ULL(0)
#define QP_PHYSICAL BIT_ULL(1)
#define QP_MTU_SHIFT 8
#define QP_TIMEOUT_SHIFT 16
#define QP_RETRIES_SHIFT 21
#define QP_RNR_RETRIES_SHIFT 24
#define QP_RNR_TIMER_SHIFT 27
#define QP_DOMAIN_SHIFT 32
#define QP_PARTITION_SHIFT 48
#define PEER_PORT_SHIFT 48
#define PEER_QP_SHIFT 32
#define PEER_CLASS_SHIFT 56
#define RECEIVE_PSN_SHIFT 32
#define DEPTH_SHIFT 56
#define RECEIVE_CQ_SHIFT 8
#define TIMER_MASK 31
#define RETRIES_MASK 7
#define QP_MASK GENMASK(23, 0)
#define MOST_READS_SHIFT 16
#define MOST_READS_MASK 15 /* and 0 is 16 */
/* What had left for memory when a queue pair was taken away has arrived by then. */
#define SETTLE_US 2

/* First byte in bits 7:0. */
static u64 mac_word(const u8 *mac)
{
	u64 word = 0;
	int i;

	for (i = 0; i < ETH_ALEN; i++)
		word |= (u64)mac[i] << (8 * i);
	return word;
}

/* The NIC has one pair of addresses, whoever is connected. */
static int claim_address(struct frdma *nic, __be32 ip)
{
	int error = 0;

	mutex_lock(&nic->mailbox);
	if (nic->connected && nic->ip != ip) {
		error = -EADDRINUSE;
	} else {
		if (!nic->connected) {
			writeq(mac_word(nic->netdev->dev_addr), nic->regs + FRDMA_MAC);
			writel(be32_to_cpu(ip), nic->regs + FRDMA_IP);
			writel(1, nic->regs + FRDMA_ENABLE);
		}
		nic->ip = ip;
		nic->connected++;
	}
	mutex_unlock(&nic->mailbox);
	return error;
}

static void release_address(struct frdma *nic)
{
	mutex_lock(&nic->mailbox);
	nic->connected--;
	mutex_unlock(&nic->mailbox);
}

static u64 ring_word(const struct frdma_ring *ring)
{
	return ring->address | (u64)ilog2(ring->mask + 1) << DEPTH_SHIFT;
}

static void make_words(struct frdma_qp *qp)
{
	const struct ib_qp_attr *attr = &qp->attr;
	const struct ib_global_route *route = &attr->ah_attr.grh;
	const u64 domain = container_of(qp->ib.pd, struct frdma_pd, ib)->number;
	const u16 port = rdma_get_udp_sport(route->flow_label, qp->number, attr->dest_qp_num);

	qp->words[0] = QP_ENABLED | QP_PHYSICAL |
		       (u64)(attr->path_mtu - IB_MTU_256) << QP_MTU_SHIFT |
		       (u64)(attr->timeout & TIMER_MASK) << QP_TIMEOUT_SHIFT |
		       (u64)(attr->retry_cnt & RETRIES_MASK) << QP_RETRIES_SHIFT |
		       (u64)(attr->rnr_retry & RETRIES_MASK) << QP_RNR_RETRIES_SHIFT |
		       (u64)(attr->min_rnr_timer & TIMER_MASK) << QP_RNR_TIMER_SHIFT |
		       domain << QP_DOMAIN_SHIFT | (u64)IB_DEFAULT_PKEY_FULL << QP_PARTITION_SHIFT;
	qp->words[1] = mac_word(attr->ah_attr.roce.dmac) | (u64)port << PEER_PORT_SHIFT;
	qp->words[2] = be32_to_cpu(qp->peer_ip) |
		       (u64)(attr->dest_qp_num & QP_MASK) << PEER_QP_SHIFT |
		       (u64)route->traffic_class << PEER_CLASS_SHIFT;
	qp->words[3] = attr->sq_psn | (u64)attr->rq_psn << RECEIVE_PSN_SHIFT;
	qp->words[4] = ring_word(&qp->sends);
	qp->words[5] = ring_word(&qp->receives);
	qp->words[6] = qp->number | (u64)qp->number << RECEIVE_CQ_SHIFT |
		       (u64)(attr->max_rd_atomic & MOST_READS_MASK) << MOST_READS_SHIFT;
}

/* With rings that are empty: what the NIC had and has not done is taken again. */
static void set_up(struct frdma *nic, struct frdma_qp *qp)
{
	const u64 completions = ring_word(&qp->completions);

	memset(qp->completions.entries, 0,
	       (qp->completions.mask + 1) * sizeof(struct frdma_completion));
	spin_lock_irq(&nic->lock);
	frdma_withdraw_receives(qp);
	spin_unlock_irq(&nic->lock);
	qp->sends.posted = qp->sends.done = 0;
	qp->receives.posted = qp->receives.done = 0;
	qp->completions.done = 0;
	frdma_queue_take_again(qp->send_queue);
	make_words(qp);
	frdma_command(nic, FRDMA_SET_CQ, qp->number, &completions, 1);
	frdma_command(nic, FRDMA_SET_QP, qp->number, qp->words, ARRAY_SIZE(qp->words));
	spin_lock_irq(&nic->lock);
	qp->live = true;
	spin_unlock_irq(&nic->lock);
}

/*
 * The NIC takes all that it knows of a queue pair at once, and a program says in two steps how it
 * receives and how it sends. So the queue pair begins again with the second step. A peer that sends
 * between the two, before it knows that this end is ready, finds its later packets out of order.
 */
int frdma_connect(struct frdma_qp *qp)
{
	struct frdma *nic = to_frdma(qp->ib.device);
	int error;

	frdma_disconnect(qp);
	error = claim_address(nic, qp->own_ip);
	if (!error)
		set_up(nic, qp);
	return error;
}

/* Answers that wait for the link still go out, so the NIC is told once more where to. */
void frdma_disconnect(struct frdma_qp *qp)
{
	struct frdma *nic = to_frdma(qp->ib.device);

	if (!qp->live)
		return;
	qp->words[0] &= ~QP_ENABLED;
	frdma_command(nic, FRDMA_SET_QP, qp->number, qp->words, ARRAY_SIZE(qp->words));
	udelay(SETTLE_US);
	spin_lock_irq(&nic->lock);
	frdma_complete(qp);
	qp->live = false;
	spin_unlock_irq(&nic->lock);
	release_address(nic);
}
