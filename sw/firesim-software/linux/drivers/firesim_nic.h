/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * FireSim network interface: registers (docs/reference/interfaces.md, section 1) and the driver's
 * state, shared by its parts.
 *
 * In memory and on the wire two pad bytes come before the Ethernet header, so that the IP header is
 * aligned; the wire carries whole 8-byte flits.
 */
#ifndef FIRESIM_NIC_H
#define FIRESIM_NIC_H

#include <linux/bits.h>
#include <linux/dma-mapping.h>
#include <linux/etherdevice.h>
#include <linux/io.h>
#include <linux/netdevice.h>

#define NIC_SEND_REQ 0x00
#define NIC_RECV_REQ 0x08
#define NIC_SEND_COMP 0x10
#define NIC_RECV_COMP 0x18
#define NIC_COUNTS 0x20
#define NIC_MAC 0x28
#define NIC_INT_MASK 0x30
#define NIC_DROPS 0x40
#define NIC_MAX_FRAME 0x48

#define NIC_SEND_MORE BIT_ULL(63)
#define NIC_SEND_BYTES_SHIFT 48
#define NIC_COMP_VALID BIT_ULL(63)
#define NIC_COMP_BYTES GENMASK_ULL(15, 0)
#define NIC_INT_SENT BIT(0)
#define NIC_INT_RECEIVED BIT(1)
#define NIC_ADDRESS_BITS 48

#define FREE_SENDS(counts) ((counts)&0xff)
#define FREE_RECEIVES(counts) (((counts) >> 8) & 0xff)
#define SENDS_COMPLETE(counts) (((counts) >> 16) & 0xff)
#define RECEIVES_COMPLETE(counts) (((counts) >> 24) & 0xff)

#define PAD_BYTES 2
/* A frame in more pieces is gathered first: each costs a request and a completion. */
#define MAX_PIECES 4

struct nic_piece {
	struct sk_buff *skb; /* set in the last piece of a frame */
	dma_addr_t address;
	unsigned int bytes;
	bool is_page;
};

struct nic_buffer {
	void *data;
	dma_addr_t address;
};

struct nic {
	struct net_device *dev;
	struct device *parent;
	void __iomem *regs;
	struct napi_struct napi;
	unsigned int max_frame_bytes;
	unsigned int buffer_bytes;

	struct nic_piece *pieces; /* a ring: pieces the hardware holds, oldest at tail */
	unsigned int send_depth;
	unsigned int send_head;
	unsigned int send_tail;
	atomic_t sends_free;

	struct nic_buffer *buffers; /* in the order in which the hardware fills them */
	struct page_frag_cache pages;
	unsigned int receive_depth;
	unsigned int receive_next;
	bool posted;
};

static inline unsigned int next_index(unsigned int index, unsigned int depth)
{
	return index + 1 == depth ? 0 : index + 1;
}

int nic_allocate_buffers(struct nic *nic);
void nic_free_buffers(struct nic *nic);
void nic_post_buffers(struct nic *nic);
unsigned int nic_receive(struct nic *nic, unsigned int limit, bool keep);
netdev_tx_t nic_start_xmit(struct sk_buff *skb, struct net_device *dev);
void nic_reclaim_sent(struct nic *nic, unsigned int completions, int budget);

#endif
