// SPDX-License-Identifier: BSD-3-Clause
// By a PCI function in the shell of F2: "pci_function": {"device": "/sys/bus/pci/devices/...",
// "id": "1d0f:f000", "slot": 0}.
#include "hostlib/ways/way.h"
#include "hostlib/window_platform.h"

namespace firesim::hostlib {

namespace {

OpenBoard read_pci_function(devices::Config &function) {
  const std::string device = function.required_text("device");
  const std::string id = function.required_text("id");
  const auto slot = static_cast<uint32_t>(function.integer("slot", 0, 0, kMostWindows - 1));
  return said_of_node([device, needs = window_needs(id, slot)] {
    return std::make_unique<WindowPlatform>(open_pci_function(device, needs));
  });
}

}  // namespace

void register_f2(Ways &ways) { ways["pci_function"] = read_pci_function; }

}  // namespace firesim::hostlib
