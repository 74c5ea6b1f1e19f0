// SPDX-License-Identifier: BSD-3-Clause
// What programs of the verbs share: their device, regions, and queue pairs between IPv4 addresses;
// included once, behind <infiniband/verbs.h>, after PROGRAM is defined.
#ifndef FIRESIM_VERBS_H_
#define FIRESIM_VERBS_H_

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "program.h"

enum { VERBS_PORT = 1, VERBS_LEAST_MTU = 256, VERBS_MOST_GIDS = 16, VERBS_HOPS = 64 };
enum { VERBS_LEAST_NOT_READY = 1, VERBS_WITHOUT_END = 7, VERBS_PSN_MASK = 0xffffff };

// The other end of a queue pair, and how to get there.
struct verbs_path {
  struct in_addr ip;
  uint32_t qp;
  uint32_t psn;  // the first, of both ends
  uint64_t mtu;  // bytes of a packet
  uint8_t timeout_code, retries;
  uint8_t reads;  // most on the wire, of each end
};

static inline void *checked(void *made, const char *what) {
  if (!made) fail("%s: %s", what, strerror(errno));
  return made;
}

static inline void checked_status(int status, const char *what) {
  if (status) fail("%s: %s", what, strerror(status));
}

static inline struct ibv_context *open_rdma_device(void) {
  int count = 0;
  struct ibv_device **devices = ibv_get_device_list(&count);
  if (!devices || count == 0) fail("found no RDMA device: rdma link add rxe0 type rxe netdev eth0");
  return checked(ibv_open_device(devices[0]), "cannot open the RDMA device");
}

// The index of our IPv4 address among the device's.
static inline uint8_t own_gid(struct ibv_context *context) {
  char text[32] = "";
  struct in_addr own;
  const char *given = getenv("FIRESIM_IP");
  if (given) snprintf(text, sizeof text, "%.*s", (int)strcspn(given, "/"), given);
  if (!inet_aton(text, &own)) fail("FIRESIM_IP: found \"%s\", expected 172.16.0.2/16", text);
  for (uint8_t index = 0; index < VERBS_MOST_GIDS; index++) {
    union ibv_gid gid;
    if (ibv_query_gid(context, VERBS_PORT, index, &gid)) break;
    if (gid.raw[10] == 0xff && !memcmp(gid.raw + 12, &own, sizeof own)) return index;
  }
  fail("the RDMA device has no address %s", text);
  return 0;
}

static inline enum ibv_mtu mtu_code(uint64_t bytes) {
  enum ibv_mtu code = IBV_MTU_256;
  while (code < IBV_MTU_4096 && VERBS_LEAST_MTU << (code - IBV_MTU_256) < (int)bytes) code++;
  if (VERBS_LEAST_MTU << (code - IBV_MTU_256) != (int)bytes) fail("mtu: expected 256 to 4096");
  return code;
}

// The first state of a queue pair, in which it takes receive requests.
static inline void initialize_qp(struct ibv_qp *qp, unsigned access) {
  struct ibv_qp_attr ready = {
      .qp_state = IBV_QPS_INIT, .port_num = VERBS_PORT, .qp_access_flags = access};
  const int mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
  checked_status(ibv_modify_qp(qp, &ready, mask), "cannot initialize the queue pair");
}

// It may receive and send afterwards.
static inline void connect_qp(struct ibv_qp *qp, const struct verbs_path *path) {
  struct ibv_qp_attr ready = {
      .qp_state = IBV_QPS_RTR,
      .path_mtu = mtu_code(path->mtu),
      .dest_qp_num = path->qp,
      .rq_psn = path->psn & VERBS_PSN_MASK,
      .max_dest_rd_atomic = path->reads,
      .min_rnr_timer = VERBS_LEAST_NOT_READY,
      .ah_attr = {.is_global = 1,
                  .port_num = VERBS_PORT,
                  .grh = {.hop_limit = VERBS_HOPS, .sgid_index = own_gid(qp->context)}}};
  union ibv_gid *gid = &ready.ah_attr.grh.dgid;
  gid->raw[10] = gid->raw[11] = 0xff;
  memcpy(gid->raw + 12, &path->ip, sizeof path->ip);
  const int receiving = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                        IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
  checked_status(ibv_modify_qp(qp, &ready, receiving), "cannot receive");
  ready.qp_state = IBV_QPS_RTS;
  ready.timeout = path->timeout_code;
  ready.retry_cnt = path->retries;
  ready.rnr_retry = VERBS_WITHOUT_END;
  ready.sq_psn = path->psn & VERBS_PSN_MASK;
  ready.max_rd_atomic = path->reads;
  const int sending = IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                      IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC;
  checked_status(ibv_modify_qp(qp, &ready, sending), "cannot send");
}

#endif  // FIRESIM_VERBS_H_
