// SPDX-License-Identifier: BSD-3-Clause
// A sender, and a counter whose NIC has a HyperLogLog unit. The counter tells the estimate, and
// sends the unit's registers back.
#include "digest.h"
#include "hll.h"
#include "net.h"
#include "packets.h"
#include "runtime.h"

enum { PART_BYTES = 8192, PARTS = HLL_REGISTERS / PART_BYTES, MOST_KEYS = 1 << 24 };
static const uint64_t speed_bytes[] = {64, 128, 256, 512, 1024, 1408};
enum { SIZES = sizeof speed_bytes / sizeof *speed_bytes };
// How packets are treated while their speed is measured: each not counted, then counted. The first
// one loads the sender's caches.
static const uint32_t speed_controls[] = {
    HLL_LOOK,
    HLL_LOOK,
    HLL_LOOK | HLL_COUNT,
    HLL_LOOK | HLL_CONSUME,
    HLL_LOOK | HLL_COUNT | HLL_CONSUME,
};
enum { CONTROLS = sizeof speed_controls / sizeof *speed_controls };

static struct frame *expect(struct net *net, enum message_kind kind) {
  struct frame *frame = net_receive(net);
  if (frame_kind(frame) != kind) fail("hll: found message %lu, expected %d", frame->kind, kind);
  return frame;
}

static void send_keys(struct packets *packets, struct keys *keys, uint64_t count,
                      uint64_t payload_bytes) {
  while (count) {
    const uint64_t here = count < payload_bytes / 4 ? count : payload_bytes / 4;
    uint32_t *payload = packet_payload(packets, 4 * here);
    for (uint64_t i = 0; i < here; i++) payload[i] = next_key(keys);
    packet_queue(packets, 4 * here);
    count -= here;
  }
  packets_drain(packets);
}

static void send_all(struct net *net, struct packets *packets, struct keys *keys,
                     const struct arguments *arguments) {
  const uint64_t count = number_between(arguments, "count", 1, MOST_KEYS);
  const uint64_t bytes = number_between(arguments, "bytes", 4, MOST_PAYLOAD_BYTES) / 4 * 4;
  net_send(net, MESSAGE_START, 0, 0);
  expect(net, MESSAGE_READY);
  send_keys(packets, keys, count, bytes);
  net_send(net, MESSAGE_BYE, 0, 0);
  for (uint64_t i = 0; i < PARTS; i++) {
    if (expect(net, MESSAGE_DATA)->number != i) fail("hll: registers came in another order");
  }
  print("hll sent=%lu\n", count);
}

// Packets whose keys do not change, so that sending one takes few cycles.
static void send_sizes(struct net *net, struct packets *packets, struct keys *keys,
                       uint64_t count) {
  for (int size = 0; size < SIZES; size++) {
    const uint64_t bytes = speed_bytes[size];
    packets_drain(packets);
    packets->queued = packets->sent = 0;
    for (uint64_t i = 0; i < POOL; i++) {
      uint32_t *payload = packet_payload(packets, bytes);
      for (uint64_t word = 0; word < bytes / 4; word++) payload[word] = next_key(keys);
      packets->queued = packets->sent = i + 1;  // prepared, not sent
    }
    for (int control = 0; control < CONTROLS; control++) {
      net_send(net, MESSAGE_START, bytes, speed_controls[control]);
      expect(net, MESSAGE_READY);
      for (uint64_t i = 0; i < count; i++) packet_queue(packets, bytes);
      packets_drain(packets);
      net_send(net, MESSAGE_BYE, 0, control > 0);
    }
  }
}

static void count_keys(struct net *net, const struct hll *hll, bool consume) {
  uint8_t *registers = firesim_heap(HLL_REGISTERS);
  uint32_t ranks[HLL_RANKS];
  expect(net, MESSAGE_START);
  hll_control(hll, HLL_LOOK | HLL_COUNT | (consume ? HLL_CONSUME : 0));
  net_send(net, MESSAGE_READY, 0, 0);
  expect(net, MESSAGE_BYE);
  hll_control(hll, HLL_OFF);
  hll_read(hll, registers);
  const struct hll_counters counters = hll_counters(hll);
  struct frame *part = firesim_heap(FRAME_HEAD_BYTES + PART_BYTES);
  net_address(net, part, MESSAGE_DATA);
  for (uint64_t i = 0; i < PARTS; i++) {
    part->number = i;
    nic_send_piece(part, FRAME_HEAD_BYTES, true);
    nic_send_piece(registers + PART_BYTES * i, PART_BYTES, false);
    for (int piece = 0; piece < 2; piece++) {
      while (!nic_pop_sent()) continue;
    }
  }
  hll_ranks(registers, ranks);
  print("hll lanes=%u packets=%u keys=%lu cycles=%lu dropped=%u\n", hll->lanes, counters.packets,
        counters.keys, counters.cycles, nic_drops());
  print("hll estimate=%lu empty=%u digest=%lx\n", hll_estimate(ranks), ranks[0],
        digest(registers, HLL_REGISTERS));
}

static void measure(struct net *net, const struct hll *hll) {
  for (int jobs = SIZES * CONTROLS; jobs; jobs--) {
    const struct frame *start = expect(net, MESSAGE_START);
    const uint64_t bytes = start->number;
    const uint32_t control = (uint32_t)start->extra;
    hll_clear(hll);
    hll_control(hll, control);
    net_send(net, MESSAGE_READY, 0, 0);
    const bool measured = expect(net, MESSAGE_BYE)->extra != 0;
    hll_control(hll, HLL_OFF);
    const struct hll_counters counters = hll_counters(hll);
    if (!measured) continue;
    print("hll speed bytes=%lu consume=%d count=%d packets=%u keys=%lu cycles=%lu\n", bytes,
          control & HLL_CONSUME ? 1 : 0, control & HLL_COUNT ? 1 : 0, counters.packets,
          counters.keys, counters.cycles);
  }
}

int main(int hart, const struct arguments *arguments) {
  (void)hart;
  struct net net;
  require_choice(arguments, "role", "sender counter");
  require_choice(arguments, "mode", "count speed");
  require_choice(arguments, "keys", "sequence random");
  const bool speed = argument_is(arguments, "mode", "speed");
  const uint16_t port = (uint16_t)number_between(arguments, "port", 1, 65535);
  net_start(&net, arguments);
  net.peer = mac_argument(arguments, "peer");
  if (argument_is(arguments, "role", "counter")) {
    const struct hll hll = hll_start();
    hll_set_port(&hll, port);
    if (speed) {
      measure(&net, &hll);
    } else {
      count_keys(&net, &hll, number_between(arguments, "consume", 0, 1) != 0);
    }
    return 0;
  }
  struct packets packets;
  packets_start(&packets, &net, port);
  struct keys keys = {.random = argument_is(arguments, "keys", "random"),
                      .distinct = number_argument(arguments, "distinct")};
  keys.next = number_argument(arguments, keys.random ? "seed" : "first");
  if (speed) {
    send_sizes(&net, &packets, &keys, number_between(arguments, "packets", 2, 48));
  } else {
    send_all(&net, &packets, &keys, arguments);
  }
  return 0;
}
