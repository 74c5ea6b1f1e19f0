// SPDX-License-Identifier: BSD-3-Clause
// By the devices of AMD's driver: "xdma_card": {"device": "/dev/xdma0", "slot": 0}.
#include "hostlib/ways/way.h"
#include "hostlib/xdma_platform.h"

namespace firesim::hostlib {

namespace {

OpenBoard read_xdma_card(devices::Config &card) {
  const std::string device = card.required_text("device");
  const auto slot = static_cast<uint32_t>(card.integer("slot", 0, 0, kMostXdmaBlades - 1));
  return said_of_node(
      [device, slot] { return std::make_unique<XdmaPlatform>(open_xdma_card(device, slot)); });
}

}  // namespace

void register_xdma(Ways &ways) { ways["xdma_card"] = read_xdma_card; }

}  // namespace firesim::hostlib
