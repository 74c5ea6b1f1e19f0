// SPDX-License-Identifier: BSD-3-Clause
// Round trips, timed from the request to send to the completion of the answer.
#include "console.h"
#include "net.h"
#include "nic.h"

enum { PINGS_MAX = 1024 };

static uint64_t ping_once(struct net *net, uint64_t sequence, uint64_t bytes) {
  struct frame *frame = net->outbox;
  net_address(net, frame, MESSAGE_PING);
  frame->number = sequence;
  frame->extra = ~sequence;
  nic_post_receive(net->inbox);
  const uint64_t begin = cycles();
  nic_send_piece(frame, bytes, false);
  const uint32_t received = net_wait(net, "answer to a ping");
  const uint64_t round_trip = cycles() - begin;
  while (!nic_pop_sent()) continue;
  const struct frame *answer = net->inbox;
  if (frame_kind(answer) != MESSAGE_PONG || answer->number != sequence ||
      answer->extra != ~sequence || received != ((bytes + 7) & ~7UL)) {
    fail("ping %lu: found a frame of kind %lu, number %lu, %u bytes", sequence, answer->kind,
         answer->number, received);
  }
  net->peer = frame_source(answer);
  return round_trip;
}

void ping_client(struct net *net, uint64_t count, uint64_t bytes) {
  if (count > PINGS_MAX) fail("count=%lu, expected at most %d", count, PINGS_MAX);
  if (bytes < FRAME_HEAD_BYTES || bytes > nic_max_frame_bytes()) {
    fail("size=%lu, expected %d to %u", bytes, FRAME_HEAD_BYTES, nic_max_frame_bytes());
  }
  uint64_t *round_trips = firesim_heap(count * sizeof *round_trips);
  // Printed afterwards, so that the console does not come between two pings.
  for (uint64_t i = 0; i < count; i++) round_trips[i] = ping_once(net, i + 1, bytes);
  for (uint64_t i = 0; i < count; i++) {
    print("ping seq=%lu rtt_cycles=%lu\n", i + 1, round_trips[i]);
  }
}

void ping_answer(struct net *net, struct frame *frame, uint64_t bytes) {
  net->peer = frame_source(frame);
  net_address(net, frame, MESSAGE_PONG);
  nic_send_piece(frame, bytes, false);
  while (!nic_pop_sent()) continue;
}
