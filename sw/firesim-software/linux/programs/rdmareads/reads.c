// SPDX-License-Identifier: BSD-3-Clause
// rdmareads: asks for READs of a queue pair at a time. It gets as many as the device can do, and
// without any a READ ends with an error, and no packet leaves.
//
// Usage: rdmareads peer_ip=ADDRESS
#define _GNU_SOURCE
#include <infiniband/verbs.h>

#define PROGRAM "rdmareads"
#include "../frames.h"
#include "../verbs.h"

enum { MANY = 128, PACKET_BYTES = 1024, NOBODY = 1 << 20, DEPTH = 2, BYTES = 64 };

struct end {
  struct ibv_cq *cq;
  struct ibv_pd *domain;
};

// Connected to a queue pair that, most likely, does not exist.
static struct ibv_qp *connected_qp(const struct end *end, struct in_addr peer, uint8_t reads) {
  struct ibv_qp_init_attr wanted = {
      .send_cq = end->cq,
      .recv_cq = end->cq,
      .qp_type = IBV_QPT_RC,
      .sq_sig_all = 1,
      .cap = {.max_send_wr = DEPTH, .max_recv_wr = DEPTH, .max_send_sge = 1, .max_recv_sge = 1}};
  struct ibv_qp *qp = checked(ibv_create_qp(end->domain, &wanted), "cannot make a queue pair");
  const struct verbs_path path = {.ip = peer, .qp = NOBODY, .mtu = PACKET_BYTES, .reads = reads};
  initialize_qp(qp, 0);
  connect_qp(qp, &path);
  return qp;
}

static void check_count(const struct end *end, struct in_addr peer, uint8_t asked, int expected) {
  struct ibv_qp *qp = connected_qp(end, peer, asked);
  struct ibv_qp_attr attr;
  struct ibv_qp_init_attr init;
  const int mask = IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_MAX_DEST_RD_ATOMIC;
  if (ibv_query_qp(qp, &attr, mask, &init)) fail("cannot ask the queue pair");
  if (attr.max_rd_atomic != expected || attr.max_dest_rd_atomic != expected) {
    fail("asked for %u, found %u and %u READs, expected %d", asked, attr.max_rd_atomic,
         attr.max_dest_rd_atomic, expected);
  }
  ibv_destroy_qp(qp);
}

static void check_none(const struct end *end, struct in_addr peer) {
  static unsigned char memory[BYTES];
  struct ibv_qp *qp = connected_qp(end, peer, 0);
  const struct ibv_mr *region = checked(
      ibv_reg_mr(end->domain, memory, sizeof memory, IBV_ACCESS_LOCAL_WRITE), "cannot register");
  struct ibv_sge piece = {(uintptr_t)memory, BYTES, region->lkey};
  struct ibv_send_wr work = {.opcode = IBV_WR_RDMA_READ, .sg_list = &piece, .num_sge = 1}, *bad;
  struct ibv_wc done;
  checked_status(ibv_post_send(qp, &work, &bad), "cannot post a READ");
  while (!ibv_poll_cq(end->cq, 1, &done)) continue;
  if (done.status != IBV_WC_LOC_QP_OP_ERR) {
    fail("without READs one ended with \"%s\"", ibv_wc_status_str(done.status));
  }
  ibv_destroy_qp(qp);
}

int main(int count, char **words) {
  (void)count;
  check_words(++words, "peer_ip");
  const struct in_addr peer = address_word(words, "peer_ip");
  struct ibv_context *context = open_rdma_device();
  const struct end end = {
      checked(ibv_create_cq(context, DEPTH, NULL, NULL, 0), "cannot make a queue"),
      checked(ibv_alloc_pd(context), "cannot make a domain")};
  struct ibv_device_attr most;
  if (ibv_query_device(context, &most)) fail("cannot ask the device");
  if (most.max_qp_rd_atom != most.max_qp_init_rd_atom) fail("found two limits of READs");
  check_count(&end, peer, MANY, most.max_qp_rd_atom);
  check_count(&end, peer, 1, 1);
  check_count(&end, peer, 0, 0);
  check_none(&end, peer);
  printf("rdmareads most=%d, and none ends with an error\n", most.max_qp_rd_atom);
  return 0;
}
