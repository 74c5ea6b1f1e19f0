// SPDX-License-Identifier: BSD-3-Clause
// A service of compressed Protobuf messages over raw Ethernet, and clients that load it.
#include "runtime.h"
#include "service.h"
#include "steps.h"

const struct format *chosen_format(const struct arguments *arguments) {
  require_choice(arguments, "format", "snappy zstd");
  return argument_is(arguments, "format", "zstd") ? &zstd_format : &snappy_format;
}

int main(int hart, const struct arguments *arguments) {
  (void)hart;
  struct net net;
  require_choice(arguments, "role", "client server");
  net_start(&net, arguments);
  if (argument_is(arguments, "role", "server")) {
    run_server(&net, arguments);
  } else {
    net.peer = mac_argument(arguments, "peer");
    run_client(&net, arguments);
  }
  return 0;
}
