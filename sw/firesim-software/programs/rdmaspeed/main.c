// SPDX-License-Identifier: BSD-3-Clause
// How fast RDMA is: a client keeps several work requests on the wire, of one or more queue pairs.
#include "net.h"
#include "rdma.h"
#include "runtime.h"

enum { FIRST_QP = 2, DOMAIN = 9, REGION = 1, VARIANT = 7, MOST_PAIRS = 8, MOST_MESSAGES = 4096 };
enum { CLIENT_IP = 0x0a000001, SERVER_IP = 0x0a000002 };
enum { REGISTER_PENDING = 0x30, REGISTER_MASK = 0x38 };
#define REMOTE_BASE 0x700000000000UL

struct test {
  struct net net;
  struct rdma rdma;
  struct rdma_qp qps[MOST_PAIRS];
  uint64_t pairs, count, size, window, polls;
  unsigned char *memory;  // the client's has a message, the server's one of each queue pair
  uint64_t memory_bytes;
  enum rdma_opcode operation;
  bool interrupts;
  unsigned served;                // interrupts
  uint64_t begun[MOST_MESSAGES];  // cycles at the doorbells
  uint64_t ended[MOST_MESSAGES];  // and when the completions were seen
};

static void fill(const struct test *test) {
  uint64_t *words = (uint64_t *)test->memory;
  for (uint64_t i = 0; i < test->memory_bytes / 8; i++) words[i] = (i + 1) * 0x9e3779b97f4a7c15;
}

static uint64_t digest(const unsigned char *memory, uint64_t bytes) {
  const uint64_t *words = (const uint64_t *)memory;
  uint64_t hash = 0;
  for (uint64_t i = 0; i < bytes / 8; i++) hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15;
  return hash;
}

static void post(struct test *test, uint32_t id) {
  const uint64_t local = (uintptr_t)test->memory;
  const uint64_t remote = REMOTE_BASE + id % test->pairs * test->size;
  const struct rdma_work work = {.id = id,
                                 .local_low = (uint32_t)local,
                                 .local_high = (uint32_t)(local >> 32),
                                 .bytes = (uint32_t)test->size,
                                 .opcode = (uint8_t)test->operation,
                                 .flags = 1,
                                 .remote_low = (uint32_t)remote,
                                 .remote_high = (uint32_t)(remote >> 32),
                                 .remote_key = REGION << 8 | VARIANT};
  test->begun[id] = cycles();
  rdma_post(&test->qps[id % test->pairs], &work);
}

// Waits for a completion of any queue pair, and serves the interrupt that its queue has raised.
static void await_interrupt(struct test *test) {
  for (uint64_t polls = test->polls; !(read_csr(mip) & MIE_EXTERNAL);) {
    if (!polls--) fail("rdmaspeed: no interrupt within the polls that were allowed");
  }
  const unsigned interrupt = plic_claim();
  if (interrupt != test->rdma.interrupt) fail("rdmaspeed: found interrupt %u", interrupt);
  const uint64_t pending = read64(test->rdma.registers + REGISTER_PENDING);
  if (!pending) fail("rdmaspeed: an interrupt without a completion queue");
  write64(test->rdma.registers + REGISTER_PENDING, pending);
  plic_complete(interrupt);
  test->served++;
}

// Looks for the next completion of one queue pair in a loop of few cycles, always the same number.
__attribute__((noinline)) static void watch(const struct rdma_ring *ring, uint64_t polls) {
  const struct rdma_completion *entry = &ring->entries[ring->taken % ring->depth];
  const volatile uint64_t *word = &entry->phase_and_index;
  const uint64_t phase = ring->taken / ring->depth % 2 == 0;
  while (*word >> 63 != phase) {
    if (!polls--) fail("rdmaspeed: no completion within the polls that were allowed");
  }
}

// Takes what has completed of a queue pair; its messages end in their order.
static uint64_t take(struct test *test, uint64_t pair, uint32_t *expected) {
  uint64_t taken = 0;
  for (const struct rdma_completion *done; (done = rdma_take(&test->qps[pair].sent)); taken++) {
    if (done->status != 0 || done->id != *expected) {
      fail("rdmaspeed: found message %u with status %u, expected message %u", done->id,
           done->status, *expected);
    }
    test->ended[*expected] = cycles();
    *expected += (uint32_t)test->pairs;
  }
  return taken;
}

static void client(struct test *test) {
  uint32_t expected[MOST_PAIRS], posted = 0;
  uint64_t done = 0, polls = test->polls;
  for (uint32_t pair = 0; pair < test->pairs; pair++) expected[pair] = pair;
  while (done < test->count) {
    while (posted < test->count &&
           posted < expected[posted % test->pairs] + test->window * test->pairs) {
      post(test, posted++);
    }
    if (test->interrupts) await_interrupt(test);
    if (!test->interrupts && test->pairs == 1) watch(&test->qps[0].sent, test->polls);
    const uint64_t before = done;
    for (uint64_t pair = 0; pair < test->pairs; pair++) done += take(test, pair, &expected[pair]);
    polls = done == before ? polls - 1 : test->polls;
    if (!polls) fail("rdmaspeed: no completion within the polls that were allowed");
  }
}

// Latencies of the last message, and cycles from the completion of message `skip` to the last one.
static void report(const struct test *test, uint64_t skip) {
  const uint64_t last = test->count - 1;
  print("rdmaspeed messages=%lu bytes=%lu cycles=%lu\n", last - skip, (last - skip) * test->size,
        test->ended[last] - test->ended[skip]);
  print("rdmaspeed posted=%lu completed=%lu latency=%lu interrupts=%u\n", test->begun[last],
        test->ended[last], test->ended[last] - test->begun[last], test->served);
}

static void connect(struct test *test, const struct arguments *arguments, bool serves) {
  test->rdma = rdma_start(serves ? SERVER_IP : CLIENT_IP);
  for (unsigned pair = 0; pair < test->pairs; pair++) {
    const unsigned number = FIRST_QP + pair;
    const struct rdma_settings settings = {
        .peer = {test->net.peer, serves ? CLIENT_IP : SERVER_IP, number},
        .send_depth = 16,
        .receive_depth = MOST_MESSAGES,
        .mtu = (unsigned)number_argument(arguments, "mtu"),
        .psn = 0xfffff0 + pair,
        .peer_psn = 0xfffff0 + pair,
        .domain = DOMAIN,
        .timeout_code = (unsigned)number_argument(arguments, "timeout"),
        .retries = 7,
    };
    test->qps[pair] = rdma_connect(test->rdma, number, &settings);
  }
  if (test->interrupts && !serves) {
    plic_enable(test->rdma.interrupt);
    write64(test->rdma.registers + REGISTER_MASK, ~0UL);
  }
}

// Of each queue pair the messages that are its; each may be received into its place.
static void serve(struct test *test) {
  const struct rdma_region region = {REGION,      VARIANT,
                                     DOMAIN,      RDMA_REMOTE_READ | RDMA_REMOTE_WRITE,
                                     REMOTE_BASE, test->memory_bytes,
                                     test->memory};
  rdma_register(&test->rdma, &region);
  if (test->operation == RDMA_SEND) {
    for (uint32_t id = 0; id < test->count; id++) {
      const uint64_t pair = id % test->pairs;
      rdma_post_buffer(&test->qps[pair], id, test->memory + pair * test->size,
                       (uint32_t)test->size);
    }
  }
  net_receive(&test->net);
  // It sleeps, as a core that looks at memory again and again is in the way of what is read.
  rdma_wake_by_interrupts(&test->rdma);
  net_send(&test->net, MESSAGE_READY, 0, 0);
  while (frame_kind(rdma_sleep_for_frame(&test->rdma, &test->net)) != MESSAGE_BYE) continue;
}

static enum rdma_opcode operation_of(const struct arguments *arguments) {
  require_choice(arguments, "operation", "write send read");
  if (argument_is(arguments, "operation", "read")) return RDMA_READ;
  return argument_is(arguments, "operation", "send") ? RDMA_SEND : RDMA_WRITE;
}

static struct test test;

int main(int hart, const struct arguments *arguments) {
  (void)hart;
  require_choice(arguments, "role", "client server");
  test.pairs = number_between(arguments, "pairs", 1, MOST_PAIRS);
  test.window = number_between(arguments, "window", 1, 16);
  test.count = number_between(arguments, "count", 2, MOST_MESSAGES);
  test.size = number_between(arguments, "size", 8, 1 << 20) / 8 * 8;
  test.polls = number_argument(arguments, "polls");
  test.operation = operation_of(arguments);
  test.interrupts = number_argument(arguments, "interrupts") != 0;
  const bool serves = argument_is(arguments, "role", "server");
  test.memory_bytes = serves ? test.pairs * test.size : test.size;
  test.memory = firesim_heap(test.memory_bytes);
  if (serves == (test.operation == RDMA_READ)) fill(&test);
  net_start(&test.net, arguments);
  test.net.peer = mac_argument(arguments, "peer");
  connect(&test, arguments, serves);
  if (serves) {
    serve(&test);
  } else {
    net_send(&test.net, MESSAGE_START, 0, 0);
    net_receive(&test.net);
    client(&test);
    net_send(&test.net, MESSAGE_BYE, 0, 0);
    report(&test, number_between(arguments, "skip", 0, test.count - 2));
  }
  full_fence();
  print("rdmaspeed sent=%u received=%u went_back=%u\n", rdma_counter(&test.rdma, 0),
        rdma_counter(&test.rdma, 1), rdma_counter(&test.rdma, 4));
  for (uint64_t at = 0; at < test.memory_bytes; at += test.size) {
    print("rdmaspeed memory=%lx\n", digest(test.memory + at, test.size));
  }
  return 0;
}
