// SPDX-License-Identifier: BSD-3-Clause
/*
 * FireSim network interface, receiving.
 *
 * The hardware writes a received frame of up to MAX_FRAME bytes to a posted buffer whatever the MTU
 * is, and posted buffers cannot be taken back: so every buffer has room for MAX_FRAME bytes, and as
 * many as the hardware takes stay with it for good. Common frames are copied out of their buffer;
 * of a long one the buffer itself goes to the stack and a fresh one takes its place.
 */
#include "firesim_nic.h"

/* Frames up to this length are copied: they then hold no more memory than they need. */
#define COPY_BYTES 2048

static bool allocate_buffer(struct nic *nic, struct nic_buffer *buffer)
{
	char *data = page_frag_alloc(&nic->pages, nic->buffer_bytes, GFP_ATOMIC | __GFP_NOWARN);

	if (!data)
		return false;
	buffer->address = dma_map_single(nic->parent, data + NET_SKB_PAD, nic->max_frame_bytes,
					 DMA_FROM_DEVICE);
	if (dma_mapping_error(nic->parent, buffer->address)) {
		page_frag_free(data);
		return false;
	}
	buffer->data = data;
	return true;
}

static void free_buffer(struct nic *nic, const struct nic_buffer *buffer)
{
	dma_unmap_single(nic->parent, buffer->address, nic->max_frame_bytes, DMA_FROM_DEVICE);
	page_frag_free(buffer->data);
}

int nic_allocate_buffers(struct nic *nic)
{
	unsigned int i;

	nic->buffer_bytes = SKB_DATA_ALIGN(NET_SKB_PAD + nic->max_frame_bytes) +
			    SKB_DATA_ALIGN(sizeof(struct skb_shared_info));
	for (i = 0; i < nic->receive_depth; i++) {
		if (allocate_buffer(nic, &nic->buffers[i]))
			continue;
		nic_free_buffers(nic);
		return -ENOMEM;
	}
	return 0;
}

void nic_free_buffers(struct nic *nic)
{
	unsigned int i;

	for (i = 0; i < nic->receive_depth && nic->buffers[i].data; i++)
		free_buffer(nic, &nic->buffers[i]);
}

static struct sk_buff *take_buffer(struct nic *nic, struct nic_buffer *buffer, unsigned int bytes)
{
	struct nic_buffer fresh;
	struct sk_buff *skb;

	if (!allocate_buffer(nic, &fresh))
		return NULL;
	skb = napi_build_skb(buffer->data, nic->buffer_bytes);
	if (!skb) {
		free_buffer(nic, &fresh);
		return NULL;
	}
	dma_unmap_single(nic->parent, buffer->address, nic->max_frame_bytes, DMA_FROM_DEVICE);
	*buffer = fresh;
	skb_reserve(skb, NET_SKB_PAD + PAD_BYTES);
	skb_put(skb, bytes - PAD_BYTES);
	return skb;
}

static struct sk_buff *copy_buffer(struct nic *nic, struct nic_buffer *buffer, unsigned int bytes)
{
	struct sk_buff *skb = napi_alloc_skb(&nic->napi, bytes);

	if (!skb)
		return NULL;
	dma_sync_single_for_cpu(nic->parent, buffer->address, bytes, DMA_FROM_DEVICE);
	skb_put_data(skb, buffer->data + NET_SKB_PAD + PAD_BYTES, bytes - PAD_BYTES);
	dma_sync_single_for_device(nic->parent, buffer->address, bytes, DMA_FROM_DEVICE);
	return skb;
}

static void deliver(struct nic *nic, struct nic_buffer *buffer, unsigned int bytes)
{
	struct net_device *dev = nic->dev;
	struct sk_buff *skb;

	if (bytes < PAD_BYTES + ETH_HLEN) {
		dev->stats.rx_errors++;
		dev->stats.rx_length_errors++;
		return;
	}
	skb = bytes <= COPY_BYTES ? copy_buffer(nic, buffer, bytes)
				  : take_buffer(nic, buffer, bytes);
	if (!skb) {
		dev->stats.rx_dropped++;
		return;
	}
	dev->stats.rx_packets++;
	dev->stats.rx_bytes += skb->len;
	skb->protocol = eth_type_trans(skb, dev);
	napi_gro_receive(&nic->napi, skb);
}

static void post_buffer(struct nic *nic, const struct nic_buffer *buffer)
{
	writeq(buffer->address, nic->regs + NIC_RECV_REQ);
}

void nic_post_buffers(struct nic *nic)
{
	unsigned int i;

	for (i = 0; i < nic->receive_depth; i++)
		post_buffer(nic, &nic->buffers[i]);
}

/* Takes up to `limit` frames, and drops them unless they are to be kept. */
unsigned int nic_receive(struct nic *nic, unsigned int limit, bool keep)
{
	unsigned int i;

	for (i = 0; i < limit; i++) {
		struct nic_buffer *buffer = &nic->buffers[nic->receive_next];
		const u64 completion = readq(nic->regs + NIC_RECV_COMP);

		if (!(completion & NIC_COMP_VALID))
			break;
		if (keep)
			deliver(nic, buffer, completion & NIC_COMP_BYTES);
		post_buffer(nic, buffer);
		nic->receive_next = next_index(nic->receive_next, nic->receive_depth);
	}
	return i;
}
