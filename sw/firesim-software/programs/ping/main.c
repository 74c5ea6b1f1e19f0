// SPDX-License-Identifier: BSD-3-Clause
// Round trips over raw Ethernet: the client pings, the server answers until it is told to end.
#include "net.h"
#include "runtime.h"

static int serve(struct net *net, uint64_t bytes) {
  for (uint64_t answered = 0;; answered++) {
    struct frame *frame = net_receive(net);
    if (frame_kind(frame) == MESSAGE_BYE) {
      print("answered pings=%lu\n", answered);
      return 0;
    }
    if (frame_kind(frame) != MESSAGE_PING) fail("found a message of kind %lu", frame->kind);
    ping_answer(net, frame, bytes);
  }
}

int main(int hart, const struct arguments *arguments) {
  (void)hart;
  struct net net;
  require_choice(arguments, "role", "client server");
  const uint64_t bytes = number_argument(arguments, "size");
  net_start(&net, arguments);
  print("polling_period_cycles=%lu\n", net_polling_period_cycles(&net));
  if (argument_is(arguments, "role", "server")) return serve(&net, bytes);
  net.peer = mac_argument(arguments, "peer");
  ping_client(&net, number_argument(arguments, "count"), bytes);
  net_send(&net, MESSAGE_BYE, 0, 0);
  return 0;
}
