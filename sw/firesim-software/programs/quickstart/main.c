// SPDX-License-Identifier: BSD-3-Clause
// What `firesim quickstart` runs: the client pings the server, then streams to it at full rate.
#include "net.h"
#include "runtime.h"

static int serve(struct net *net, uint64_t bytes) {
  for (uint64_t answered = 0;; answered++) {
    struct frame *frame = net_receive(net);
    if (frame_kind(frame) == MESSAGE_START) {
      print("answered pings=%lu\n", answered);
      return stream_receive(net, frame) ? 1 : 0;
    }
    if (frame_kind(frame) != MESSAGE_PING) fail("found a message of kind %lu", frame->kind);
    ping_answer(net, frame, bytes);
  }
}

int main(int hart, const struct arguments *arguments) {
  (void)hart;
  struct net net;
  require_choice(arguments, "role", "client server");
  const uint64_t ping_bytes = number_argument(arguments, "ping_size");
  net_start(&net, arguments);
  print("polling_period_cycles=%lu\n", net_polling_period_cycles(&net));
  if (argument_is(arguments, "role", "server")) return serve(&net, ping_bytes);
  net.peer = mac_argument(arguments, "peer");
  ping_client(&net, number_argument(arguments, "count"), ping_bytes);
  const struct stream stream = {number_argument(arguments, "bytes"),
                                number_argument(arguments, "size")};
  return stream_send(&net, stream) ? 1 : 0;
}
