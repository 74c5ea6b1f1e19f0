// SPDX-License-Identifier: BSD-3-Clause
// One queue pair between the client and each server, and one region of each
// server.
#include "remote_read.h"

#include "runtime.h"

enum { FIRST_QP = 2, DOMAIN = 9, REGION = 1, VARIANT = 7, KEY = REGION << 8 | VARIANT };
enum { FIRST_IP = 0x0a000001, DEPTH = 2, LEAST_MTU = 256, ENTRY_BYTES = sizeof(uint64_t) };

static struct rdma_qp connect(const struct wire *wire, struct rdma rdma, unsigned number,
                              unsigned node, unsigned its_number) {
  const struct rdma_settings settings = {
      .peer = {wire_mac(wire, node), FIRST_IP + node, its_number},
      .send_depth = DEPTH,
      .receive_depth = DEPTH,
      .mtu = LEAST_MTU,
      .domain = DOMAIN,
  };
  return rdma_connect(rdma, number, &settings);
}

void remote_read_offer(const struct wire *wire, unsigned client, const uint64_t *shard,
                       uint64_t first, uint64_t count) {
  const struct rdma rdma = rdma_start(FIRST_IP + wire->own);
  const struct rdma_region region = {
      REGION, VARIANT, DOMAIN, RDMA_REMOTE_READ, first * ENTRY_BYTES, count * ENTRY_BYTES, shard};
  rdma_register(&rdma, &region);
  const unsigned its_number = FIRST_QP + wire->own - client - 1;
  connect(wire, rdma, FIRST_QP, client, its_number);
}

void remote_read_connect(struct remote_read *remote, const struct wire *wire,
                         unsigned first_server) {
  const unsigned servers = wire->nodes - first_server;
  remote->rdma = rdma_start(FIRST_IP + wire->own);
  remote->qps = firesim_heap(servers * sizeof *remote->qps);
  remote->landed = firesim_heap(ENTRY_BYTES);
  for (unsigned i = 0; i < servers; i++) {
    remote->qps[i] = connect(wire, remote->rdma, FIRST_QP + i, first_server + i, FIRST_QP);
  }
  rdma_wake_by_interrupts(&remote->rdma);
}

uint64_t remote_read(struct remote_read *remote, unsigned server, uint64_t address) {
  struct rdma_qp *qp = &remote->qps[server];
  const uint64_t local = (uintptr_t)remote->landed;
  const uint64_t there = address * ENTRY_BYTES;
  const struct rdma_work work = {.local_low = (uint32_t)local,
                                 .local_high = (uint32_t)(local >> 32),
                                 .bytes = ENTRY_BYTES,
                                 .opcode = RDMA_READ,
                                 .flags = 1,
                                 .remote_low = (uint32_t)there,
                                 .remote_high = (uint32_t)(there >> 32),
                                 .remote_key = KEY};
  rdma_post(qp, &work);
  const struct rdma_completion *done = rdma_sleep_for(&remote->rdma, &qp->sent);
  if (done->status != 0) fail("a READ ended with status %u", done->status);
  return *remote->landed;
}
