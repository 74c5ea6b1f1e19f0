// SPDX-License-Identifier: BSD-3-Clause
// What each bridge of a blade is told: bridges of a kind share one section of the node's settings,
// or the section is a list with an entry for each of them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bridges/manifest.h"
#include "devices/config.h"

namespace firesim::bridges {

struct ToldBridge {
  nlohmann::json settings;
  std::string where;  // start of error messages, "node0: bridges.nic[1]"
  size_t place = 0;   // among the bridges of its kind
  size_t of = 1;      // as many bridges of its kind
};

// The section of `bridge`, one of `bridges`. An entry of a list is of the bridge whose path its key
// "bridge" says. Without such keys, and without a list, the places of bridges are in the order of
// their paths, a shorter one first, so that nic2 comes before nic10. Throws ConfigError for a list
// that does not fit the bridges.
ToldBridge told_bridge(const BridgeInfo &bridge, const std::vector<BridgeInfo> &bridges,
                       devices::Config &settings);

}  // namespace firesim::bridges
