// SPDX-License-Identifier: BSD-3-Clause
/*
 * FireSim network interface: the platform device, interrupts, NAPI and configuration.
 */
#include <linux/ethtool.h>
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/of_net.h>
#include <linux/platform_device.h>

#include "firesim_nic.h"

#define JUMBO_MTU 9000

static int nic_poll(struct napi_struct *napi, int budget)
{
	struct nic *nic = container_of(napi, struct nic, napi);
	int received = 0;
	int taken;

	/* Another look costs less than another interrupt. */
	do {
		const u32 counts = readl_relaxed(nic->regs + NIC_COUNTS);
		const int ready = RECEIVES_COMPLETE(counts);

		if (SENDS_COMPLETE(counts))
			nic_reclaim_sent(nic, SENDS_COMPLETE(counts), budget);
		taken = nic_receive(nic, min(ready, budget - received), true);
		received += taken;
	} while (taken && received < budget);
	if (received < budget && napi_complete_done(napi, received))
		writel(NIC_INT_SENT | NIC_INT_RECEIVED, nic->regs + NIC_INT_MASK);
	return received;
}

static irqreturn_t nic_interrupt(int irq, void *data)
{
	struct nic *nic = data;

	writel(0, nic->regs + NIC_INT_MASK);
	napi_schedule_irqoff(&nic->napi);
	return IRQ_HANDLED;
}

static int nic_open(struct net_device *dev)
{
	struct nic *nic = netdev_priv(dev);

	if (!nic->posted) {
		nic_post_buffers(nic);
		nic->posted = true;
	} else {
		while (nic_receive(nic, nic->receive_depth,
				   false)) /* what came while it was down */
			;
	}
	napi_enable(&nic->napi);
	if (atomic_read(&nic->sends_free) >= MAX_PIECES)
		netif_start_queue(dev);
	writel(NIC_INT_SENT | NIC_INT_RECEIVED, nic->regs + NIC_INT_MASK);
	return 0;
}

/* What the hardware still holds stays there, and completes when the device is opened again. */
static int nic_stop(struct net_device *dev)
{
	struct nic *nic = netdev_priv(dev);

	netif_tx_disable(dev);
	napi_disable(&nic->napi);
	writel(0, nic->regs + NIC_INT_MASK);
	return 0;
}

static void nic_get_stats64(struct net_device *dev, struct rtnl_link_stats64 *stats)
{
	const struct nic *nic = netdev_priv(dev);

	netdev_stats_to_stats64(stats, &dev->stats);
	stats->rx_missed_errors = readl(nic->regs + NIC_DROPS);
}

static const struct net_device_ops nic_ops = {
	.ndo_open = nic_open,
	.ndo_stop = nic_stop,
	.ndo_start_xmit = nic_start_xmit,
	.ndo_get_stats64 = nic_get_stats64,
	.ndo_set_mac_address = eth_mac_addr,
	.ndo_validate_addr = eth_validate_addr,
};

static const struct ethtool_ops nic_ethtool_ops = {
	.get_link = ethtool_op_get_link,
};

/* The address is the bridge's, unless it has none: then the device tree's, or a random one. */
static void nic_read_address(struct nic *nic)
{
	const u64 value = readq(nic->regs + NIC_MAC);
	u8 address[ETH_ALEN];
	int i;

	for (i = 0; i < ETH_ALEN; i++)
		address[i] = value >> (8 * i);
	if (is_valid_ether_addr(address))
		eth_hw_addr_set(nic->dev, address);
	else if (of_get_ethdev_address(nic->parent->of_node, nic->dev))
		eth_hw_addr_random(nic->dev);
}

static int nic_allocate(struct nic *nic)
{
	const u32 counts = readl(nic->regs + NIC_COUNTS);

	nic->max_frame_bytes = readl(nic->regs + NIC_MAX_FRAME);
	nic->send_depth = FREE_SENDS(counts);
	nic->receive_depth = FREE_RECEIVES(counts);
	if (nic->send_depth < MAX_PIECES || !nic->receive_depth ||
	    nic->max_frame_bytes < PAD_BYTES + ETH_FRAME_LEN) {
		dev_err(nic->parent, "found room for %u sends, %u receives of %u bytes in use\n",
			nic->send_depth, nic->receive_depth, nic->max_frame_bytes);
		return -EBUSY;
	}
	atomic_set(&nic->sends_free, nic->send_depth);
	nic->pieces = devm_kcalloc(nic->parent, nic->send_depth, sizeof(*nic->pieces), GFP_KERNEL);
	nic->buffers =
		devm_kcalloc(nic->parent, nic->receive_depth, sizeof(*nic->buffers), GFP_KERNEL);
	if (!nic->pieces || !nic->buffers)
		return -ENOMEM;
	return nic_allocate_buffers(nic);
}

static void nic_describe(struct net_device *dev, struct nic *nic)
{
	dev->netdev_ops = &nic_ops;
	dev->ethtool_ops = &nic_ethtool_ops;
	dev->features = NETIF_F_SG | NETIF_F_HIGHDMA;
	dev->hw_features = NETIF_F_SG;
	dev->priv_flags |= IFF_LIVE_ADDR_CHANGE;
	dev->needed_headroom = PAD_BYTES;
	dev->max_mtu = min_t(unsigned int, JUMBO_MTU, nic->max_frame_bytes - PAD_BYTES - ETH_HLEN);
	netif_napi_add(dev, &nic->napi, nic_poll);
}

static int nic_probe(struct platform_device *pdev)
{
	struct net_device *dev = devm_alloc_etherdev(&pdev->dev, sizeof(struct nic));
	struct nic *nic;
	int irq, error;

	if (!dev)
		return -ENOMEM;
	SET_NETDEV_DEV(dev, &pdev->dev);
	nic = netdev_priv(dev);
	nic->dev = dev;
	nic->parent = &pdev->dev;
	nic->regs = devm_platform_ioremap_resource(pdev, 0);
	if (IS_ERR(nic->regs))
		return PTR_ERR(nic->regs);
	irq = platform_get_irq(pdev, 0);
	if (irq < 0)
		return irq;
	error = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(NIC_ADDRESS_BITS));
	if (error)
		return error;
	writel(0, nic->regs + NIC_INT_MASK);
	nic_read_address(nic);
	error = nic_allocate(nic);
	if (error)
		return error;
	nic_describe(dev, nic);
	error = devm_request_irq(&pdev->dev, irq, nic_interrupt, 0, dev_name(&pdev->dev), nic);
	if (!error)
		error = register_netdev(dev);
	if (error) {
		nic_free_buffers(nic);
		return error;
	}
	netdev_info(dev, "FireSim NIC, %pM\n", dev->dev_addr);
	return 0;
}

static const struct of_device_id nic_match[] = {{.compatible = "firesim,nic"}, {}};
MODULE_DEVICE_TABLE(of, nic_match);

/* Cannot be unbound: the hardware keeps the addresses of the receive buffers. */
static struct platform_driver nic_driver = {
	.probe = nic_probe,
	.driver = {.name = "firesim_nic", .of_match_table = nic_match, .suppress_bind_attrs = true},
};
builtin_platform_driver(nic_driver);

MODULE_DESCRIPTION("FireSim network interface");
MODULE_LICENSE("Dual BSD/GPL");
