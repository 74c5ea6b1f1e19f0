// SPDX-License-Identifier: BSD-3-Clause
// Entries read over RDMA: the server's NIC answers, and its core does nothing.
#ifndef CHASE_REMOTE_READ_H_
#define CHASE_REMOTE_READ_H_

#include "rdma.h"
#include "wire.h"

enum { MOST_READ_SERVERS = 32 };

struct remote_read {
  struct rdma rdma;
  struct rdma_qp *qps;        // by server
  volatile uint64_t *landed;  // where entries are read to
};

// A server's part of the table, for the client to read from.
void remote_read_offer(const struct wire *wire, unsigned client, const uint64_t *shard,
                       uint64_t first, uint64_t count);
// Connects the client to all servers, which are the nodes from `first_server`
// on.
void remote_read_connect(struct remote_read *remote, const struct wire *wire,
                         unsigned first_server);
// Reads entry `address` of a server (0 and up); sleeps meanwhile.
uint64_t remote_read(struct remote_read *remote, unsigned server, uint64_t address);

#endif  // CHASE_REMOTE_READ_H_
