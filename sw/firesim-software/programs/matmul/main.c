// SPDX-License-Identifier: BSD-3-Clause
// A client reads matrices from a server by RDMA, multiplies them beside its core, and writes the
// products back.
#include "digest.h"
#include "matmul.h"
#include "net.h"
#include "rdma.h"
#include "rdma_messages.h"
#include "runtime.h"
#include "splitmix.h"

enum { QP = 2, DOMAIN = 9, REGION = 1, VARIANT = 7, MTU = 1024, FIRST_PSN = 100 };
enum { CLIENT_IP = 0x0a000001, SERVER_IP = 0x0a000002, MOST_PRODUCTS = 64, DEPTH = 32 };
enum { MATRIX_BYTES = 4 * MATMUL_MOST * MATMUL_MOST, PLACE_BYTES = 3 * MATRIX_BYTES };

struct test {
  struct net net;
  struct rdma rdma;
  struct rdma_qp qp;
  unsigned char *memory;  // places of A, B and C: of all products, or of those under way
  uint64_t count, queue, seed, polls;
};

// The first product is of full size; the others have sizes by the seed.
static struct matmul_product product_at(const struct test *test, uint64_t index,
                                        unsigned char *place) {
  uint64_t state = test->seed + index;
  struct matmul_product product = {.a = (const int32_t *)place,
                                   .b = (const int32_t *)(place + MATRIX_BYTES),
                                   .c = (int32_t *)(place + 2 * MATRIX_BYTES),
                                   .rows = MATMUL_MOST,
                                   .inner = MATMUL_MOST,
                                   .columns = MATMUL_MOST};
  if (index) {
    product.rows = (unsigned)(1 + splitmix64(&state) % MATMUL_MOST);
    product.inner = (unsigned)(1 + splitmix64(&state) % MATMUL_MOST);
    product.columns = (unsigned)(1 + splitmix64(&state) % MATMUL_MOST);
  }
  return product;
}

// Elements of the first product are i mod 10, as RecoNIC's are; those of others are random.
static void fill(const struct test *test, uint64_t index, unsigned char *place) {
  uint64_t state = ~(test->seed + index);
  int32_t *elements = (int32_t *)place;
  const unsigned each = MATMUL_MOST * MATMUL_MOST;
  for (unsigned i = 0; i < 2 * each; i++) {
    elements[i] = index ? (int32_t)splitmix64(&state) : (int32_t)(i % each % 10);
  }
}

static uint64_t result_bytes(const struct matmul_product *product) {
  return (4UL * product->rows * product->columns + 7) / 8 * 8;
}

static unsigned char *place_of(const struct test *test, uint64_t index) {
  return test->memory + index % test->queue * PLACE_BYTES;
}

// The completion tells which product it is of, and which way its data went.
static void post(struct test *test, uint64_t index, enum rdma_opcode opcode) {
  const struct matmul_product product = product_at(test, index, place_of(test, index));
  const bool back = opcode == RDMA_WRITE;
  const uint64_t local = (uintptr_t)(back ? (const void *)product.c : (const void *)product.a);
  const uint64_t remote = RDMA_REMOTE_BASE + index * PLACE_BYTES + (back ? 2 * MATRIX_BYTES : 0);
  const struct rdma_work work = {
      .id = (uint32_t)index << 8 | opcode,
      .local_low = (uint32_t)local,
      .local_high = (uint32_t)(local >> 32),
      .bytes = back ? (uint32_t)result_bytes(&product) : 2 * MATRIX_BYTES,
      .opcode = (uint8_t)opcode,
      .flags = 1,
      .remote_low = (uint32_t)remote,
      .remote_high = (uint32_t)(remote >> 32),
      .remote_key = REGION << 8 | VARIANT};
  rdma_post(&test->qp, &work);
}

// Operands of a product have come: multiply. A product has gone back: return true.
static bool went_back(struct test *test, uintptr_t matmul) {
  const struct rdma_completion *done = rdma_take(&test->qp.sent);
  if (!done) return false;
  if (done->status) fail("matmul: RDMA ended with status %u", done->status);
  const uint64_t index = done->id >> 8;
  if ((done->id & 0xff) == RDMA_WRITE) return true;
  const struct matmul_product product = product_at(test, index, place_of(test, index));
  matmul_push(matmul, &product, (uint16_t)index);
  return false;
}

// Up to `queue` products are under way at a time, each in a place of its own.
static void client(struct test *test) {
  const uintptr_t matmul = matmul_start();
  uint64_t begun[MOST_PRODUCTS], kernel[MOST_PRODUCTS], total[MOST_PRODUCTS];
  net_send(&test->net, MESSAGE_START, 0, 0);
  net_receive(&test->net);
  const uint64_t begin = cycles();
  uint64_t asked = 0, ended = 0, polls = test->polls;
  struct matmul_completion done;
  while (ended < test->count) {
    if (asked < test->count && asked < ended + test->queue) {
      begun[asked] = cycles();
      post(test, asked++, RDMA_READ);
    }
    if (matmul_take(matmul, &done)) {
      kernel[done.tag] = done.cycles;
      post(test, done.tag, RDMA_WRITE);
    }
    if (went_back(test, matmul)) {
      total[ended] = cycles() - begun[ended];
      ended++;
      polls = test->polls;
    }
    if (!polls--) fail("matmul: found %lu products within the polls that were allowed", ended);
  }
  const uint64_t all = cycles() - begin;
  net_send(&test->net, MESSAGE_BYE, 0, 0);
  for (uint64_t i = 0; i < test->count; i++) {
    print("matmul product=%lu cycles=%lu with_rdma=%lu\n", i, kernel[i], total[i]);
  }
  print("matmul all=%lu\n", all);
}

static void server(struct test *test) {
  const struct rdma_region region = {REGION,           VARIANT,
                                     DOMAIN,           RDMA_REMOTE_READ | RDMA_REMOTE_WRITE,
                                     RDMA_REMOTE_BASE, test->count * PLACE_BYTES,
                                     test->memory};
  rdma_register(&test->rdma, &region);
  net_receive(&test->net);
  net_send(&test->net, MESSAGE_READY, 0, 0);
  net_receive(&test->net);
  for (uint64_t i = 0; i < test->count; i++) {
    const struct matmul_product product = product_at(test, i, test->memory + i * PLACE_BYTES);
    print("matmul product=%lu rows=%u inner=%u columns=%u digest=%lx\n", i, product.rows,
          product.inner, product.columns,
          digest((const unsigned char *)product.c, result_bytes(&product)));
  }
}

static struct test test;

int main(int hart, const struct arguments *arguments) {
  (void)hart;
  require_choice(arguments, "role", "client server");
  const bool serves = argument_is(arguments, "role", "server");
  test.count = number_between(arguments, "count", 1, MOST_PRODUCTS);
  test.queue = number_between(arguments, "queue", 1, MATMUL_QUEUE);
  test.seed = number_argument(arguments, "seed");
  test.polls = number_argument(arguments, "polls");
  test.memory = firesim_heap((serves ? test.count : test.queue) * PLACE_BYTES);
  for (uint64_t i = 0; serves && i < test.count; i++) {
    fill(&test, i, test.memory + i * PLACE_BYTES);
  }
  net_start(&test.net, arguments);
  test.net.peer = mac_argument(arguments, "peer");
  test.rdma = rdma_start(serves ? SERVER_IP : CLIENT_IP);
  const struct rdma_settings settings = {
      .peer = {test.net.peer, serves ? CLIENT_IP : SERVER_IP, QP},
      .send_depth = DEPTH,
      .receive_depth = DEPTH,
      .mtu = MTU,
      .psn = FIRST_PSN,
      .peer_psn = FIRST_PSN,
      .domain = DOMAIN,
      .retries = 7,
  };
  test.qp = rdma_connect(test.rdma, QP, &settings);
  if (serves) {
    server(&test);
  } else {
    client(&test);
  }
  return 0;
}
