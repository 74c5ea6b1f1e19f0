// SPDX-License-Identifier: BSD-3-Clause
// UDP packets of keys, of which the NIC has as many at a time as its queue holds.
#ifndef FIRESIM_HLL_PACKETS_H_
#define FIRESIM_HLL_PACKETS_H_

#include "net.h"
#include "nic.h"

enum { MOST_PAYLOAD_BYTES = 8192, POOL = NIC_QUEUE_DEPTH };

// Where the next key comes from.
struct keys {
  bool random;
  uint64_t next;  // of a sequence, or the state of the generator
  uint64_t distinct;
  bool half;  // whether the upper half of `drawn` is the next key
  uint64_t drawn;
};
uint32_t next_key(struct keys *keys);

struct packets {
  unsigned char *pool;
  uint64_t stride_bytes;
  uint64_t queued, sent;
};

// Makes the headers of all packets of the pool.
void packets_start(struct packets *packets, const struct net *net, uint16_t port);
// The packet to be queued next, with its length filled in, when the NIC is done with it; returns
// its payload.
uint32_t *packet_payload(struct packets *packets, uint64_t payload_bytes);
void packet_queue(struct packets *packets, uint64_t payload_bytes);
// Waits until all have left.
void packets_drain(struct packets *packets);

#endif  // FIRESIM_HLL_PACKETS_H_
