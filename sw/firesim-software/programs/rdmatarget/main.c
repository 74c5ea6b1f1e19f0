// SPDX-License-Identifier: BSD-3-Clause
// The other end of packets that a file has: one queue pair and one region, under its orders.
#include "net.h"
#include "rdma.h"
#include "runtime.h"

enum { QP = 2, REGION = 1, VARIANT = 7, MOST_RECEIVES = 64 };
enum { PEER_IP = 0x0a000001, OWN_IP = 0x0a000002 };
#define REMOTE_BASE 0x700000000000UL

// What a frame of kind MESSAGE_START asks for, by its number; `extra` is the receive requests.
enum order { ORDER_FORGET = 1, ORDER_RECEIVE = 2 };

struct target {
  struct net net;
  struct rdma rdma;
  struct rdma_qp qp;
  unsigned char *memory;  // the region, then a place for each receive request
  uint64_t bytes, size, places;
  uint32_t offered, key;
};

static void fill(const struct target *target) {
  uint64_t *words = (uint64_t *)target->memory;
  const uint64_t count = (target->bytes + target->places * target->size) / 8;
  for (uint64_t i = 0; i < count; i++) words[i] = (i + 1) * 0x9e3779b97f4a7c15;
}

static uint64_t digest(const struct target *target) {
  const uint64_t *words = (const uint64_t *)target->memory;
  const uint64_t count = (target->bytes + target->places * target->size) / 8;
  uint64_t hash = 0;
  for (uint64_t i = 0; i < count; i++) hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15;
  return hash;
}

static void offer(struct target *target, uint64_t count) {
  while (count-- && target->offered < target->places) {
    unsigned char *place = target->memory + target->bytes + target->offered * target->size;
    rdma_post_buffer(&target->qp, target->offered++, place, (uint32_t)target->size);
  }
}

static void obey(struct target *target) {
  for (const struct frame *frame; frame_kind(frame = net_receive(&target->net)) != MESSAGE_BYE;) {
    if (frame->number == ORDER_FORGET) rdma_forget(&target->rdma, target->key);
    if (frame->number == ORDER_RECEIVE) offer(target, frame->extra);
  }
}

static void report(struct target *target) {
  for (const struct rdma_completion *done; (done = rdma_take(&target->qp.received));) {
    print("rdmatarget received=%u bytes=%u status=%u flags=%u immediate=%x\n", done->id,
          done->bytes, done->status, done->flags, done->immediate);
  }
  full_fence();
  print("rdmatarget memory=%lx\n", digest(target));
}

int main(int hart, const struct arguments *arguments) {
  (void)hart;
  struct target target = {.bytes = number_argument(arguments, "bytes") / 8 * 8,
                          .size = number_argument(arguments, "size") / 8 * 8,
                          .places = number_argument(arguments, "places")};
  if (target.places > MOST_RECEIVES) fail("places: expected 0 to %d", MOST_RECEIVES);
  net_start(&target.net, arguments);
  target.net.peer = mac_argument(arguments, "peer");
  target.memory = firesim_heap(target.bytes + target.places * target.size + 8);
  fill(&target);
  const uint32_t psn = (uint32_t)number_argument(arguments, "psn") & 0xffffff;
  const struct rdma_settings settings = {
      .peer = {target.net.peer, PEER_IP, QP},
      .send_depth = 2,
      .receive_depth = MOST_RECEIVES,
      .mtu = (unsigned)number_argument(arguments, "mtu"),
      .psn = psn,
      .peer_psn = psn,
      .domain = (uint16_t)number_argument(arguments, "domain"),
      .retries = 7,
  };
  target.rdma = rdma_start(OWN_IP);
  target.qp = rdma_connect(target.rdma, QP, &settings);
  const struct rdma_region region = {REGION,
                                     VARIANT,
                                     (uint16_t)number_argument(arguments, "region_domain"),
                                     (unsigned)number_argument(arguments, "access"),
                                     REMOTE_BASE,
                                     target.bytes,
                                     target.memory};
  target.key = rdma_register(&target.rdma, &region);
  offer(&target, number_argument(arguments, "receives"));
  obey(&target);
  report(&target);
  return 0;
}
