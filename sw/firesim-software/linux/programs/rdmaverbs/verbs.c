// SPDX-License-Identifier: BSD-3-Clause
// rdmaverbs: random messages over RDMA by the verbs of Linux; the other end is the program `rdma`,
// which draws the same messages.
//
// Usage: rdmaverbs role=client|server peer=MAC peer_ip=ADDRESS [count=N] [size=BYTES]
//        [memory=BYTES] [seed=N] [mtu=BYTES] [psn=N] [timeout=CODE] [retries=N] [depth=N]
//        [pieces=N] [inline=BYTES] [shared=1]
//
// Local memory of a message is given in up to `pieces` pieces. What is sent is inline up to
// `inline` bytes. With shared=1 the queue pair receives by a shared receive queue.
//
// This end begins: START has our queue pair and key, READY the other end's. The client posts up to
// `depth` messages at a time, and waits for all before a READ and behind it, whose data later ones
// may send. FIRESIM_IP says which of the device's addresses is ours.
#define _GNU_SOURCE
#include <infiniband/verbs.h>
#include <stdbool.h>

#define PROGRAM "rdmaverbs"
#include "../frames.h"
#include "../verbs.h"
#include "rdma_messages.h"

enum { MOST_READS = 16, MOST_PIECES = 8, PAGE_BYTES = 4096 };

struct test {
  struct frames frames;
  struct rdma_traffic traffic;
  struct ibv_cq *cq;
  struct ibv_qp *qp;
  struct ibv_srq *shared;  // or NULL
  struct ibv_mr *region;
  unsigned char *memory;
  uint64_t random, depth, pieces, inlined, bytes;
  uint32_t peer_key;
  uint64_t posted, completed;     // of the client
  uint64_t received, immediates;  // of the server
};

// With `shares` it receives by a shared receive queue.
static void create_qp(struct test *test, struct ibv_pd *domain, bool shares) {
  const uint32_t receives = (uint32_t)test->traffic.count + 1, pieces = (uint32_t)test->pieces;
  struct ibv_srq_init_attr queue = {.attr = {.max_wr = receives, .max_sge = pieces}};
  if (shares) test->shared = checked(ibv_create_srq(domain, &queue), "cannot share a queue");
  struct ibv_qp_init_attr wanted = {.send_cq = test->cq,
                                    .recv_cq = test->cq,
                                    .srq = test->shared,
                                    .qp_type = IBV_QPT_RC,
                                    .sq_sig_all = 1,
                                    .cap = {.max_send_wr = (uint32_t)test->depth + 1,
                                            .max_recv_wr = shares ? 0 : receives,
                                            .max_send_sge = pieces,
                                            .max_recv_sge = shares ? 0 : pieces,
                                            .max_inline_data = (uint32_t)test->inlined}};
  test->qp = checked(ibv_create_qp(domain, &wanted), "cannot make a queue pair");
}

static void open_device(struct test *test, bool shares) {
  struct ibv_context *context = open_rdma_device();
  struct ibv_pd *domain = checked(ibv_alloc_pd(context), "cannot make a domain");
  const int entries = (int)(2 * test->traffic.count + 2);
  test->cq = checked(ibv_create_cq(context, entries, NULL, NULL, 0), "cannot make a queue");
  const unsigned access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE;
  test->region = checked(
      ibv_reg_mr_iova(domain, test->memory, test->traffic.memory_bytes, RDMA_REMOTE_BASE, access),
      "cannot make a region");
  create_qp(test, domain, shares);
  initialize_qp(test->qp, access);
}

static void connect_peer(struct test *test, char **words, uint32_t peer) {
  const struct verbs_path path = {.ip = address_word(words, "peer_ip"),
                                  .qp = peer,
                                  .psn = (uint32_t)number_word(words, "psn", "1"),
                                  .mtu = number_word(words, "mtu", "1024"),
                                  .timeout_code = (uint8_t)number_word(words, "timeout", "0"),
                                  .retries = (uint8_t)number_word(words, "retries", "7"),
                                  .reads = MOST_READS};
  connect_qp(test->qp, &path);
}

// Cuts memory, which is at `base` for who reads it, into pieces of different lengths; returns their
// number, which is 0 for no bytes.
static int cut(const struct test *test, uint64_t base, uint64_t offset, uint64_t bytes,
               struct ibv_sge *pieces) {
  int count = 0;
  while (bytes) {
    const bool last = (uint64_t)count + 1 == test->pieces;
    const uint64_t length = last ? bytes : bytes - bytes / 2;
    pieces[count++] = (struct ibv_sge){base + offset, (uint32_t)length, test->region->lkey};
    offset += length;
    bytes -= length;
  }
  return count;
}

// Takes the next completion, if there is one.
static bool take(struct test *test) {
  struct ibv_wc done;
  const int count = ibv_poll_cq(test->cq, 1, &done);
  if (count < 0) fail("cannot take a completion");
  if (count == 0) return false;
  const bool receives = done.opcode & IBV_WC_RECV;
  uint64_t *expected = receives ? &test->received : &test->completed;
  if (done.status || done.wr_id != *expected) {
    fail("message %lu ended with \"%s\", expected message %lu", done.wr_id,
         ibv_wc_status_str(done.status), *expected);
  }
  ++*expected;
  if (receives && done.wc_flags & IBV_WC_WITH_IMM) test->immediates ^= ntohl(done.imm_data);
  return true;
}

static void wait_until(struct test *test, uint64_t completed) {
  while (test->completed < completed) take(test);
}

static void post(struct test *test, uint64_t id) {
  static const enum ibv_wr_opcode opcodes[RDMA_MESSAGE_KINDS] = {
      IBV_WR_RDMA_WRITE, IBV_WR_RDMA_WRITE_WITH_IMM, IBV_WR_SEND, IBV_WR_SEND_WITH_IMM,
      IBV_WR_RDMA_READ};
  const struct rdma_message message = rdma_next_message(&test->random, &test->traffic);
  const enum ibv_wr_opcode opcode = opcodes[message.number % RDMA_MESSAGE_KINDS];
  const bool alone = opcode == IBV_WR_RDMA_READ;
  // The library copies inline data itself; the rest is read by the device.
  const bool inlined = !alone && message.bytes && message.bytes <= test->inlined;
  const uint64_t base = inlined ? (uintptr_t)test->memory : RDMA_REMOTE_BASE;
  struct ibv_sge pieces[MOST_PIECES];
  struct ibv_send_wr work = {.wr_id = id,
                             .sg_list = pieces,
                             .num_sge = cut(test, base, message.local, message.bytes, pieces),
                             .opcode = opcode,
                             .send_flags = inlined ? IBV_SEND_INLINE : 0,
                             .imm_data = htonl((uint32_t)id ^ RDMA_IMMEDIATE)};
  work.wr.rdma.remote_addr = RDMA_REMOTE_BASE + message.remote;
  work.wr.rdma.rkey = test->peer_key;
  wait_until(test, alone ? id : id < test->depth ? 0 : id - test->depth + 1);
  struct ibv_send_wr *bad;
  checked_status(ibv_post_send(test->qp, &work, &bad), "cannot post a message");
  if (alone) wait_until(test, id + 1);
  test->bytes += message.bytes;
}

static void client(struct test *test) {
  const uint64_t begin = now_ns();
  for (uint64_t id = 0; id < test->traffic.count; id++) post(test, id);
  wait_until(test, test->traffic.count);
  printf("rdma messages=%lu bytes=%lu ns=%lu\n", test->traffic.count, test->bytes,
         now_ns() - begin);
  if (take(test)) fail("a message has two completions");
  tell(&test->frames, MESSAGE_BYE, 0, 0);
}

static void offer(struct test *test) {
  for (uint64_t id = 0; id < test->traffic.count; id++) {
    struct ibv_sge pieces[MOST_PIECES];
    const int count =
        cut(test, RDMA_REMOTE_BASE, rdma_place(&test->traffic, id), test->traffic.size, pieces);
    struct ibv_recv_wr place = {.wr_id = id, .sg_list = pieces, .num_sge = count}, *bad;
    const int error = test->shared ? ibv_post_srq_recv(test->shared, &place, &bad)
                                   : ibv_post_recv(test->qp, &place, &bad);
    checked_status(error, "cannot post a receive request");
  }
}

static void server(struct test *test) {
  hear(&test->frames, MESSAGE_BYE);
  while (take(test)) continue;
  printf("rdma receives=%lu immediates=%lx\n", test->received, test->immediates);
}

int main(int count, char **words) {
  (void)count;
  check_words(++words,
              "role peer peer_ip count size memory seed mtu psn timeout retries depth "
              "pieces inline shared");
  const bool serves = !strcmp(word(words, "role", NULL), "server");
  static struct test test;
  test.traffic = (struct rdma_traffic){.count = number_word(words, "count", "20"),
                                       .size = number_word(words, "size", "4096"),
                                       .memory_bytes = number_word(words, "memory", "131072")};
  test.depth = number_word(words, "depth", "1");
  test.pieces = number_word(words, "pieces", "1");
  test.inlined = number_word(words, "inline", "0");
  if (!test.pieces || test.pieces > MOST_PIECES) fail("pieces: expected 1 to %d", MOST_PIECES);
  test.frames = open_frames(words);
  test.memory = checked(aligned_alloc(PAGE_BYTES, test.traffic.memory_bytes), "memory");
  const uint64_t seed = number_word(words, "seed", "1");
  rdma_fill(test.memory, test.traffic.memory_bytes, seed + (serves ? RDMA_SERVER_SEED : 0));
  test.random = seed + RDMA_MESSAGES_SEED;
  open_device(&test, number_word(words, "shared", "0"));
  if (serves) offer(&test);
  tell(&test.frames, MESSAGE_START, test.qp->qp_num, test.region->rkey);
  const struct message ready = hear(&test.frames, MESSAGE_READY);
  test.peer_key = (uint32_t)ready.extra;
  connect_peer(&test, words, (uint32_t)ready.number);
  if (serves) {
    tell(&test.frames, MESSAGE_START, 0, 0);
    server(&test);
  } else {
    client(&test);
  }
  printf("rdma memory=%lx\n", rdma_digest(test.memory, test.traffic.memory_bytes));
  return 0;
}
