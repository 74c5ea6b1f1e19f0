// SPDX-License-Identifier: BSD-3-Clause
// Random messages over RDMA: the client posts them one by one, and both print what memory then has.
#include "net.h"
#include "rdma.h"
#include "runtime.h"

enum { QP = 2, DOMAIN = 9, REGION = 1, VARIANT = 7, SEND_DEPTH = 16 };
enum { CLIENT_IP = 0x0a000001, SERVER_IP = 0x0a000002, MOST_MESSAGES = 16000 };
#define REMOTE_BASE 0x700000000000UL

struct test {
  struct net net;
  struct rdma_qp qp;
  unsigned char *memory;  // filled by the seed
  uint64_t memory_bytes;
  uint64_t random;
  uint64_t count, size, polls;
  bool exact;
};

// splitmix64: the numbers that the reference draws too.
static uint64_t draw(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

static void fill(const struct test *test, uint64_t seed) {
  uint64_t *words = (uint64_t *)test->memory;
  for (uint64_t i = 0; i < test->memory_bytes / 8; i++) words[i] = draw(&seed);
}

static uint64_t digest(const struct test *test) {
  const uint64_t *words = (const uint64_t *)test->memory;
  uint64_t hash = 0;
  for (uint64_t i = 0; i < test->memory_bytes / 8; i++) {
    hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15;
  }
  return hash;
}

static unsigned operation_of(const struct arguments *arguments, uint64_t number) {
  static const uint8_t all[] = {RDMA_WRITE, RDMA_WRITE_IMMEDIATE, RDMA_SEND, RDMA_SEND_IMMEDIATE,
                                RDMA_READ};
  if (argument_is(arguments, "operation", "write")) return RDMA_WRITE;
  if (argument_is(arguments, "operation", "send")) return RDMA_SEND;
  if (argument_is(arguments, "operation", "read")) return RDMA_READ;
  return all[number % sizeof all];
}

// Message `id`: small, middling or large, at any address of both memories.
static struct rdma_work message(struct test *test, const struct arguments *arguments, uint32_t id) {
  const uint64_t number = draw(&test->random);
  const uint64_t most[] = {7, 300, test->size};
  const uint64_t limit =
      most[(number >> 8) % 3] < test->size ? most[(number >> 8) % 3] : test->size;
  const uint64_t bytes = test->exact ? test->size : (number >> 16) % (limit + 1);
  const uint64_t places = draw(&test->random);
  const uint64_t room = test->memory_bytes - bytes + 1;
  const uint64_t local = (uintptr_t)test->memory + (uint32_t)places % room;
  const uint64_t remote = REMOTE_BASE + (places >> 32) % room;
  return (struct rdma_work){.id = id,
                            .local_low = (uint32_t)local,
                            .local_high = (uint32_t)(local >> 32),
                            .bytes = (uint32_t)bytes,
                            .opcode = (uint8_t)operation_of(arguments, number),
                            .flags = 1,
                            .remote_low = (uint32_t)remote,
                            .remote_high = (uint32_t)(remote >> 32),
                            .remote_key = REGION << 8 | VARIANT,
                            .immediate = id ^ 0x55aa0000};
}

static void print_counters(const struct test *test) {
  print("rdma sent=%u received=%u malformed=%u wrong_icrc=%u", rdma_counter(&test->qp.rdma, 0),
        rdma_counter(&test->qp.rdma, 1), rdma_counter(&test->qp.rdma, 2),
        rdma_counter(&test->qp.rdma, 3));
  print(" went_back=%u timed_out=%u not_ready=%u negative=%u duplicate=%u\n",
        rdma_counter(&test->qp.rdma, 4), rdma_counter(&test->qp.rdma, 5),
        rdma_counter(&test->qp.rdma, 6), rdma_counter(&test->qp.rdma, 7),
        rdma_counter(&test->qp.rdma, 8));
}

static void client(struct test *test, const struct arguments *arguments) {
  uint64_t bytes = 0;
  const uint64_t begin = cycles();
  for (uint32_t id = 0; id < test->count; id++) {
    const struct rdma_work work = message(test, arguments, id);
    rdma_post(&test->qp, &work);
    const struct rdma_completion *done = rdma_wait(&test->qp.sent, test->polls);
    if (done->status != 0 || done->id != id) {
      fail("rdma: message %u ended with status %u (id %u)", id, done->status, done->id);
    }
    bytes += work.bytes;
  }
  print("rdma messages=%lu bytes=%lu cycles=%lu\n", test->count, bytes, cycles() - begin);
  if (rdma_take(&test->qp.sent)) fail("rdma: a message has two completions");
}

// Every receive request has a place of its own as long as memory lasts; then places are used again.
static void offer(struct test *test) {
  const uint64_t half = test->memory_bytes / 2, stride = (test->size + 7) / 8 * 8 + 8;
  const uint64_t places = half / stride;
  for (uint32_t id = 0; id < test->count; id++) {
    const uint64_t place = (places ? id % places : 0) * stride;
    rdma_post_buffer(&test->qp, id, test->memory + half + place, (uint32_t)test->size);
  }
}

static void server(struct test *test) {
  uint64_t received = 0, immediates = 0;
  while (frame_kind(net_receive(&test->net)) != MESSAGE_BYE) continue;
  for (const struct rdma_completion *done; (done = rdma_take(&test->qp.received)); received++) {
    if (done->status != 0 || done->id != received) fail("rdma: receive %u is wrong", done->id);
    immediates ^= done->flags & 1 ? done->immediate : 0;
  }
  print("rdma receives=%lu immediates=%lx\n", received, immediates);
}

static unsigned power_of_two_above(uint64_t count) {
  unsigned depth = 1;
  while (depth < count) depth *= 2;
  return depth;
}

static void start(struct test *test, const struct arguments *arguments, bool serves) {
  net_start(&test->net, arguments);
  test->net.peer = mac_argument(arguments, "peer");
  test->memory = firesim_heap(test->memory_bytes);
  const uint64_t seed = number_argument(arguments, "seed");
  fill(test, seed + (serves ? 1000 : 0));
  test->random = seed + 2000;
  const struct rdma_settings settings = {
      .peer = {test->net.peer, serves ? CLIENT_IP : SERVER_IP, QP},
      .send_depth = SEND_DEPTH,
      .receive_depth = power_of_two_above(test->count),
      .mtu = (unsigned)number_argument(arguments, "mtu"),
      .psn = (uint32_t)number_argument(arguments, "psn") & 0xffffff,
      .domain = DOMAIN,
      .timeout_code = (unsigned)number_argument(arguments, "timeout"),
      .retries = (unsigned)number_argument(arguments, "retries"),
  };
  test->qp = rdma_connect(rdma_start(serves ? SERVER_IP : CLIENT_IP), QP, &settings);
}

int main(int hart, const struct arguments *arguments) {
  (void)hart;
  struct test test = {.count = number_argument(arguments, "count"),
                      .size = number_argument(arguments, "size"),
                      .memory_bytes = number_argument(arguments, "memory"),
                      .polls = number_argument(arguments, "polls"),
                      .exact = number_argument(arguments, "exact") != 0};
  require_choice(arguments, "role", "client server");
  require_choice(arguments, "operation", "write send read random");
  if (test.count == 0 || test.count > MOST_MESSAGES) fail("count: expected 1 to %d", MOST_MESSAGES);
  if (test.size > test.memory_bytes / 2) {
    fail("size: found %lu, expected at most half of memory, %lu", test.size, test.memory_bytes / 2);
  }
  const bool serves = argument_is(arguments, "role", "server");
  start(&test, arguments, serves);
  if (serves) {
    const struct rdma_region region = {
        REGION,      VARIANT,           DOMAIN,     RDMA_REMOTE_READ | RDMA_REMOTE_WRITE,
        REMOTE_BASE, test.memory_bytes, test.memory};
    rdma_register(&test.qp.rdma, &region);
    offer(&test);
    net_receive(&test.net);
    net_send(&test.net, MESSAGE_READY, 0, 0);
    server(&test);
  } else {
    net_send(&test.net, MESSAGE_START, 0, 0);
    net_receive(&test.net);
    client(&test, arguments);
    net_send(&test.net, MESSAGE_BYE, 0, 0);
  }
  full_fence();
  print("rdma memory=%lx\n", digest(&test));
  print_counters(&test);
  return 0;
}
