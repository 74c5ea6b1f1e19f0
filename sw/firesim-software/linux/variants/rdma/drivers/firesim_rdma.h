/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * FireSim RDMA NIC: its registers and queue entries (docs/how-to/rdma.md, section 6) and the
 * driver's state, shared by its parts.
 *
 * Programs use the verbs with rxe's user ABI: their queues are mapped, and a system call says that
 * there is something to send. The NIC never sees these queues: the driver copies each entry, once,
 * into queues that are the NIC's and its own, and copies completions back. So nothing that a
 * program does to its queues reaches further than its own work.
 */
#ifndef FIRESIM_RDMA_H
#define FIRESIM_RDMA_H

#include <linux/bits.h>
#include <linux/hrtimer.h>
#include <linux/io.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/workqueue.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_user_rxe.h>

#define FRDMA_ENABLE 0x00
#define FRDMA_MAC 0x08
#define FRDMA_IP 0x10
#define FRDMA_COMMAND 0x18
#define FRDMA_SEND_DOORBELL 0x20
#define FRDMA_RECEIVE_DOORBELL 0x28
#define FRDMA_PENDING 0x30
#define FRDMA_MASK 0x38
#define FRDMA_SIZES 0x40
#define FRDMA_FAILED 0x48
#define FRDMA_TABLE 0x50
#define FRDMA_PAGES 0x58
#define FRDMA_MAILBOX 0x80
#define FRDMA_COUNTERS 0xc0

#define FRDMA_HAS_PAGES BIT(25)
#define FRDMA_PAGED BIT_ULL(47) /* the address of a page of the table */
#define FRDMA_ADDRESS_BITS 47

enum frdma_command { FRDMA_SET_QP = 1, FRDMA_SET_REGION, FRDMA_CLEAR_REGION, FRDMA_SET_CQ };

#define FRDMA_QPS 64
#define FRDMA_FIRST_QP 2 /* 0 and 1 are those of management */
#define FRDMA_REGIONS 64
#define FRDMA_GIDS 32
#define FRDMA_MOST_WORK 8191 /* and a queue holds one less than a power of two */
#define FRDMA_MOST_CQES 32767
#define FRDMA_MOST_SGES 8
#define FRDMA_MOST_BOUNCE BIT(15) /* bytes of a work request in several pieces */
#define FRDMA_MOST_INLINE 512
#define FRDMA_MOST_READS 16
#define FRDMA_MOST_BYTES BIT(30)
#define FRDMA_NO_KEY U32_MAX	  /* no region has it */
#define FRDMA_SHARED_RECEIVES 128 /* entries that a queue pair without a receive queue has */
/* A receive request of a program's. */
#define FRDMA_RECEIVE_BYTES (sizeof(struct rxe_recv_wqe) + FRDMA_MOST_SGES * sizeof(struct rxe_sge))

/* An entry of the NIC's send queue. */
struct frdma_work {
	__le32 id;
	__le32 local_low, local_high;
	__le32 bytes;
	u8 opcode, flags;
	__le16 awaited_qp;
	__le32 remote_low, remote_high;
	__le32 remote_key;
	__le32 awaited;
	__le32 unused[3];
	__le32 immediate; /* or the key to be invalidated */
	__le32 local_key; /* 0: a physical address */
	__le32 more[2];
};

/* An entry of the NIC's receive queue. */
struct frdma_buffer {
	__le32 id;
	__le32 local_key;
	__le64 address;
	__le32 bytes;
	__le32 reserved[3];
};

/* An entry of a completion queue of the NIC. */
struct frdma_completion {
	__le32 id;
	__le32 bytes;
	__le32 immediate;
	__le32 reserved;
	__le32 qp_and_opcode;
	u8 status, flags;
	__le16 unused;
	__le64 phase_and_index; /* phase in bit 63 */
};

/* Opcodes of packets, as completions of receive requests have them. */
#define FRDMA_WRITE_FIRST 0x06
#define FRDMA_WRITE_LAST 0x0b

#define FRDMA_COMPLETION_IMMEDIATE BIT(0)
#define FRDMA_COMPLETION_INVALIDATED BIT(1)
#define FRDMA_COMPLETION_RECEIVED BIT(2)
#define FRDMA_COMPLETION_SOLICITED BIT(3)

/*
 * A queue that is shared with a program. Whatever the program writes there, `taken` and `done` stay
 * within `mask`.
 */
struct frdma_queue {
	struct rdma_user_mmap_entry entry;
	struct rxe_queue_buf *buf;
	u32 mask, shift;
	u32 taken; /* work: next entry to be taken; completions: next one to be written */
	u32 done;  /* work: next entry to be given back */
};

struct frdma {
	struct ib_device ib;
	struct device *parent;
	struct net_device *netdev;
	void __iomem *regs;

	struct mutex mailbox; /* a command at a time; addresses, and who has them */
	unsigned int connected;
	__be32 ip;

	spinlock_t lock; /* all below, and all queues; taken in interrupts */
	struct frdma_qp *qps[FRDMA_QPS];
	unsigned int last_qp;
	struct frdma_region *regions[FRDMA_REGIONS];
	u8 variants[FRDMA_REGIONS];
	struct hrtimer timer;
	u64 timer_ns;
	unsigned int looks; /* with the shortest period, since a queue pair had nothing left */

	struct mutex table_lock;
	__le64 *table;
	dma_addr_t table_address;
	unsigned long *used;
	u32 pages;
	struct ida domains;
};

struct frdma_context {
	struct ib_ucontext ib;
};

struct frdma_pd {
	struct ib_pd ib;
	u16 number;
};

struct frdma_region {
	struct ib_mr ib;
	struct ib_umem *umem;
	unsigned int number;
	u64 address; /* of the program's */
	u32 first_page, pages;
	unsigned int users; /* work requests of the NIC with its key */
};

struct frdma_cq {
	struct ib_cq ib;
	struct frdma_queue *queue;
	u8 notify;
	bool overrun;
};

/* A receive request as it was read. */
struct frdma_request {
	u64 id;
	u32 count;
	struct rxe_sge pieces[FRDMA_MOST_SGES];
};

/* A receive queue that queue pairs share. */
struct frdma_srq {
	struct ib_srq ib;
	struct frdma_queue *queue;
	struct frdma_request *returned; /* that were taken from the queue and not used */
	u32 count;			/* of them */
	u32 given;			/* that queue pairs have */
	u32 limit;
	u32 users;
};

/* Memory in one piece for work in several; the driver's own, so the NIC has its physical address.
 */
struct frdma_bounce {
	void *data;
	dma_addr_t address;
	u32 *bounced; /* bytes of all of its queue pair and kind */
	u32 bytes, count;
	struct rxe_sge pieces[FRDMA_MOST_SGES];
};

/* What a completion needs to know of a work request that the NIC has. */
struct frdma_send {
	u64 id;
	struct frdma_region *region;
	struct frdma_bounce *bounce;
	u32 bytes;
	u8 opcode;
	bool signaled;
};

/* And of a receive request. */
struct frdma_received {
	struct frdma_request request;
	struct frdma_bounce *bounce;
};

/* A queue of the NIC: counts of entries so far, of which those up to `done` have ended. */
struct frdma_ring {
	void *entries;
	dma_addr_t address;
	u32 mask;
	u16 posted, done;
};

struct frdma_qp {
	struct ib_qp ib;
	struct mutex mutex; /* of modify */
	unsigned int number;
	struct ib_qp_cap cap;
	bool signals_all;
	struct ib_qp_attr attr; /* as it was set so far */
	__be32 own_ip, peer_ip;
	u64 words[7]; /* as the mailbox had them */

	enum ib_qp_state state;
	bool live;					/* the NIC has it */
	struct frdma_queue *send_queue, *receive_queue; /* the latter NULL with a shared one */
	struct frdma_srq *srq;
	struct frdma_ring sends, receives, completions;
	struct frdma_send *sent;
	struct frdma_received *received;
	u32 bounced_sends, bounced_receives; /* bytes of its bounces */
	bool waits;			     /* for memory for a bounce of what it sends */
	void *inlined;			     /* inline data, for each entry of the send queue */
	dma_addr_t inlined_address;
	struct delayed_work flush;
};

static inline struct frdma *to_frdma(struct ib_device *ib)
{
	return container_of(ib, struct frdma, ib);
}

static inline struct frdma_pd *to_frdma_pd(struct ib_pd *ib)
{
	return container_of(ib, struct frdma_pd, ib);
}

static inline struct frdma_cq *to_frdma_cq(struct ib_cq *ib)
{
	return container_of(ib, struct frdma_cq, ib);
}

static inline struct frdma_qp *to_frdma_qp(struct ib_qp *ib)
{
	return container_of(ib, struct frdma_qp, ib);
}

static inline struct frdma_srq *to_frdma_srq(struct ib_srq *ib)
{
	return container_of(ib, struct frdma_srq, ib);
}

/* firesim_rdma.c */
void frdma_command(struct frdma *nic, enum frdma_command code, unsigned int index, const u64 *words,
		   unsigned int count);
void frdma_look_again(struct frdma *nic, bool soon);
enum ib_mtu frdma_mtu(const struct frdma *nic);

/* firesim_rdma_queue.c */
struct frdma_queue *frdma_queue_create(struct ib_udata *udata, u32 entries, u32 entry_bytes,
				       struct mminfo *info);
void frdma_queue_destroy(struct frdma_queue *queue);
bool frdma_queue_has_work(const struct frdma_queue *queue);
u32 frdma_queue_left(const struct frdma_queue *queue);
const void *frdma_queue_take(struct frdma_queue *queue);
void frdma_queue_untake(struct frdma_queue *queue);
void frdma_queue_give_back(struct frdma_queue *queue);
void frdma_queue_take_again(struct frdma_queue *queue);
void frdma_queue_drop(struct frdma_queue *queue);
void *frdma_queue_place(struct frdma_queue *queue);
void frdma_queue_put(struct frdma_queue *queue);
int frdma_mmap(struct ib_ucontext *context, struct vm_area_struct *vma);
void frdma_mmap_free(struct rdma_user_mmap_entry *entry);

/* firesim_rdma_cq.c */
int frdma_create_cq(struct ib_cq *ib, const struct ib_cq_init_attr *attr, struct ib_udata *udata);
int frdma_destroy_cq(struct ib_cq *ib, struct ib_udata *udata);
int frdma_req_notify_cq(struct ib_cq *ib, enum ib_cq_notify_flags flags);
void frdma_cq_add(struct frdma_cq *cq, const struct ib_uverbs_wc *wc, bool solicited);

/* firesim_rdma_region.c */
int frdma_table_create(struct frdma *nic);
struct ib_mr *frdma_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 address, int access,
				struct ib_udata *udata);
int frdma_dereg_mr(struct ib_mr *mr, struct ib_udata *udata);
struct frdma_region *frdma_region_of(struct frdma *nic, const struct ib_pd *pd, u32 key);

/* firesim_rdma_srq.c; but for the first four, the lock is held */
int frdma_create_srq(struct ib_srq *ib, struct ib_srq_init_attr *init, struct ib_udata *udata);
int frdma_destroy_srq(struct ib_srq *ib, struct ib_udata *udata);
int frdma_modify_srq(struct ib_srq *ib, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		     struct ib_udata *udata);
int frdma_query_srq(struct ib_srq *ib, struct ib_srq_attr *attr);
u32 frdma_srq_share(const struct frdma_srq *srq);
bool frdma_srq_take(struct frdma_srq *srq, struct frdma_request *request);
void frdma_srq_return(struct frdma_srq *srq, const struct frdma_request *request);
void frdma_srq_done(struct frdma_srq *srq);

/* firesim_rdma_pieces.c: of work in several pieces of memory. The lock is held. */
u32 frdma_pieces_bytes(const struct rxe_sge *pieces, u32 count);
struct frdma_bounce *frdma_bounce_create(struct frdma_qp *qp, u32 *bounced,
					 const struct rxe_sge *pieces, u32 count);
void frdma_bounce_destroy(struct frdma_qp *qp, struct frdma_bounce *bounce);
bool frdma_gather(struct frdma_qp *qp, struct frdma_bounce *bounce);
bool frdma_scatter(struct frdma_qp *qp, struct frdma_bounce *bounce, u32 bytes);

/* firesim_rdma_qp.c */
int frdma_create_qp(struct ib_qp *ib, struct ib_qp_init_attr *init, struct ib_udata *udata);
int frdma_modify_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask, struct ib_udata *udata);
int frdma_query_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask,
		   struct ib_qp_init_attr *init);
int frdma_destroy_qp(struct ib_qp *ib, struct ib_udata *udata);

/* firesim_rdma_connect.c */
int frdma_connect(struct frdma_qp *qp);
void frdma_disconnect(struct frdma_qp *qp);

/* firesim_rdma_work.c: of work that programs have posted. The lock is held. */
int frdma_post_send(struct ib_qp *ib, const struct ib_send_wr *wr,
		    const struct ib_send_wr **bad_wr);
void frdma_read_request(struct frdma_request *request, const void *shared);
void frdma_take_sends(struct frdma_qp *qp);
bool frdma_take_receives(struct frdma_qp *qp);

/* firesim_rdma_done.c: of work that has ended. The lock is held. */
void frdma_complete(struct frdma_qp *qp);
void frdma_fail(struct frdma_qp *qp, enum ib_event_type event);
void frdma_withdraw_receives(struct frdma_qp *qp);
void frdma_flush(struct frdma_qp *qp);
void frdma_forget(struct frdma_qp *qp);

#endif
