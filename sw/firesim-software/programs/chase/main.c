// SPDX-License-Identifier: BSD-3-Clause
// A client follows pointers through a table that lies on several servers, or has counters of a
// server incremented. It fetches each entry, or sends a function that goes from server to server.
#include "inject.h"
#include "remote_read.h"
#include "table.h"

enum { CLIENT, FIRST_SERVER, MOST_ENTRIES = 1 << 24, MOST_DEPTH = 1 << 20 };

struct test {
  struct node node;
  struct remote_read remote;
  uint64_t servers, depth, starts, count;
  bool reads, gets, sweeps, increments;
  uint64_t restart_after;  // calls after which a server restarts, once; 0: never
};

static unsigned log2_of(const char *name, uint64_t value) {
  unsigned log = 0;
  while (1UL << log < value) log++;
  if (1UL << log != value) fail("%s: expected a power of two", name);
  return log;
}

// Returns what came of the request that was sent.
static uint64_t answer(struct node *node) {
  node->target.done = 0;
  while (!node->target.done) inject_serve(node);
  return node->target.result;
}

static unsigned owner(const struct node *node, uint64_t address) {
  return FIRST_SERVER + (unsigned)(address >> node->target.shift);
}

static uint64_t chase(struct test *test, uint64_t address, uint64_t depth) {
  struct node *node = &test->node;
  if (!test->reads && !test->gets) {
    const struct chaser payload = {depth, address, CLIENT};
    inject_send(node, FUNCTION_CHASER, owner(node, address), &payload);
    return answer(node);
  }
  while (depth--) {
    const unsigned to = owner(node, address);
    if (test->reads) {
      address = remote_read(&test->remote, to - FIRST_SERVER, address);
    } else {
      inject_send_control(node, FRAME_GET, to, address);
      address = answer(node);
    }
  }
  return address;
}

// All starts, to one depth. The time base has 32 MHz: a core's cycle counter stops while it sleeps.
static void chase_all(struct test *test, uint64_t depth) {
  uint64_t all = 0;
  const uint64_t begin = clint_time();
  for (uint64_t start = 0; start < test->starts; start++) all ^= chase(test, start, depth);
  const uint64_t ticks = clint_time() - begin;
  print("chase depth=%lu starts=%lu xor=0x%lx ticks=%lu\n", depth, test->starts, all, ticks);
}

// The counters of both ends, alternately: half of the time there and back is that of one.
static void increment_all(struct test *test) {
  const unsigned char payload = 1;
  const uint64_t begin = clint_time();
  for (uint64_t i = 0; i < test->count; i++) {
    inject_send(&test->node, FUNCTION_INCREMENT, FIRST_SERVER, &payload);
    while (test->node.target.counter == i) inject_serve(&test->node);
  }
  const uint64_t ticks = clint_time() - begin;
  print("increment count=%lu ticks=%lu\n", test->count, ticks);
}

static void be_client(struct test *test, const struct arguments *arguments) {
  struct node *node = &test->node;
  inject_register(node, FUNCTION_CHASER);
  inject_register(node, FUNCTION_INCREMENT);
  if (test->reads) remote_read_connect(&test->remote, &node->wire, FIRST_SERVER);
  const uint64_t start = number_argument(arguments, "start");
  while (cycles() < start) continue;
  for (unsigned i = 0; i < test->servers; i++) {
    inject_send_control(node, FRAME_HELLO, FIRST_SERVER + i, i);
    answer(node);
  }
  if (test->increments) {
    increment_all(test);
  } else {
    for (uint64_t depth = test->sweeps ? 1 : test->depth; depth <= test->depth; depth *= 2) {
      chase_all(test, depth);
    }
  }
  for (unsigned i = 0; i < test->servers; i++) {
    inject_send_control(node, FRAME_BYE, FIRST_SERVER + i, 0);
  }
  wire_drain(&node->wire);
}

// What a node has from its start; code from others comes later.
static void set_up(struct node *node) {
  inject_start(node);
  inject_register(node, FUNCTION_RESULT);
}

static void be_server(struct test *test) {
  struct node *node = &test->node;
  const uint64_t count = 1UL << node->target.shift;
  uint64_t *shard = firesim_heap(count * sizeof *shard);
  node->target.shard = shard;
  node->target.server = node->wire.own - FIRST_SERVER;
  const uint64_t first = node->target.server * count;
  table_part((struct part){node->entries, first, count}, shard);
  if (test->reads) remote_read_offer(&node->wire, CLIENT, shard, first, count);
  const unsigned char payload = 1;
  uint64_t counted = 0;
  while (!node->ended) {
    const unsigned from = inject_serve(node);
    if (node->target.counter != counted) {
      counted = node->target.counter;
      inject_send(node, FUNCTION_INCREMENT, from, &payload);
    }
    if (test->restart_after && node->counts.executed == test->restart_after) {
      test->restart_after = 0;
      set_up(node);
    }
  }
}

static void read_settings(struct test *test, const struct arguments *arguments) {
  struct node *node = &test->node;
  require_choice(arguments, "role", "client server");
  require_choice(arguments, "mode", "read get active binary fat");
  require_choice(arguments, "what", "chase increment");
  test->gets = argument_is(arguments, "mode", "get");
  test->increments = argument_is(arguments, "what", "increment");
  test->reads = argument_is(arguments, "mode", "read");
  if ((test->gets || test->reads) && test->increments) {
    fail("what=increment: expected mode active, binary or fat");
  }
  node->mode = argument_is(arguments, "mode", "binary") ? MODE_BINARY
               : argument_is(arguments, "mode", "fat")  ? MODE_FAT
                                                        : MODE_ACTIVE;
  test->servers = number_between(arguments, "servers", 1, MOST_NODES - 1);
  if (test->reads && test->servers > MOST_READ_SERVERS) {
    fail("servers: expected at most %d with mode=read", MOST_READ_SERVERS);
  }
  node->entries = number_between(arguments, "entries", 1, MOST_ENTRIES);
  node->target.shift = log2_of("entries", node->entries) - log2_of("servers", test->servers);
  if (node->entries < test->servers) fail("entries: expected as many as servers, or more");
  test->depth = number_between(arguments, "depth", 1, MOST_DEPTH);
  test->starts = number_between(arguments, "starts", 1, node->entries);
  test->sweeps = number_between(arguments, "sweep", 0, 1);
  test->count = number_between(arguments, "count", 1, UINT32_MAX);
  test->restart_after = number_between(arguments, "restart_after", 0, UINT32_MAX);
  node->code_bytes = (uint32_t)number_between(arguments, "code_bytes", 0, MOST_CODE_BYTES);
  node->always_whole = number_between(arguments, "always_whole", 0, 1);
  node->target.most_depth = MOST_DEPTH;
  node->isa = read_csr(misa);
  if (!number_between(arguments, "compressed", 0, 1)) node->isa &= ~(uint64_t)ISA_C;
}

static struct test test;

int main(int hart, const struct arguments *arguments) {
  (void)hart;
  read_settings(&test, arguments);
  wire_start(&test.node.wire, mac_argument(arguments, "first"), (unsigned)test.servers + 1);
  set_up(&test.node);
  if (argument_is(arguments, "role", "client")) {
    be_client(&test, arguments);
  } else {
    be_server(&test);
  }
  inject_report(&test.node);
  return 0;
}
