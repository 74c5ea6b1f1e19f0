// SPDX-License-Identifier: BSD-3-Clause
//
// A gateway's entry in the simulation description (docs/reference/interfaces/gateway.md).
#pragma once

#include <netinet/in.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/registry.h"

namespace firesim {

// Longest the gateway sleeps within one advance, so that a stop has not long to wait.
inline constexpr double kMostSleepS = 0.05;

// A port of the host that leads to a port of a node.
struct ForwardConfig {
  std::string name;
  std::string node;  // name of the node, for whoever reads the status file; may be empty
  std::string host;  // address listened on
  in_addr host_address{};
  uint16_t host_port = 0;  // 0 = any free one
  std::string ip;
  in_addr guest_address{};
  uint16_t port = 0;
};

struct GatewayConfig {
  std::string where;  // names the entry in messages
  std::string name;
  uint64_t mac = 0;  // byte 0 of the address in bits 7:0
  std::string ip;    // without the length of the network
  in_addr address{};
  in_addr netmask{};
  bool is_tap = false;
  std::string device;  // of tap mode
  std::vector<ForwardConfig> forwards;
  bool outgoing = false;
  std::filesystem::path status;  // empty: none is written
  uint64_t poll_cycles = 0;
  double real_time_ratio = 0;  // 0 = no limit
  uint64_t clock_hz = 0;
};

// Throws DescriptionError.
GatewayConfig read_gateway_config(const nlohmann::json &entry, const SimulationContext &context);

}  // namespace firesim
