// SPDX-License-Identifier: BSD-3-Clause
// Random messages over RDMA: the client posts them one by one, and both print what memory then has.
#include "net.h"
#include "pages.h"
#include "rdma.h"
#include "rdma_messages.h"
#include "runtime.h"

enum { QP = 2, DOMAIN = 9, REGION = 1, VARIANT = 7, SEND_DEPTH = 16 };
enum { MOST_MESSAGES = 16000 };

struct test {
  struct net net;
  struct rdma_traffic traffic;
  struct rdma rdma;
  struct rdma_qp qp;
  unsigned char *memory;  // filled by the seed
  unsigned char *pages;   // has it in pages, or NULL
  uint64_t place;         // of memory for the NIC
  uint32_t peer_key;      // of the server's memory
  uint64_t random, polls;
  bool sleeps;
};

static unsigned operation_of(const struct arguments *arguments, uint64_t number) {
  static const uint8_t all[RDMA_MESSAGE_KINDS] = {RDMA_WRITE, RDMA_WRITE_IMMEDIATE, RDMA_SEND,
                                                  RDMA_SEND_IMMEDIATE, RDMA_READ};
  if (argument_is(arguments, "operation", "write")) return RDMA_WRITE;
  if (argument_is(arguments, "operation", "send")) return RDMA_SEND;
  if (argument_is(arguments, "operation", "read")) return RDMA_READ;
  return all[number % sizeof all];
}

static struct rdma_work message(struct test *test, const struct arguments *arguments, uint32_t id) {
  const struct rdma_message drawn = rdma_next_message(&test->random, &test->traffic);
  const uint64_t local = test->place + drawn.local;
  const uint64_t remote = RDMA_REMOTE_BASE + drawn.remote;
  return (struct rdma_work){.id = id,
                            .local_low = (uint32_t)local,
                            .local_high = (uint32_t)(local >> 32),
                            .bytes = (uint32_t)drawn.bytes,
                            .opcode = (uint8_t)operation_of(arguments, drawn.number),
                            .flags = 1,
                            .remote_low = (uint32_t)remote,
                            .remote_high = (uint32_t)(remote >> 32),
                            .remote_key = test->peer_key,
                            .immediate = id ^ RDMA_IMMEDIATE};
}

static const struct frame *receive(struct test *test) {
  return test->sleeps ? rdma_sleep_for_frame(&test->rdma, &test->net) : net_receive(&test->net);
}

static const struct rdma_completion *complete(struct test *test) {
  return test->sleeps ? rdma_sleep_for(&test->rdma, &test->qp.sent)
                      : rdma_wait(&test->qp.sent, test->polls);
}

static void print_counters(const struct test *test) {
  print("rdma sent=%u received=%u malformed=%u wrong_icrc=%u", rdma_counter(&test->rdma, 0),
        rdma_counter(&test->rdma, 1), rdma_counter(&test->rdma, 2), rdma_counter(&test->rdma, 3));
  print(" went_back=%u timed_out=%u not_ready=%u negative=%u duplicate=%u\n",
        rdma_counter(&test->rdma, 4), rdma_counter(&test->rdma, 5), rdma_counter(&test->rdma, 6),
        rdma_counter(&test->rdma, 7), rdma_counter(&test->rdma, 8));
}

static void client(struct test *test, const struct arguments *arguments) {
  uint64_t bytes = 0;
  const uint64_t begin = cycles();
  for (uint32_t id = 0; id < test->traffic.count; id++) {
    const struct rdma_work work = message(test, arguments, id);
    rdma_post(&test->qp, &work);
    const struct rdma_completion *done = complete(test);
    if (done->status != 0 || done->id != id) {
      fail("rdma: message %u ended with status %u (id %u)", id, done->status, done->id);
    }
    bytes += work.bytes;
  }
  print("rdma messages=%lu bytes=%lu cycles=%lu\n", test->traffic.count, bytes, cycles() - begin);
  if (rdma_take(&test->qp.sent)) fail("rdma: a message has two completions");
  net_send(&test->net, MESSAGE_BYE, 0, 0);
}

static void server(struct test *test) {
  uint64_t received = 0, immediates = 0;
  while (frame_kind(receive(test)) != MESSAGE_BYE) continue;
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

// Makes the queue pair for the one that the peer has told; gives the peer memory and places.
static void connect(struct test *test, const struct arguments *arguments, const struct frame *told,
                    bool serves) {
  const uint32_t psn = (uint32_t)number_argument(arguments, "psn") & 0xffffff;
  const struct rdma_settings settings = {
      .peer = {test->net.peer, ip_argument(arguments, serves ? "client_ip" : "server_ip"),
               (uint32_t)told->number},
      .send_depth = SEND_DEPTH,
      .receive_depth = power_of_two_above(test->traffic.count),
      .mtu = (unsigned)number_argument(arguments, "mtu"),
      .psn = psn,
      .peer_psn = psn,
      .domain = DOMAIN,
      .timeout_code = (unsigned)number_argument(arguments, "timeout"),
      .retries = (unsigned)number_argument(arguments, "retries"),
  };
  test->peer_key = (uint32_t)told->extra;
  test->qp = rdma_connect(test->rdma, QP, &settings);
  if (!serves) return;
  const struct rdma_region region = {REGION,
                                     VARIANT,
                                     DOMAIN,
                                     RDMA_REMOTE_READ | RDMA_REMOTE_WRITE,
                                     RDMA_REMOTE_BASE,
                                     test->traffic.memory_bytes,
                                     (const void *)test->place};
  rdma_register(&test->rdma, &region);
  for (uint32_t id = 0; id < test->traffic.count; id++) {
    rdma_post_buffer(&test->qp, id, (const void *)(test->place + rdma_place(&test->traffic, id)),
                     (uint32_t)test->traffic.size);
  }
}

// Each end tells the other its queue pair and its key: the one that begins by START, the other,
// when it is ready, by READY. When the client is not the one that begins, another START sets it
// off.
static void meet(struct test *test, const struct arguments *arguments, bool serves) {
  const bool begins = argument_is(arguments, "begins", serves ? "server" : "client");
  const uint64_t key = REGION << 8 | VARIANT;
  if (begins) net_send(&test->net, MESSAGE_START, QP, key);
  connect(test, arguments, receive(test), serves);
  if (!begins) net_send(&test->net, MESSAGE_READY, QP, key);
  if (!begins && !serves) receive(test);
  if (begins && serves) net_send(&test->net, MESSAGE_START, QP, key);
}

static void start(struct test *test, const struct arguments *arguments, bool serves) {
  net_start(&test->net, arguments);
  test->net.peer = mac_argument(arguments, "peer");
  test->memory = firesim_heap(test->traffic.memory_bytes);
  const uint64_t seed = number_argument(arguments, "seed");
  rdma_fill(test->memory, test->traffic.memory_bytes, seed + (serves ? RDMA_SERVER_SEED : 0));
  test->random = seed + RDMA_MESSAGES_SEED;
  test->rdma = rdma_start(ip_argument(arguments, serves ? "server_ip" : "client_ip"));
  test->place = (uintptr_t)test->memory;
  if (number_argument(arguments, "pages") != 0) {
    test->pages = pages_scatter(&test->rdma, test->memory, test->traffic.memory_bytes);
    test->place = RDMA_PAGED;
  }
  if (test->sleeps) rdma_wake_by_interrupts(&test->rdma);
}

int main(int hart, const struct arguments *arguments) {
  (void)hart;
  struct test test = {.traffic = {.count = number_argument(arguments, "count"),
                                  .size = number_argument(arguments, "size"),
                                  .memory_bytes = number_argument(arguments, "memory"),
                                  .exact = number_argument(arguments, "exact") != 0},
                      .polls = number_argument(arguments, "polls")};
  require_choice(arguments, "role", "client server");
  require_choice(arguments, "begins", "client server");
  require_choice(arguments, "operation", "write send read random");
  const struct rdma_traffic *traffic = &test.traffic;
  if (traffic->count == 0 || traffic->count > MOST_MESSAGES) {
    fail("count: expected 1 to %d", MOST_MESSAGES);
  }
  if (traffic->size > traffic->memory_bytes / 2) {
    fail("size: found %lu, expected at most half of memory, %lu", traffic->size,
         traffic->memory_bytes / 2);
  }
  test.sleeps = number_argument(arguments, "sleep") != 0;
  const bool serves = argument_is(arguments, "role", "server");
  start(&test, arguments, serves);
  meet(&test, arguments, serves);
  if (serves) {
    server(&test);
  } else {
    client(&test, arguments);
  }
  full_fence();
  if (test.pages) pages_gather(test.pages, test.memory, traffic->memory_bytes);
  print("rdma memory=%lx\n", rdma_digest(test.memory, traffic->memory_bytes));
  print_counters(&test);
  return 0;
}
