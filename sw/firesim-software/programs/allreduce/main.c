// SPDX-License-Identifier: BSD-3-Clause
// Ring all-reduce of random vectors: some reductions to warm up, then one that all begin in the
// same cycle. The reference in Python draws the same vectors, and prints the same digest.
#include "allreduce.h"
#include "net.h"
#include "rdma_messages.h"
#include "runtime.h"

enum { MOST_BYTES = 8 << 20, MOST_SEGMENT = 1 << 20 };
enum { COUNTER_SENT = 0, COUNTER_RECEIVED = 1, COUNTER_WENT_BACK = 4, COUNTER_TIMED_OUT = 5 };

// All begin in the same cycle: a frame goes round when all are ready, one to measure how long that
// takes, and one with a cycle that it reaches all before. Cores that do not sleep count alike.
static uint64_t begin_together(struct net *net, unsigned rank) {
  uint64_t start = 0;
  for (unsigned round = 0; round < 3; round++) {
    if (rank != 0) start = net_receive(net)->number;
    const uint64_t begun = cycles();
    net_send(net, MESSAGE_START, start, 0);
    if (rank != 0) continue;
    net_receive(net);
    if (round == 1) start = cycles() + 2 * (cycles() - begun);
  }
  if (cycles() > start) fail("allreduce: ready only at cycle %lu, expected %lu", cycles(), start);
  while (cycles() < start) continue;
  return start;
}

static struct allreduce ring;

static void report(const struct allreduce_cycles *before, uint64_t start, uint64_t end) {
  const struct allreduce_cycles *after = &ring.cycles;
  const struct rdma *rdma = &ring.rdma;
  print("allreduce start=%lu end=%lu adding=%lu posting=%lu total=%lu\n", start, end,
        after->adding - before->adding, after->posting - before->posting,
        after->total - before->total);
  print("allreduce sent=%u received=%u went_back=%u timed_out=%u\n",
        rdma_counter(rdma, COUNTER_SENT), rdma_counter(rdma, COUNTER_RECEIVED),
        rdma_counter(rdma, COUNTER_WENT_BACK), rdma_counter(rdma, COUNTER_TIMED_OUT));
  print("allreduce sum=%lx\n", rdma_digest(ring.settings.data, ring.settings.shape.bytes));
}

static enum allreduce_way way_of(const struct arguments *arguments) {
  require_choice(arguments, "way", "core offloaded sequenced");
  if (argument_is(arguments, "way", "core")) return ALLREDUCE_BY_CORE;
  return argument_is(arguments, "way", "offloaded") ? ALLREDUCE_OFFLOADED : ALLREDUCE_SEQUENCED;
}

static struct allreduce_settings read_settings(const struct arguments *arguments) {
  require_choice(arguments, "type", "int32 fp32");
  const uint64_t bytes = number_between(arguments, "bytes", 8, MOST_BYTES);
  return (struct allreduce_settings){
      .shape = ring_shape((unsigned)number_between(arguments, "nodes", 2, 64), bytes,
                          number_between(arguments, "segment", 8, MOST_SEGMENT)),
      .rank = (unsigned)number_between(arguments, "rank", 0, 63),
      .next_mac = mac_argument(arguments, "next"),
      .previous_mac = mac_argument(arguments, "previous"),
      .type = argument_is(arguments, "type", "fp32") ? RING_FP32 : RING_INT32,
      .way = way_of(arguments),
      .data = firesim_heap(bytes),
      .window = (unsigned)number_between(arguments, "window", 2, 4096),
      .mtu = (unsigned)number_between(arguments, "mtu", 256, 4096),
      .timeout_code = (unsigned)number_between(arguments, "timeout", 0, 31),
      .polls = number_argument(arguments, "polls"),
  };
}

int main(int hart, const struct arguments *arguments) {
  (void)hart;
  const struct allreduce_settings settings = read_settings(arguments);
  struct net net;
  net_start(&net, arguments);
  net.peer = settings.next_mac;
  allreduce_start(&ring, &settings);
  ring_fill(settings.data, settings.shape.bytes, number_argument(arguments, "seed") + settings.rank,
            settings.type);
  begin_together(&net, settings.rank);
  const uint64_t warm = number_between(arguments, "warm", 0, 64);
  for (uint64_t i = 0; i < warm; i++) allreduce_run(&ring);
  const struct allreduce_cycles before = ring.cycles;
  const uint64_t start = begin_together(&net, settings.rank);
  allreduce_run(&ring);
  const uint64_t end = cycles();
  full_fence();
  report(&before, start, end);
  return 0;
}
