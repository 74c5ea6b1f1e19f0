// SPDX-License-Identifier: BSD-3-Clause
// Frames between nodes that are known by number: node n has the n-th address from the first one on.
#ifndef CHASE_WIRE_H_
#define CHASE_WIRE_H_

#include "frame.h"
#include "nic.h"

enum { MOST_NODES = 512 };

struct wire {
  uint64_t first;  // MAC address of node 0 as a number, its first byte highest
  unsigned own, nodes;
  struct packet *buffers[NIC_QUEUE_DEPTH];
  unsigned next;    // buffer that is filled next
  bool taken;       // the one before is still read
  unsigned unsent;  // requests of which no completion was popped
};

// Makes the NIC ready for `nodes` nodes from address `first_mac` (byte 0 in bits 7:0) on. Ends the
// blade when this node is none of them.
void wire_start(struct wire *wire, uint64_t first_mac, unsigned nodes);

// Sleeps until there is a frame of ours. It stays valid until the next call; `bytes` is its length,
// rounded up to whole flits.
struct packet *wire_receive(struct wire *wire, uint32_t *bytes);

// Number of the node that a frame is from; `wire->nodes` when it is from none.
unsigned wire_sender(const struct wire *wire, const struct packet *frame);

// MAC address of a node, byte 0 in bits 7:0.
uint64_t wire_mac(const struct wire *wire, unsigned node);

// Waits until frames that were sent before may be changed.
void wire_drain(struct wire *wire);

// Addresses and sends `bytes` of a frame; wire_drain says when it may be changed.
void wire_send(struct wire *wire, unsigned node, struct packet *frame, uint32_t bytes);

#endif  // CHASE_WIRE_H_
