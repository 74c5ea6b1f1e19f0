// SPDX-License-Identifier: BSD-3-Clause
//
// Where frames go by their addresses: the same in every switch that asks no other question.
#pragma once

#include <cstdint>
#include <vector>

#include "switch/mac_table.h"
#include "switch/switch_config.h"

namespace firesim {

// The configuration with broadcasts to all ports, where it names none.
SwitchConfig with_flood_ports(SwitchConfig config);

// Appends the ports for a destination address to `outputs`, never `ingress` for a broadcast or the
// default port. Returns false if the destination is unknown. `config` has its flood ports.
bool route_by_address(const SwitchConfig &config, const MacTable &table, uint64_t mac,
                      uint32_t ingress, std::vector<uint32_t> &outputs);

}  // namespace firesim
