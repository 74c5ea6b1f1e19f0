// SPDX-License-Identifier: BSD-3-Clause
// Ring all-reduce over the RDMA NIC: every node ends with the sum of the vectors of all nodes.
//
// Chunks travel in messages (lib/ring.h says which): WRITEs with immediate. A rank may have
// `window` messages on the way that the next one has not taken yet; the next one grants more by
// WRITEs back. A NIC that reduces adds what arrives, and may send by itself what has come: then a
// rank is granted a whole reduction.
#ifndef FIRESIM_ALLREDUCE_H_
#define FIRESIM_ALLREDUCE_H_

#include "rdma.h"
#include "ring.h"

// Who adds, and who decides when a message goes. All but the first need a NIC that reduces.
enum allreduce_way {
  ALLREDUCE_BY_CORE,
  ALLREDUCE_OFFLOADED,  // the NIC adds
  ALLREDUCE_SEQUENCED   // and sends what has come; `window` is at least the messages of a reduction
};

struct allreduce_settings {
  struct ring_shape shape;  // 2 to 64 nodes
  unsigned rank;
  uint64_t next_mac, previous_mac;
  enum ring_type type;
  enum allreduce_way way;
  void *data;             // aligned to 8 bytes
  unsigned window;        // a power of two, 2 to 4,096
  unsigned mtu;           // 256 to 4,096
  unsigned timeout_code;  // 4.096 us << code until packets are sent again; 0: never
  uint64_t polls;         // in vain before the blade fails
};

// Where the cycles of all reductions went; the rest is waiting.
struct allreduce_cycles {
  uint64_t total;
  uint64_t adding;
  uint64_t posting;  // work requests, receive requests and grants
};

struct allreduce {
  struct allreduce_settings settings;
  struct rdma rdma;
  struct rdma_qp next, previous;
  unsigned char *slots;      // `window` of them: what arrives for the core to add
  volatile uint64_t *limit;  // messages that the next rank has granted, of all reductions
  uint64_t *granted;         // what the previous rank has been granted
  uint64_t runs;             // reductions that have begun
  uint64_t due;              // messages in each direction up to the end of this reduction
  uint64_t sent, received;   // messages of all reductions
  struct allreduce_cycles cycles;
};

// Sets up the NIC and the two queue pairs. Nothing may be sent to this node before it returns, and
// all nodes must have returned before one of them begins.
void allreduce_start(struct allreduce *ring, const struct allreduce_settings *settings);

// Reduces `settings.data` in place. All nodes call it as often.
void allreduce_run(struct allreduce *ring);

#endif  // FIRESIM_ALLREDUCE_H_
