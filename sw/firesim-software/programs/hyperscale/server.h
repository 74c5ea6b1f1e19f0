// SPDX-License-Identifier: BSD-3-Clause
// What the server's cores share, and what each of them has.
#ifndef FIRESIM_HYPERSCALE_SERVER_H_
#define FIRESIM_HYPERSCALE_SERVER_H_

#include <stdbool.h>
#include <stdint.h>

#include "cores.h"
#include "nic.h"
#include "service.h"
#include "steps.h"

enum { REPLIES = 4 };

struct reply {
  struct frame *frame;
  uint64_t number;  // of all that the NIC was given; 0: it is not on its way
};

// A core. Its memory is used by no other one.
struct worker {
  unsigned char *plain;  // of the request
  unsigned char *again;  // of the reply
  void *arena;
  void *state;  // of compression in software
  struct reply replies[REPLIES];
  uint64_t answered, refused;  // of the former, refusals are some
  uint64_t plain_bytes, payload_bytes;
  uint64_t waiting_cycles, step_cycles[STEPS];
  uint64_t lap;  // cycle in which the last step ended
} __attribute__((aligned(64)));

struct server {
  struct net *net;
  const struct format *format;
  bool by_unit[STEPS];
  uint64_t latency, cores;
  struct lock nic;                        // holds the NIC, and what follows
  struct frame *posted[NIC_QUEUE_DEPTH];  // in the order in which the NIC fills them
  uint64_t given, filled;                 // buffers
  uint64_t sent, left;                    // replies given to the NIC, and those it has read
  uint64_t clients;                       // that have not gone
  struct worker workers[MOST_CORES];
};

#endif  // FIRESIM_HYPERSCALE_SERVER_H_
