// SPDX-License-Identifier: BSD-3-Clause
// Many senders that enter one after another, at given cycles and rates, to load a switch. Nothing
// is acknowledged: receivers count what arrives and keep buffers posted, until a given cycle.
#include "net.h"
#include "nic.h"
#include "runtime.h"

static int send(struct net *net, const struct arguments *arguments, uint64_t size) {
  const uint64_t start = number_argument(arguments, "start");
  const uint64_t end = number_argument(arguments, "end");
  const uint64_t period = number_argument(arguments, "rate_period");
  struct sender sender;
  net->peer = mac_argument(arguments, "peer");
  if (period) nic_rate(number_argument(arguments, "rate_increment"), period);
  sender_prepare(&sender, net, size);
  const uint64_t ready = cycles();
  if (ready > start) fail("start=%lu, but ready only at cycle %lu", start, ready);
  while (cycles() < start) continue;
  while (cycles() < end) sender_queue(&sender);
  sender_drain(&sender);
  print("sent frames=%lu bytes=%lu start=%lu end=%lu\n", sender.queued, sender.queued * size, start,
        cycles());
  return 0;
}

static int receive(const struct arguments *arguments) {
  const uint64_t end = number_argument(arguments, "end");
  const uint64_t stride = nic_max_frame_bytes();
  char *buffers = firesim_heap(NIC_QUEUE_DEPTH * stride);
  uint64_t frames = 0;
  uint64_t bytes = 0;
  for (uint64_t i = 0; i < NIC_QUEUE_DEPTH; i++) nic_post_receive(buffers + i * stride);
  while (cycles() < end) {
    const uint32_t length = nic_pop_received();
    if (!length) continue;
    nic_post_receive(buffers + frames++ % NIC_QUEUE_DEPTH * stride);
    bytes += length;
  }
  print("received frames=%lu bytes=%lu drops=%u end=%lu\n", frames, bytes, nic_drops(), cycles());
  return 0;
}

int main(int hart, const struct arguments *arguments) {
  (void)hart;
  struct net net;
  require_choice(arguments, "role", "sender receiver idle");
  if (argument_is(arguments, "role", "idle")) return 0;
  if (argument_is(arguments, "role", "receiver")) return receive(arguments);
  net.own = nic_mac();
  return send(&net, arguments, number_argument(arguments, "size"));
}
