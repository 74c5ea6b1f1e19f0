// SPDX-License-Identifier: BSD-3-Clause
/*
 * FireSim block device: as many requests at a time as the hardware has trackers.
 *
 * A tracker moves whole sectors between the device and one contiguous piece of memory, at most
 * MAX_REQUEST sectors. A request of the block layer is carried out piece by piece, each started
 * when the one before is complete; as there are no more requests than trackers, one is always free.
 * What is complete has reached the disk, so there is no cache to flush.
 */
#include <linux/blk-mq.h>
#include <linux/dma-mapping.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/platform_device.h>

#define BLK_ADDRESS 0x00
#define BLK_SECTOR 0x08
#define BLK_COUNT 0x10
#define BLK_WRITE 0x18
#define BLK_ALLOCATE 0x20
#define BLK_FREE 0x28
#define BLK_COMPLETE 0x30
#define BLK_SECTORS 0x40
#define BLK_MAX_REQUEST 0x48
#define BLK_INT_MASK 0x50

#define BLK_COMPLETE_VALID BIT_ULL(63)
#define BLK_COMPLETE_TRACKER GENMASK_ULL(7, 0)
#define BLK_ADDRESS_BITS 48

#define MOST_SEGMENTS 64
#define MOST_SECTORS 1024

struct transfer {
	struct list_head queue;	    /* in that of its tracker */
	struct scatterlist *piece;  /* that is next, or under way */
	unsigned int piece_sectors; /* of it that are done or under way */
	unsigned int segments;
	unsigned int segments_left;
	sector_t sector;
	struct scatterlist table[MOST_SEGMENTS];
};

struct blk {
	struct device *parent;
	void __iomem *regs;
	unsigned int max_request_sectors;
	spinlock_t lock; /* the registers that describe a request, and `under_way` */
	unsigned int trackers;
	/* Of each tracker the transfers it was given, oldest first: it takes another one as soon as
	 * it is done, when its completion may still wait to be read.
	 */
	struct list_head *under_way;
	struct blk_mq_tag_set tags;
	struct gendisk *disk;
};

static enum dma_data_direction direction(const struct request *request)
{
	return rq_data_dir(request) == WRITE ? DMA_TO_DEVICE : DMA_FROM_DEVICE;
}

/* Starts the next piece. */
static bool start_piece(struct blk *blk, struct request *request)
{
	struct transfer *transfer = blk_mq_rq_to_pdu(request);
	const unsigned int left =
		(sg_dma_len(transfer->piece) >> SECTOR_SHIFT) - transfer->piece_sectors;
	const unsigned int sectors = min(left, blk->max_request_sectors);
	const u64 address =
		sg_dma_address(transfer->piece) + ((u64)transfer->piece_sectors << SECTOR_SHIFT);
	u32 tracker;

	writeq(address, blk->regs + BLK_ADDRESS);
	writel_relaxed(transfer->sector, blk->regs + BLK_SECTOR);
	writel_relaxed(sectors, blk->regs + BLK_COUNT);
	writel_relaxed(rq_data_dir(request) == WRITE, blk->regs + BLK_WRITE);
	mb(); /* the description is complete before the read that starts the request */
	tracker = readl(blk->regs + BLK_ALLOCATE);
	if (tracker >= blk->trackers) {
		dev_err(blk->parent, "sector %llu: asked for %u sectors, found tracker %#x\n",
			transfer->sector, sectors, tracker);
		return false;
	}
	list_add_tail(&transfer->queue, &blk->under_way[tracker]);
	transfer->sector += sectors;
	transfer->piece_sectors += sectors;
	return true;
}

/* Returns whether a piece is left, and makes it the next. */
static bool next_piece(struct transfer *transfer)
{
	if (transfer->piece_sectors << SECTOR_SHIFT < sg_dma_len(transfer->piece))
		return true;
	if (!--transfer->segments_left)
		return false;
	transfer->piece = sg_next(transfer->piece);
	transfer->piece_sectors = 0;
	return true;
}

static void unmap(struct blk *blk, struct request *request)
{
	struct transfer *transfer = blk_mq_rq_to_pdu(request);

	dma_unmap_sg(blk->parent, transfer->table, transfer->segments, direction(request));
}

static irqreturn_t blk_interrupt(int irq, void *data)
{
	struct blk *blk = data;
	irqreturn_t result = IRQ_NONE;
	u64 completion;

	spin_lock(&blk->lock);
	while ((completion = readq(blk->regs + BLK_COMPLETE)) & BLK_COMPLETE_VALID) {
		const unsigned int tracker = completion & BLK_COMPLETE_TRACKER;
		blk_status_t status = BLK_STS_OK;
		struct transfer *transfer;
		struct request *request;

		result = IRQ_HANDLED;
		if (WARN_ON_ONCE(tracker >= blk->trackers || list_empty(&blk->under_way[tracker])))
			continue;
		transfer = list_first_entry(&blk->under_way[tracker], struct transfer, queue);
		list_del(&transfer->queue);
		request = blk_mq_rq_from_pdu(transfer);
		if (next_piece(transfer)) {
			if (start_piece(blk, request))
				continue;
			status = BLK_STS_IOERR;
		}
		unmap(blk, request);
		blk_mq_end_request(request, status);
	}
	spin_unlock(&blk->lock);
	return result;
}

static bool map_request(struct blk *blk, struct request *request)
{
	struct transfer *transfer = blk_mq_rq_to_pdu(request);
	struct scatterlist *piece;
	int mapped, i;

	sg_init_table(transfer->table, MOST_SEGMENTS);
	transfer->segments = blk_rq_map_sg(request->q, request, transfer->table);
	mapped = dma_map_sg(blk->parent, transfer->table, transfer->segments, direction(request));
	if (!mapped)
		return false;
	for_each_sg (transfer->table, piece, mapped, i) {
		if (IS_ALIGNED(sg_dma_address(piece) | sg_dma_len(piece), SECTOR_SIZE))
			continue;
		dev_err(blk->parent, "found %u bytes at %pad, expected whole aligned sectors\n",
			sg_dma_len(piece), &sg_dma_address(piece));
		unmap(blk, request);
		return false;
	}
	transfer->piece = transfer->table;
	transfer->piece_sectors = 0;
	transfer->segments_left = mapped;
	transfer->sector = blk_rq_pos(request);
	return true;
}

static blk_status_t blk_queue_request(struct blk_mq_hw_ctx *hctx,
				      const struct blk_mq_queue_data *queue_data)
{
	struct blk *blk = hctx->queue->queuedata;
	struct request *request = queue_data->rq;
	bool started;

	if (req_op(request) != REQ_OP_READ && req_op(request) != REQ_OP_WRITE)
		return BLK_STS_NOTSUPP;
	if (!map_request(blk, request))
		return BLK_STS_IOERR;
	blk_mq_start_request(request);
	spin_lock_irq(&blk->lock);
	started = start_piece(blk, request);
	spin_unlock_irq(&blk->lock);
	if (started)
		return BLK_STS_OK;
	unmap(blk, request);
	return BLK_STS_IOERR;
}

static const struct blk_mq_ops blk_mq_operations = {.queue_rq = blk_queue_request};
static const struct block_device_operations blk_operations = {.owner = THIS_MODULE};

static int make_disk(struct blk *blk, sector_t sectors)
{
	struct gendisk *disk;
	unsigned int i;
	int error;

	blk->under_way =
		devm_kcalloc(blk->parent, blk->trackers, sizeof(*blk->under_way), GFP_KERNEL);
	if (!blk->under_way)
		return -ENOMEM;
	for (i = 0; i < blk->trackers; i++)
		INIT_LIST_HEAD(&blk->under_way[i]);
	blk->tags.ops = &blk_mq_operations;
	blk->tags.nr_hw_queues = 1;
	blk->tags.queue_depth = blk->trackers;
	blk->tags.numa_node = NUMA_NO_NODE;
	blk->tags.cmd_size = sizeof(struct transfer);
	blk->tags.flags = BLK_MQ_F_SHOULD_MERGE;
	error = blk_mq_alloc_tag_set(&blk->tags);
	if (error)
		return error;
	disk = blk_mq_alloc_disk(&blk->tags, blk);
	if (IS_ERR(disk)) {
		blk_mq_free_tag_set(&blk->tags);
		return PTR_ERR(disk);
	}
	blk->disk = disk;
	disk->queue->queuedata = blk;
	disk->fops = &blk_operations;
	disk->private_data = blk;
	strscpy(disk->disk_name, "fsblk0", DISK_NAME_LEN);
	blk_queue_logical_block_size(disk->queue, SECTOR_SIZE);
	blk_queue_dma_alignment(disk->queue, SECTOR_SIZE - 1);
	blk_queue_max_hw_sectors(disk->queue, MOST_SECTORS);
	blk_queue_max_segments(disk->queue, MOST_SEGMENTS);
	blk_queue_flag_set(QUEUE_FLAG_NONROT, disk->queue);
	set_capacity(disk, sectors);
	return 0;
}

static int start_disk(struct platform_device *pdev, struct blk *blk, int irq)
{
	int error = devm_request_irq(&pdev->dev, irq, blk_interrupt, 0, dev_name(&pdev->dev), blk);

	if (!error) {
		writel(1, blk->regs + BLK_INT_MASK);
		error = device_add_disk(&pdev->dev, blk->disk, NULL);
	}
	if (error) {
		writel(0, blk->regs + BLK_INT_MASK);
		put_disk(blk->disk);
		blk_mq_free_tag_set(&blk->tags);
	}
	return error;
}

static int blk_probe(struct platform_device *pdev)
{
	struct blk *blk = devm_kzalloc(&pdev->dev, sizeof(*blk), GFP_KERNEL);
	unsigned int sectors;
	int irq, error;

	if (!blk)
		return -ENOMEM;
	blk->parent = &pdev->dev;
	spin_lock_init(&blk->lock);
	blk->regs = devm_platform_ioremap_resource(pdev, 0);
	if (IS_ERR(blk->regs))
		return PTR_ERR(blk->regs);
	irq = platform_get_irq(pdev, 0);
	if (irq < 0)
		return irq;
	sectors = readl(blk->regs + BLK_SECTORS);
	blk->trackers = readl(blk->regs + BLK_FREE);
	blk->max_request_sectors = readl(blk->regs + BLK_MAX_REQUEST);
	if (!sectors) /* a node without a disk */
		return -ENODEV;
	if (!blk->trackers || !blk->max_request_sectors) {
		dev_err(&pdev->dev, "found %u free trackers of %u sectors, expected some\n",
			blk->trackers, blk->max_request_sectors);
		return -EBUSY;
	}
	error = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(BLK_ADDRESS_BITS));
	if (!error)
		error = make_disk(blk, sectors);
	if (!error)
		error = start_disk(pdev, blk, irq);
	if (!error)
		dev_info(&pdev->dev, "fsblk0: %u sectors, %u at a time, %u trackers\n", sectors,
			 blk->max_request_sectors, blk->trackers);
	return error;
}

static const struct of_device_id blk_match[] = {{.compatible = "firesim,blockdevice"}, {}};
MODULE_DEVICE_TABLE(of, blk_match);

static struct platform_driver blk_driver = {
	.probe = blk_probe,
	.driver = {.name = "firesim_blk", .of_match_table = blk_match, .suppress_bind_attrs = true},
};
builtin_platform_driver(blk_driver);

MODULE_DESCRIPTION("FireSim block device");
MODULE_LICENSE("Dual BSD/GPL");
