// SPDX-License-Identifier: BSD-3-Clause
/*
 * FireSim RDMA NIC: the platform device as a device for the verbs, beside the network interface in
 * whose stream it stands; its mailbox, interrupt and timer.
 */
#include <linux/dma-mapping.h>
#include <linux/etherdevice.h>
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/of_net.h>
#include <linux/platform_device.h>
#include <net/addrconf.h>
#include <rdma/ib_addr.h>
#include <rdma/uverbs_ioctl.h>

#include "firesim_rdma.h"

#define RXE_ABI_VERSION 2
#define MOST_DOMAINS U16_MAX
#define COMMAND_NS 100
#define FIRST_LOOK_NS (20 * NSEC_PER_USEC)
#define FIRST_LOOKS 500 /* 10 ms: a peer that sends too early waits once, not again and again */
#define LAST_LOOK_NS (10 * NSEC_PER_MSEC)
#define FEW_RECEIVES 64
#define ACK_DELAY_CODE 15

static const struct rdma_stat_desc counter_names[] = {
	{.name = "sent_pkts"},	     {.name = "rcvd_pkts"}, {.name = "malformed_pkts"},
	{.name = "wrong_icrc_pkts"}, {.name = "went_back"}, {.name = "timed_out"},
	{.name = "rcvd_rnr_err"},    {.name = "sent_naks"}, {.name = "duplicate_request"},
	{.name = "sent_cnps"},	     {.name = "rcvd_cnps"}, {.name = "marked_pkts"},
};

/* May sleep. What the command says is so when it returns. */
void frdma_command(struct frdma *nic, enum frdma_command code, unsigned int index, const u64 *words,
		   unsigned int count)
{
	unsigned int i;

	mutex_lock(&nic->mailbox);
	for (i = 0; i < count; i++)
		writeq(words[i], nic->regs + FRDMA_MAILBOX + 8 * i);
	writel(index << 16 | code, nic->regs + FRDMA_COMMAND);
	while (readl(nic->regs + FRDMA_COMMAND))
		ndelay(COMMAND_NS);
	mutex_unlock(&nic->mailbox);
}

static irqreturn_t frdma_interrupt(int irq, void *data)
{
	struct frdma *nic = data;
	const u64 pending = readq(nic->regs + FRDMA_PENDING);
	unsigned long queues = pending;
	unsigned int number;

	if (!pending)
		return IRQ_NONE;
	writeq(pending, nic->regs + FRDMA_PENDING);
	spin_lock(&nic->lock);
	for_each_set_bit (number, &queues, FRDMA_QPS) {
		struct frdma_qp *qp = nic->qps[number];

		if (!qp)
			continue;
		frdma_complete(qp);
		if (!frdma_take_receives(qp) && qp->receives.posted)
			frdma_look_again(nic, true);
	}
	spin_unlock(&nic->lock);
	return IRQ_HANDLED;
}

/* Programs post receive requests and say it to nobody: the timer sees to it, often where the NIC
 * has none left, and seldom elsewhere. The lock is held. */
void frdma_look_again(struct frdma *nic, bool soon)
{
	if (soon)
		nic->looks = 0;
	if (hrtimer_active(&nic->timer) && (!soon || nic->timer_ns == FIRST_LOOK_NS))
		return;
	nic->timer_ns = soon ? FIRST_LOOK_NS : LAST_LOOK_NS;
	hrtimer_start(&nic->timer, ns_to_ktime(nic->timer_ns), HRTIMER_MODE_REL_HARD);
}

/* When to look next: often at first, then more and more seldom. The lock is held. */
static u64 next_look_ns(struct frdma *nic, bool starving)
{
	if (!starving)
		return LAST_LOOK_NS;
	if (nic->timer_ns == FIRST_LOOK_NS && ++nic->looks < FIRST_LOOKS)
		return FIRST_LOOK_NS;
	return min_t(u64, 2 * nic->timer_ns, LAST_LOOK_NS);
}

/* Whether to look again soon: where the NIC has no receive requests, and where it has few and the
 * program has just posted some, as it may be about to post more. */
static bool look_at(struct frdma_qp *qp)
{
	const u16 before = qp->receives.posted;
	bool starving, few;

	if (qp->waits)
		frdma_take_sends(qp);
	starving = !frdma_take_receives(qp) || qp->waits;
	few = (u16)(qp->receives.posted - qp->receives.done) < FEW_RECEIVES;
	return starving || (few && qp->receives.posted != before);
}

static enum hrtimer_restart frdma_look(struct hrtimer *timer)
{
	struct frdma *nic = container_of(timer, struct frdma, timer);
	bool connected = false, starving = false;
	unsigned int i;
	u64 failed;

	spin_lock(&nic->lock);
	failed = readq(nic->regs + FRDMA_FAILED);
	for (i = FRDMA_FIRST_QP; i < FRDMA_QPS; i++) {
		struct frdma_qp *qp = nic->qps[i];

		if (!qp || !qp->live)
			continue;
		connected = true;
		if (failed >> i & 1) {
			frdma_fail(qp, IB_EVENT_QP_ACCESS_ERR);
			continue;
		}
		starving |= look_at(qp);
	}
	nic->timer_ns = next_look_ns(nic, starving);
	if (connected) /* An interrupt may have started it meanwhile, so it is not returned. */
		hrtimer_start(timer, ns_to_ktime(nic->timer_ns), HRTIMER_MODE_REL_HARD);
	spin_unlock(&nic->lock);
	return HRTIMER_NORESTART;
}

static int frdma_query_device(struct ib_device *ib, struct ib_device_attr *attr,
			      struct ib_udata *udata)
{
	if (udata->inlen || udata->outlen)
		return -EINVAL;
	memset(attr, 0, sizeof(*attr));
	attr->sys_image_guid = ib->node_guid;
	attr->max_mr_size = BIT_ULL(FRDMA_ADDRESS_BITS) - 1;
	attr->page_size_cap = PAGE_SIZE;
	attr->max_qp = FRDMA_QPS - FRDMA_FIRST_QP;
	attr->max_qp_wr = FRDMA_MOST_WORK;
	attr->device_cap_flags = IB_DEVICE_RC_RNR_NAK_GEN | IB_DEVICE_CURR_QP_STATE_MOD;
	attr->max_send_sge = FRDMA_MOST_SGES;
	attr->max_recv_sge = FRDMA_MOST_SGES;
	attr->max_sge_rd = FRDMA_MOST_SGES;
	attr->max_cq = INT_MAX;
	attr->max_cqe = FRDMA_MOST_CQES;
	attr->max_mr = FRDMA_REGIONS;
	attr->max_srq = FRDMA_QPS;
	attr->max_srq_wr = FRDMA_MOST_WORK;
	attr->max_srq_sge = FRDMA_MOST_SGES;
	attr->max_pd = MOST_DOMAINS;
	attr->max_qp_rd_atom = FRDMA_MOST_READS;
	attr->max_qp_init_rd_atom = FRDMA_MOST_READS;
	attr->max_res_rd_atom = FRDMA_MOST_READS * FRDMA_QPS;
	attr->atomic_cap = IB_ATOMIC_NONE;
	attr->max_pkeys = 1;
	attr->local_ca_ack_delay = ACK_DELAY_CODE;
	return 0;
}

/* What fits into a frame of the network interface, as its peers have the same one. */
enum ib_mtu frdma_mtu(const struct frdma *nic)
{
	return iboe_get_mtu(nic->netdev->mtu);
}

static int frdma_query_port(struct ib_device *ib, u32 port, struct ib_port_attr *attr)
{
	const struct frdma *nic = to_frdma(ib);
	const bool up = netif_running(nic->netdev) && netif_carrier_ok(nic->netdev);

	attr->state = up ? IB_PORT_ACTIVE : IB_PORT_DOWN;
	attr->phys_state = up ? IB_PORT_PHYS_STATE_LINK_UP : IB_PORT_PHYS_STATE_DISABLED;
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = frdma_mtu(nic);
	attr->gid_tbl_len = FRDMA_GIDS;
	attr->ip_gids = true;
	attr->max_msg_sz = FRDMA_MOST_BYTES;
	attr->pkey_tbl_len = 1;
	attr->max_vl_num = 1;
	attr->active_width = IB_WIDTH_4X;
	attr->active_speed = IB_SPEED_HDR;
	return 0;
}

static int frdma_port_immutable(struct ib_device *ib, u32 port, struct ib_port_immutable *made)
{
	made->core_cap_flags = RDMA_CORE_CAP_PROT_ROCE_UDP_ENCAP | RDMA_CORE_CAP_ETH_AH;
	made->gid_tbl_len = FRDMA_GIDS;
	made->pkey_tbl_len = 1;
	return 0;
}

static int frdma_query_pkey(struct ib_device *ib, u32 port, u16 index, u16 *pkey)
{
	if (index)
		return -EINVAL;
	*pkey = IB_DEFAULT_PKEY_FULL;
	return 0;
}

static enum rdma_link_layer frdma_link_layer(struct ib_device *ib, u32 port)
{
	return IB_LINK_LAYER_ETHERNET;
}

/* Not by ib_device_set_netdev: Soft-RoCE looks there for devices of its own, by their ABI. */
static struct net_device *frdma_get_netdev(struct ib_device *ib, u32 port)
{
	dev_hold(to_frdma(ib)->netdev);
	return to_frdma(ib)->netdev;
}

static int frdma_alloc_ucontext(struct ib_ucontext *context, struct ib_udata *udata)
{
	return 0;
}

static void frdma_dealloc_ucontext(struct ib_ucontext *context)
{
}

static int frdma_alloc_pd(struct ib_pd *ib, struct ib_udata *udata)
{
	const int number =
		ida_alloc_range(&to_frdma(ib->device)->domains, 1, MOST_DOMAINS, GFP_KERNEL);

	if (number < 0)
		return number;
	to_frdma_pd(ib)->number = number;
	return 0;
}

static int frdma_dealloc_pd(struct ib_pd *ib, struct ib_udata *udata)
{
	ida_free(&to_frdma(ib->device)->domains, to_frdma_pd(ib)->number);
	return 0;
}

static struct rdma_hw_stats *frdma_alloc_stats(struct ib_device *ib, u32 port)
{
	return rdma_alloc_hw_stats_struct(counter_names, ARRAY_SIZE(counter_names),
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

static int frdma_get_stats(struct ib_device *ib, struct rdma_hw_stats *stats, u32 port, int index)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(counter_names); i++)
		stats->value[i] = readl(to_frdma(ib)->regs + FRDMA_COUNTERS + 8 * i);
	return ARRAY_SIZE(counter_names);
}

/* Without poll_cq, post_recv and memory of the kernel's: for programs only. */
static const struct ib_device_ops frdma_ops = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_RXE,
	.uverbs_abi_ver = RXE_ABI_VERSION,
	.query_device = frdma_query_device,
	.query_port = frdma_query_port,
	.query_pkey = frdma_query_pkey,
	.get_port_immutable = frdma_port_immutable,
	.get_link_layer = frdma_link_layer,
	.get_netdev = frdma_get_netdev,
	.alloc_hw_port_stats = frdma_alloc_stats,
	.get_hw_stats = frdma_get_stats,
	.alloc_ucontext = frdma_alloc_ucontext,
	.dealloc_ucontext = frdma_dealloc_ucontext,
	.mmap = frdma_mmap,
	.mmap_free = frdma_mmap_free,
	.alloc_pd = frdma_alloc_pd,
	.dealloc_pd = frdma_dealloc_pd,
	.reg_user_mr = frdma_reg_user_mr,
	.dereg_mr = frdma_dereg_mr,
	.create_cq = frdma_create_cq,
	.destroy_cq = frdma_destroy_cq,
	.req_notify_cq = frdma_req_notify_cq,
	.create_srq = frdma_create_srq,
	.destroy_srq = frdma_destroy_srq,
	.modify_srq = frdma_modify_srq,
	.query_srq = frdma_query_srq,
	.create_qp = frdma_create_qp,
	.modify_qp = frdma_modify_qp,
	.query_qp = frdma_query_qp,
	.destroy_qp = frdma_destroy_qp,
	.post_send = frdma_post_send,
	INIT_RDMA_OBJ_SIZE(ib_ucontext, frdma_context, ib),
	INIT_RDMA_OBJ_SIZE(ib_pd, frdma_pd, ib),
	INIT_RDMA_OBJ_SIZE(ib_cq, frdma_cq, ib),
	INIT_RDMA_OBJ_SIZE(ib_srq, frdma_srq, ib),
	INIT_RDMA_OBJ_SIZE(ib_qp, frdma_qp, ib),
};

static int frdma_find_netdev(struct frdma *nic)
{
	struct device_node *node = of_find_compatible_node(NULL, NULL, "firesim,nic");

	if (!node)
		return -ENODEV;
	nic->netdev = of_find_net_device_by_node(node);
	of_node_put(node);
	return nic->netdev ? 0 : -EPROBE_DEFER;
}

static int frdma_start(struct frdma *nic, struct platform_device *pdev)
{
	const int irq = platform_get_irq(pdev, 0);
	int error;

	if (irq < 0)
		return irq;
	if (!(readl(nic->regs + FRDMA_SIZES) & FRDMA_HAS_PAGES)) {
		dev_err(&pdev->dev, "found an RDMA NIC without pages, expected option pages: 1\n");
		return -ENODEV;
	}
	error = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(FRDMA_ADDRESS_BITS));
	if (!error)
		error = frdma_table_create(nic);
	if (!error)
		error = devm_request_irq(&pdev->dev, irq, frdma_interrupt, 0, dev_name(&pdev->dev),
					 nic);
	return error;
}

static int frdma_register(struct frdma *nic)
{
	struct ib_device *ib = &nic->ib;

	strscpy(ib->node_desc, "FireSim RDMA NIC", sizeof(ib->node_desc));
	ib->node_type = RDMA_NODE_IB_CA;
	ib->phys_port_cnt = 1;
	ib->num_comp_vectors = 1;
	addrconf_addr_eui48((u8 *)&ib->node_guid, nic->netdev->dev_addr);
	/* Only these two come by the older way of system calls. */
	ib->uverbs_cmd_mask |=
		BIT_ULL(IB_USER_VERBS_CMD_POST_SEND) | BIT_ULL(IB_USER_VERBS_CMD_REQ_NOTIFY_CQ);
	ib_set_device_ops(ib, &frdma_ops);
	return ib_register_device(ib, "firesim%d", nic->parent);
}

static int frdma_probe(struct platform_device *pdev)
{
	struct frdma *nic = ib_alloc_device(frdma, ib);
	int error;

	if (!nic)
		return -ENOMEM;
	nic->parent = &pdev->dev;
	mutex_init(&nic->mailbox);
	mutex_init(&nic->table_lock);
	spin_lock_init(&nic->lock);
	ida_init(&nic->domains);
	nic->last_qp = FRDMA_FIRST_QP - 1;
	hrtimer_init(&nic->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	nic->timer.function = frdma_look;
	nic->regs = devm_platform_ioremap_resource(pdev, 0);
	error = PTR_ERR_OR_ZERO(nic->regs);
	if (!error)
		error = frdma_find_netdev(nic);
	if (!error)
		error = frdma_start(nic, pdev);
	if (!error)
		error = frdma_register(nic);
	if (error) {
		if (nic->netdev)
			put_device(&nic->netdev->dev);
		ib_dealloc_device(&nic->ib);
		return error;
	}
	writeq(~0ULL, nic->regs + FRDMA_MASK);
	dev_info(&pdev->dev, "%s beside %s\n", dev_name(&nic->ib.dev), netdev_name(nic->netdev));
	return 0;
}

static const struct of_device_id frdma_match[] = {{.compatible = "firesim,rdma"}, {}};
MODULE_DEVICE_TABLE(of, frdma_match);

/* Cannot be unbound, as the network interface beside it cannot. */
static struct platform_driver frdma_driver = {
	.probe = frdma_probe,
	.driver = {.name = "firesim_rdma",
		   .of_match_table = frdma_match,
		   .suppress_bind_attrs = true},
};
builtin_platform_driver(frdma_driver);

MODULE_DESCRIPTION("FireSim RDMA NIC");
MODULE_LICENSE("Dual BSD/GPL");
