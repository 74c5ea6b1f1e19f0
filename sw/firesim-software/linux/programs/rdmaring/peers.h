// SPDX-License-Identifier: BSD-3-Clause
// The two neighbours of a rank of a ring, by TCP: what they tell each other before the verbs carry
// data, and how all ranks begin and end together.
#ifndef FIRESIM_RDMARING_PEERS_H_
#define FIRESIM_RDMARING_PEERS_H_

#include <arpa/inet.h>
#include <stdint.h>

struct peers {
  unsigned rank;
  int next, previous;  // sockets
};

// One end of a queue pair, and where the memory of its rank is.
struct ring_end {
  uint64_t address;
  uint32_t key;
  uint32_t qp;
};

// Returns when both neighbours are there. The next rank need not be yet.
struct peers open_peers(unsigned rank, struct in_addr next);

// Tells each neighbour of our queue pair to it, and gives back theirs.
void exchange_ends(const struct peers *peers, struct ring_end to[2], struct ring_end from[2]);

// A number goes round, from rank 0 back to it: returns when all ranks have come that far, at rank
// 0, and when all ranks up to this one have, elsewhere. Gives back the number of rank 0.
uint64_t go_round(const struct peers *peers, uint64_t number);

// All begin at the same time of the target, in ticks of the time that all harts read alike.
uint64_t begin_together(const struct peers *peers);

// Returns when all ranks have called it.
void end_together(const struct peers *peers);

uint64_t ticks(void);

#endif  // FIRESIM_RDMARING_PEERS_H_
