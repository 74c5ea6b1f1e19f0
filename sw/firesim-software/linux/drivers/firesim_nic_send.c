// SPDX-License-Identifier: BSD-3-Clause
/*
 * FireSim network interface, sending: frames go to the hardware in up to MAX_PIECES pieces and stay
 * in a ring until their completions are taken.
 */
#include "firesim_nic.h"

static void unmap_piece(struct nic *nic, const struct nic_piece *piece)
{
	if (piece->is_page)
		dma_unmap_page(nic->parent, piece->address, piece->bytes, DMA_TO_DEVICE);
	else
		dma_unmap_single(nic->parent, piece->address, piece->bytes, DMA_TO_DEVICE);
}

static int map_frame(struct nic *nic, struct sk_buff *skb, struct nic_piece *pieces)
{
	const int frags = skb_shinfo(skb)->nr_frags;
	int i;

	pieces[0].bytes = skb_headlen(skb);
	pieces[0].is_page = false;
	pieces[0].address = dma_map_single(nic->parent, skb->data, pieces[0].bytes, DMA_TO_DEVICE);
	if (dma_mapping_error(nic->parent, pieces[0].address))
		return 0;
	for (i = 1; i <= frags; i++) {
		const skb_frag_t *frag = &skb_shinfo(skb)->frags[i - 1];

		pieces[i].bytes = skb_frag_size(frag);
		pieces[i].is_page = true;
		pieces[i].address =
			skb_frag_dma_map(nic->parent, frag, 0, pieces[i].bytes, DMA_TO_DEVICE);
		if (dma_mapping_error(nic->parent, pieces[i].address)) {
			while (i--)
				unmap_piece(nic, &pieces[i]);
			return 0;
		}
	}
	return frags + 1;
}

static void queue_pieces(struct nic *nic, struct sk_buff *skb, const struct nic_piece *pieces,
			 int count)
{
	int i;

	atomic_sub(count, &nic->sends_free);
	for (i = 0; i < count; i++) {
		struct nic_piece *slot = &nic->pieces[nic->send_head];

		*slot = pieces[i];
		slot->skb = i + 1 == count ? skb : NULL;
		nic->send_head = next_index(nic->send_head, nic->send_depth);
	}
	dma_wmb(); /* the frame is in memory before the hardware hears of its first piece */
	for (i = 0; i < count; i++) {
		u64 request = pieces[i].address | (u64)pieces[i].bytes << NIC_SEND_BYTES_SHIFT;

		if (i + 1 != count)
			request |= NIC_SEND_MORE;
		writeq(request, nic->regs + NIC_SEND_REQ);
	}
}

static void wake_if_room(struct nic *nic)
{
	if (netif_queue_stopped(nic->dev) && atomic_read(&nic->sends_free) >= MAX_PIECES)
		netif_wake_queue(nic->dev);
}

netdev_tx_t nic_start_xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct nic *nic = netdev_priv(dev);
	struct nic_piece pieces[MAX_PIECES];
	int count;

	if (skb_shinfo(skb)->nr_frags >= MAX_PIECES && skb_linearize(skb))
		goto drop;
	if (skb_cow_head(skb, PAD_BYTES))
		goto drop;
	__skb_push(skb, PAD_BYTES);
	memset(skb->data, 0, PAD_BYTES);
	if (skb->len > nic->max_frame_bytes)
		goto drop;
	count = map_frame(nic, skb, pieces);
	if (!count)
		goto drop;

	skb_tx_timestamp(skb);
	netdev_sent_queue(dev, skb->len);
	queue_pieces(nic, skb, pieces, count);
	if (atomic_read(&nic->sends_free) < MAX_PIECES) {
		netif_stop_queue(dev);
		smp_mb__after_atomic(); /* completions on another hart look at the queue after this
					 */
		wake_if_room(nic);
	}
	return NETDEV_TX_OK;

drop:
	dev->stats.tx_dropped++;
	dev_kfree_skb_any(skb);
	return NETDEV_TX_OK;
}

void nic_reclaim_sent(struct nic *nic, unsigned int completions, int budget)
{
	unsigned int packets = 0;
	unsigned int bytes = 0;
	unsigned int i;

	for (i = 0; i < completions && readq(nic->regs + NIC_SEND_COMP) & NIC_COMP_VALID; i++) {
		struct nic_piece *piece = &nic->pieces[nic->send_tail];

		unmap_piece(nic, piece);
		if (piece->skb) {
			packets++;
			bytes += piece->skb->len;
			napi_consume_skb(piece->skb, budget);
			piece->skb = NULL;
		}
		nic->send_tail = next_index(nic->send_tail, nic->send_depth);
	}
	nic->dev->stats.tx_packets += packets;
	nic->dev->stats.tx_bytes += bytes - packets * PAD_BYTES;
	netdev_completed_queue(nic->dev, packets, bytes);
	atomic_add(i, &nic->sends_free);
	/* Pairs with the one in nic_start_xmit. */
	smp_mb__after_atomic();
	wake_if_room(nic);
}
