// SPDX-License-Identifier: BSD-3-Clause
// The RDMA NIC (part `rdma`; registers and queues: docs/how-to/rdma.md): one queue pair at a time
// is set up with its queues in memory, and work is posted and completions are taken.
#ifndef FIRESIM_RDMA_H_
#define FIRESIM_RDMA_H_

#include "net.h"
#include "platform.h"

enum rdma_opcode {
  RDMA_WRITE = 0,
  RDMA_WRITE_IMMEDIATE = 1,
  RDMA_SEND = 2,
  RDMA_SEND_IMMEDIATE = 3,
  RDMA_READ = 4,
  RDMA_SEND_INVALIDATE = 12
};

// Of a NIC that reduces: what peers write to the region is added to what is there.
enum rdma_access {
  RDMA_LOCAL_WRITE = 1,
  RDMA_REMOTE_READ = 2,
  RDMA_REMOTE_WRITE = 4,
  RDMA_ADDS_INT32 = 1 << 4,
  RDMA_ADDS_FP32 = 2 << 4
};

// An entry of a send queue, as the NIC reads it. Bit 0 of `flags`: a completion is written on
// success too; bit 1: solicited; bit 2: sent only when all READs before it are complete; bit 3, of
// a NIC that reduces: sent only when queue pair `awaited_qp` has received `awaited` messages with a
// completion since it was set up (modulo 65,536).
struct rdma_work {
  uint32_t id;
  uint32_t local_low, local_high;  // virtual address in the region of `local_key`
  uint32_t bytes;
  uint8_t opcode, flags;
  uint16_t awaited_qp;
  uint32_t remote_low, remote_high;
  uint32_t remote_key;
  uint32_t awaited;
  uint32_t unused[3];
  uint32_t immediate;  // or the key to be invalidated
  uint32_t local_key;  // 0: physical addresses, if the queue pair may
  uint32_t more[2];
};

// An entry of a receive queue.
struct rdma_buffer {
  uint32_t id;
  uint32_t local_key;
  uint64_t address;
  uint32_t bytes;
  uint32_t reserved[3];
};

// An entry of a completion queue. Bits of `flags`: immediate, invalidated, received, solicited.
struct rdma_completion {
  uint32_t id;
  uint32_t bytes;
  uint32_t immediate;
  uint32_t reserved;
  uint32_t qp_and_opcode;  // opcode in bits 31:24
  uint8_t status, flags;
  uint16_t unused;
  uint64_t phase_and_index;  // phase in bit 63
};

struct rdma_peer {
  uint64_t mac;  // byte 0 in bits 7:0
  uint32_t ip;   // first byte highest
  uint32_t qp;
};

// What a queue pair is set up with. Depths are powers of two.
struct rdma_settings {
  struct rdma_peer peer;
  unsigned send_depth, receive_depth;
  unsigned mtu;       // 256 to 4,096
  uint32_t psn;       // of the first packet to the peer
  uint32_t peer_psn;  // of the first packet from the peer
  uint16_t domain;
  unsigned timeout_code;  // 4.096 us << code; 0: never
  unsigned retries;
};

struct rdma_ring {
  struct rdma_completion *entries;
  unsigned depth;
  unsigned taken;
};

struct rdma {
  uintptr_t registers;
  unsigned interrupt;
};

struct rdma_qp {
  struct rdma rdma;
  unsigned number;
  struct rdma_settings settings;
  struct rdma_work *work;
  struct rdma_buffer *buffers;
  unsigned posted, offered;
  struct rdma_ring sent, received;
};

struct rdma_region {
  unsigned number;  // 0 to 63
  uint8_t variant;  // low byte of the key
  uint16_t domain;
  unsigned access;
  uint64_t virtual_address;
  uint64_t bytes;
  const void *memory;
};

// Finds the NIC and gives it its addresses; packets for them are its from then on.
struct rdma rdma_start(uint32_t ip);
// Whether the NIC reduces (option `reduce` of the part).
bool rdma_reduces(const struct rdma *rdma);
// Whether its memory may be of pages (option `pages` of the part).
bool rdma_has_pages(const struct rdma *rdma);
// The table of these pages: physical addresses with bit 0 set. RDMA_PAGED is the address of the
// first byte of the first page, for regions, work requests and receive requests; the others follow.
// The table is looked at again from then on.
#define RDMA_PAGE_BYTES 4096UL
#define RDMA_PAGED (1UL << 47)
void rdma_set_pages(const struct rdma *rdma, const uint64_t *table, uint32_t count);
// Counter `index` of the NIC, in the order of the how-to.
uint32_t rdma_counter(const struct rdma *rdma, unsigned index);

// Sets up queue pair `number` (2 to 63) with queues of its own, taken from the heap.
struct rdma_qp rdma_connect(struct rdma rdma, unsigned number,
                            const struct rdma_settings *settings);
// Gives peers access to memory; returns the key.
uint32_t rdma_register(const struct rdma *rdma, const struct rdma_region *region);
void rdma_forget(const struct rdma *rdma, uint32_t key);

// Settings of congestion control (DCQCN), of all queue pairs of a NIC, in the order of its
// registers; what they mean and what they are without software: docs/how-to/rdma.md.
enum rdma_congestion {
  RDMA_CONGESTION_ON,
  RDMA_CNP_CYCLES,
  RDMA_ALPHA_CYCLES,
  RDMA_INCREASE_CYCLES,
  RDMA_INCREASE_BYTES,
  RDMA_LINE_MBPS,
  RDMA_LEAST_MBPS,
  RDMA_ADDITIVE_MBPS,
  RDMA_HYPER_MBPS,
  RDMA_RECOVERIES,
  RDMA_GAIN_SHIFT,
  RDMA_CNP_DSCP
};
void rdma_set_congestion(const struct rdma *rdma, enum rdma_congestion setting, uint32_t value);

// What congestion control makes of a queue pair; `alpha` in units of 2^-20.
struct rdma_rate {
  uint32_t rate_mbps, target_mbps;
  uint32_t alpha;
  unsigned timer_steps, byte_steps;  // since the last CNP
};
struct rdma_rate rdma_read_rate(const struct rdma *rdma, unsigned qp);

// Posts a work request; `work->id` is what its completion has.
void rdma_post(struct rdma_qp *qp, const struct rdma_work *work);
void rdma_post_buffer(struct rdma_qp *qp, uint32_t id, const void *memory, uint32_t bytes);
// The oldest completion that has not been taken, or NULL.
const struct rdma_completion *rdma_take(struct rdma_ring *ring);
// Waits for a completion; fails after `polls` in vain.
const struct rdma_completion *rdma_wait(struct rdma_ring *ring, uint64_t polls);

// Sleeping in place of polling, for programs that wait long: an idle core is simulated several
// times as fast. Lets interrupts of frames and of completions wake this core.
void rdma_wake_by_interrupts(const struct rdma *rdma);
// Sleeps until there is a completion, however long that takes.
const struct rdma_completion *rdma_sleep_for(const struct rdma *rdma, struct rdma_ring *ring);
// Sleeps until there is a frame of ours; it stays valid until the next call.
const struct frame *rdma_sleep_for_frame(const struct rdma *rdma, const struct net *net);

#endif  // FIRESIM_RDMA_H_
