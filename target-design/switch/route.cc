// SPDX-License-Identifier: BSD-3-Clause
//
// Where frames go by their addresses; see route.h.
#include "switch/route.h"

#include <numeric>

namespace firesim {

SwitchConfig with_flood_ports(SwitchConfig config) {
  if (config.flood_ports.empty()) {
    config.flood_ports.resize(config.ports.size());
    std::iota(config.flood_ports.begin(), config.flood_ports.end(), 0u);
  }
  return config;
}

bool route_by_address(const SwitchConfig &config, const MacTable &table, uint64_t mac,
                      uint32_t ingress, std::vector<uint32_t> &outputs) {
  if ((mac & 1) != 0) {  // broadcast and multicast
    for (const uint32_t port : config.flood_ports) {
      if (port != ingress) outputs.push_back(port);
    }
    return true;
  }
  if (const uint32_t port = table.find(mac); port != MacTable::kUnknown) {
    outputs.push_back(port);
    return true;
  }
  if (!config.default_port || *config.default_port == ingress) return false;
  outputs.push_back(*config.default_port);
  return true;
}

}  // namespace firesim
