// SPDX-License-Identifier: BSD-3-Clause
// A stream at full rate from a sender to a receiver, which checks every byte and reports back.
#include "net.h"
#include "nic.h"
#include "runtime.h"

static int receive(struct net *net) {
  const struct frame *start = net_receive(net);
  if (frame_kind(start) != MESSAGE_START) fail("found a message of kind %lu", start->kind);
  return stream_receive(net, start) ? 1 : 0;
}

int main(int hart, const struct arguments *arguments) {
  (void)hart;
  struct net net;
  require_choice(arguments, "role", "sender receiver");
  net_start(&net, arguments);
  if (argument_is(arguments, "role", "receiver")) return receive(&net);
  const uint64_t period = number_argument(arguments, "rate_period");
  if (period) nic_rate(number_argument(arguments, "rate_increment"), period);
  net.peer = mac_argument(arguments, "peer");
  const struct stream stream = {number_argument(arguments, "bytes"),
                                number_argument(arguments, "size")};
  return stream_send(&net, stream) ? 1 : 0;
}
