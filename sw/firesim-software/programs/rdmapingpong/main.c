// SPDX-License-Identifier: BSD-3-Clause
// The other end of ibv_rc_pingpong: SENDs go there and back. A node with Linux tells, in frames,
// what that program says over TCP, and gives it our answer (linux/programs/rdmatell).
#include "net.h"
#include "rdma.h"
#include "rdma_messages.h"
#include "runtime.h"

enum { QP = 2, DOMAIN = 9, DEPTH = 16, MOST_BYTES = 1 << 20, PAGE_BYTES = 4096 };

struct test {
  struct net net;
  struct rdma rdma;
  struct rdma_qp qp;
  unsigned char *sent, *received;
  uint64_t count, size;
};

static void offer(struct test *test) {
  rdma_post_buffer(&test->qp, 0, test->received, (uint32_t)test->size);
}

// The message that came goes back, or the first one out, and the next one has come.
static void send(struct test *test, const unsigned char *memory) {
  const uint64_t local = (uintptr_t)memory;
  const struct rdma_work work = {.local_low = (uint32_t)local,
                                 .local_high = (uint32_t)(local >> 32),
                                 .bytes = (uint32_t)test->size,
                                 .opcode = RDMA_SEND,
                                 .flags = 1};
  rdma_post(&test->qp, &work);
  const struct rdma_completion *done = rdma_sleep_for(&test->rdma, &test->qp.sent);
  if (done->status != 0) fail("rdmapingpong: a SEND ended with status %u", done->status);
}

static void receive(struct test *test) {
  const struct rdma_completion *done = rdma_sleep_for(&test->rdma, &test->qp.received);
  if (done->status != 0 || done->bytes != test->size) {
    fail("rdmapingpong: received %u bytes with status %u", done->bytes, done->status);
  }
  full_fence();
}

// What is sent next is another copy, since the next message may come before it has left.
static void copy(struct test *test) {
  for (uint64_t i = 0; i < test->size; i++) test->sent[i] = test->received[i];
}

static uint64_t serve(struct test *test) {
  for (uint64_t i = 0; i < test->count; i++) {
    receive(test);
    copy(test);
    offer(test);
    send(test, test->sent);
  }
  return 0;
}

// Each page begins with 0, which ibv_rc_pingpong as a server looks for (-c).
static void fill(struct test *test, uint64_t seed) {
  rdma_fill(test->sent, (test->size + 7) / 8 * 8, seed);
  for (uint64_t at = 0; at < test->size; at += PAGE_BYTES) test->sent[at] = 0;
}

static uint64_t ask(struct test *test) {
  uint64_t wrong = 0;
  for (uint64_t i = 0; i < test->count; i++) {
    fill(test, i);
    send(test, test->sent);
    receive(test);
    for (uint64_t at = 0; at < test->size; at++) wrong += test->sent[at] != test->received[at];
    offer(test);
  }
  return wrong;
}

// PING asks for our queue pair and first PSN, START has the other end's, READY says that we are.
static void meet(struct test *test, const struct arguments *arguments, bool serves) {
  const uint32_t psn = (uint32_t)number_argument(arguments, "psn") & 0xffffff;
  rdma_sleep_for_frame(&test->rdma, &test->net);
  net_send(&test->net, MESSAGE_PONG, QP, psn);
  const struct frame *told = rdma_sleep_for_frame(&test->rdma, &test->net);
  const struct rdma_settings settings = {
      .peer = {test->net.peer, ip_argument(arguments, "peer_ip"), (uint32_t)told->number},
      .send_depth = DEPTH,
      .receive_depth = DEPTH,
      .mtu = (unsigned)number_argument(arguments, "mtu"),
      .psn = psn,
      .peer_psn = (uint32_t)told->extra,
      .domain = DOMAIN,
      .timeout_code = (unsigned)number_argument(arguments, "timeout"),
      .retries = 7,
  };
  test->qp = rdma_connect(test->rdma, QP, &settings);
  offer(test);
  if (serves) net_send(&test->net, MESSAGE_READY, 0, 0);
}

int main(int hart, const struct arguments *arguments) {
  (void)hart;
  struct test test = {.count = number_argument(arguments, "count"),
                      .size = number_argument(arguments, "size")};
  require_choice(arguments, "role", "client server");
  if (test.size == 0 || test.size > MOST_BYTES) fail("size: expected 1 to %d", MOST_BYTES);
  const bool serves = argument_is(arguments, "role", "server");
  net_start(&test.net, arguments);
  test.net.peer = mac_argument(arguments, "peer");
  test.sent = firesim_heap(test.size + 8);
  test.received = firesim_heap(test.size + 8);
  test.rdma = rdma_start(ip_argument(arguments, "ip"));
  rdma_wake_by_interrupts(&test.rdma);
  meet(&test, arguments, serves);
  const uint64_t begin = cycles();
  const uint64_t wrong = serves ? serve(&test) : ask(&test);
  print("rdmapingpong messages=%lu bytes=%lu wrong=%lu awake_cycles=%lu last=%lx\n", test.count,
        test.size, wrong, cycles() - begin, rdma_digest(test.received, test.size));
  print("rdmapingpong sent=%u received=%u malformed=%u wrong_icrc=%u went_back=%u negative=%u\n",
        rdma_counter(&test.rdma, 0), rdma_counter(&test.rdma, 1), rdma_counter(&test.rdma, 2),
        rdma_counter(&test.rdma, 3), rdma_counter(&test.rdma, 4), rdma_counter(&test.rdma, 7));
  return wrong != 0;
}
