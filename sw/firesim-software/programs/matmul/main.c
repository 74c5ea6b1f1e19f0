// SPDX-License-Identifier: BSD-3-Clause
// A client reads matrices from a server by RDMA, multiplies them beside its core, and writes the
// products back.
#include "digest.h"
#include "matmul.h"
#include "net.h"
#include "rdma.h"
#include "runtime.h"

enum { QP = 2, DOMAIN = 9, REGION = 1, VARIANT = 7, MTU = 1024, FIRST_PSN = 100 };
enum { CLIENT_IP = 0x0a000001, SERVER_IP = 0x0a000002, MOST_PRODUCTS = 64, DEPTH = 16 };
enum { MATRIX_BYTES = 4 * MATMUL_MOST * MATMUL_MOST, PLACE_BYTES = 3 * MATRIX_BYTES };
#define REMOTE_BASE 0x700000000000UL

struct test {
  struct net net;
  struct rdma rdma;
  struct rdma_qp qp;
  unsigned char *memory;  // places of A, B and C: the server's of all products, the client's of one
  uint64_t count, seed, polls;
};

// SplitMix64 (Steele, Lea and Flood, 2014).
static uint64_t draw(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

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
    product.rows = (unsigned)(1 + draw(&state) % MATMUL_MOST);
    product.inner = (unsigned)(1 + draw(&state) % MATMUL_MOST);
    product.columns = (unsigned)(1 + draw(&state) % MATMUL_MOST);
  }
  return product;
}

// Elements of the first product are i mod 10, as RecoNIC's are; those of others are random.
static void fill(const struct test *test, uint64_t index, unsigned char *place) {
  uint64_t state = ~(test->seed + index);
  int32_t *elements = (int32_t *)place;
  const unsigned each = MATMUL_MOST * MATMUL_MOST;
  for (unsigned i = 0; i < 2 * each; i++) {
    elements[i] = index ? (int32_t)draw(&state) : (int32_t)(i % each % 10);
  }
}

static void transfer(struct test *test, enum rdma_opcode opcode, uint64_t offset, void *memory,
                     uint64_t bytes) {
  const uint64_t local = (uintptr_t)memory, remote = REMOTE_BASE + offset;
  const struct rdma_work work = {.local_low = (uint32_t)local,
                                 .local_high = (uint32_t)(local >> 32),
                                 .bytes = (uint32_t)bytes,
                                 .opcode = (uint8_t)opcode,
                                 .flags = 1,
                                 .remote_low = (uint32_t)remote,
                                 .remote_high = (uint32_t)(remote >> 32),
                                 .remote_key = REGION << 8 | VARIANT};
  rdma_post(&test->qp, &work);
  const struct rdma_completion *done = rdma_wait(&test->qp.sent, test->polls);
  if (done->status) fail("matmul: RDMA ended with status %u", done->status);
}

static void client(struct test *test) {
  const uintptr_t matmul = matmul_start();
  uint64_t kernel[MOST_PRODUCTS], total[MOST_PRODUCTS];
  net_send(&test->net, MESSAGE_START, 0, 0);
  net_receive(&test->net);
  for (uint64_t i = 0; i < test->count; i++) {
    const struct matmul_product product = product_at(test, i, test->memory);
    const uint64_t begin = cycles();
    transfer(test, RDMA_READ, i * PLACE_BYTES, test->memory, 2 * MATRIX_BYTES);
    matmul_push(matmul, &product, (uint16_t)i);
    kernel[i] = matmul_wait(matmul, (uint16_t)i);
    transfer(test, RDMA_WRITE, i * PLACE_BYTES + 2 * MATRIX_BYTES, product.c,
             (4UL * product.rows * product.columns + 7) / 8 * 8);
    total[i] = cycles() - begin;
  }
  net_send(&test->net, MESSAGE_BYE, 0, 0);
  for (uint64_t i = 0; i < test->count; i++) {
    print("matmul product=%lu cycles=%lu with_rdma=%lu\n", i, kernel[i], total[i]);
  }
}

static void server(struct test *test) {
  const struct rdma_region region = {REGION,      VARIANT,
                                     DOMAIN,      RDMA_REMOTE_READ | RDMA_REMOTE_WRITE,
                                     REMOTE_BASE, test->count * PLACE_BYTES,
                                     test->memory};
  rdma_register(&test->rdma, &region);
  net_receive(&test->net);
  net_send(&test->net, MESSAGE_READY, 0, 0);
  net_receive(&test->net);
  for (uint64_t i = 0; i < test->count; i++) {
    const struct matmul_product product = product_at(test, i, test->memory + i * PLACE_BYTES);
    const uint64_t bytes = (4UL * product.rows * product.columns + 7) / 8 * 8;
    print("matmul product=%lu rows=%u inner=%u columns=%u digest=%lx\n", i, product.rows,
          product.inner, product.columns, digest((const unsigned char *)product.c, bytes));
  }
}

static struct test test;

int main(int hart, const struct arguments *arguments) {
  (void)hart;
  require_choice(arguments, "role", "client server");
  const bool serves = argument_is(arguments, "role", "server");
  test.count = number_between(arguments, "count", 1, MOST_PRODUCTS);
  test.seed = number_argument(arguments, "seed");
  test.polls = number_argument(arguments, "polls");
  test.memory = firesim_heap((serves ? test.count : 1) * PLACE_BYTES);
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
