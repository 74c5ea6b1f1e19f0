// SPDX-License-Identifier: BSD-3-Clause
// By Etherbone on UDP: "ethernet": {"address": "192.168.1.50", "port": 1234}.
#include "hostlib/etherbone_function.h"
#include "hostlib/udp_line.h"
#include "hostlib/ways/way.h"
#include "hostlib/window_platform.h"

namespace firesim::hostlib {

namespace {

OpenBoard read_ethernet(devices::Config &board) {
  const std::string address = board.required_text("address");
  const auto port = static_cast<uint16_t>(board.required_integer("port", 1, UINT16_MAX));
  return said_of_node([address, port] {
    auto line = std::make_unique<UdpLine>(address, port);
    return std::make_unique<WindowPlatform>(std::make_unique<EtherboneFunction>(std::move(line)));
  });
}

}  // namespace

void register_ethernet(Ways &ways) { ways["ethernet"] = read_ethernet; }

}  // namespace firesim::hostlib
