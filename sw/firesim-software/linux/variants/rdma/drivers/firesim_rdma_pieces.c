// SPDX-License-Identifier: BSD-3-Clause
/*
 * FireSim RDMA NIC, work in several pieces of memory. The NIC takes one piece a work request, so
 * the driver has memory in one piece, a bounce, for those with more: it gathers what is sent before
 * the NIC reads it, and scatters what was received, or read from the peer, when the NIC is done.
 */
#include <linux/dma-mapping.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <rdma/ib_umem.h>

#include "firesim_rdma.h"

/* Of all bounces of a queue pair of a kind, so that what waits to be received keeps nothing from
 * being sent. Programs do not pay for this memory, so it is little. */
#define MOST_BOUNCED BIT(20)
#define LEAST_BYTES 1U /* a mapping has some */

/* Bytes of all pieces, or U32_MAX if they are more than a bounce may have. */
u32 frdma_pieces_bytes(const struct rxe_sge *pieces, u32 count)
{
	u64 bytes = 0;
	u32 i;

	for (i = 0; i < count; i++)
		bytes += pieces[i].length;
	return bytes <= FRDMA_MOST_BOUNCE ? bytes : U32_MAX;
}

/* NULL: there is no memory for it now. `bounced` is what the queue pair has of the kind. */
struct frdma_bounce *frdma_bounce_create(struct frdma_qp *qp, u32 *bounced,
					 const struct rxe_sge *pieces, u32 count)
{
	struct device *parent = to_frdma(qp->ib.device)->parent;
	const u32 bytes = frdma_pieces_bytes(pieces, count);
	struct frdma_bounce *bounce;

	if (*bounced + bytes > MOST_BOUNCED)
		return NULL;
	bounce = kmalloc(sizeof(*bounce), GFP_ATOMIC | __GFP_NOWARN);
	if (!bounce)
		return NULL;
	bounce->bounced = bounced;
	bounce->bytes = bytes;
	bounce->count = count;
	memcpy(bounce->pieces, pieces, count * sizeof(*pieces));
	bounce->data = kmalloc(max(bytes, LEAST_BYTES), GFP_ATOMIC | __GFP_NOWARN);
	if (!bounce->data)
		goto free;
	bounce->address =
		dma_map_single(parent, bounce->data, max(bytes, LEAST_BYTES), DMA_BIDIRECTIONAL);
	if (dma_mapping_error(parent, bounce->address))
		goto free_data;
	*bounced += bytes;
	return bounce;

free_data:
	kfree(bounce->data);
free:
	kfree(bounce);
	return NULL;
}

void frdma_bounce_destroy(struct frdma_qp *qp, struct frdma_bounce *bounce)
{
	if (!bounce)
		return;
	*bounce->bounced -= bounce->bytes;
	dma_unmap_single(to_frdma(qp->ib.device)->parent, bounce->address,
			 max(bounce->bytes, LEAST_BYTES), DMA_BIDIRECTIONAL);
	kfree(bounce->data);
	kfree(bounce);
}

/* Copies between a piece and memory of the driver's, if the piece is one of the queue pair's. */
static bool copy_piece(struct frdma_qp *qp, const struct rxe_sge *piece, void *data, u32 bytes,
		       bool into_piece)
{
	const struct frdma_region *region =
		frdma_region_of(to_frdma(qp->ib.device), qp->ib.pd, piece->lkey);
	const struct ib_umem *umem = region ? region->umem : NULL;
	u64 offset;

	if (!umem || piece->addr < region->address || (into_piece && !umem->writable))
		return false;
	offset = piece->addr - region->address;
	if (offset > umem->length || bytes > umem->length - offset)
		return false;
	offset += ib_umem_offset(region->umem);
	return sg_copy_buffer(umem->sgt_append.sgt.sgl, umem->sgt_append.sgt.orig_nents, data,
			      bytes, offset, !into_piece) == bytes;
}

static bool copy_pieces(struct frdma_qp *qp, struct frdma_bounce *bounce, u32 bytes,
			bool into_pieces)
{
	u32 done = 0, i;

	for (i = 0; i < bounce->count && done < bytes; i++) {
		const u32 now = min(bounce->pieces[i].length, bytes - done);

		if (now &&
		    !copy_piece(qp, &bounce->pieces[i], bounce->data + done, now, into_pieces))
			return false;
		done += now;
	}
	return done == bytes;
}

/* What is sent. False: a piece is not of a region of the queue pair's domain. */
bool frdma_gather(struct frdma_qp *qp, struct frdma_bounce *bounce)
{
	return copy_pieces(qp, bounce, bounce->bytes, false);
}

/* The first bytes of what was received. False: a piece is not one that may be written. */
bool frdma_scatter(struct frdma_qp *qp, struct frdma_bounce *bounce, u32 bytes)
{
	return copy_pieces(qp, bounce, bytes, true);
}
