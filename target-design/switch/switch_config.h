// SPDX-License-Identifier: BSD-3-Clause
//
// Configuration of a switch, as read from its entry in the simulation description.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/registry.h"

namespace firesim {

inline constexpr uint32_t kMaxSwitchPorts = 4096;
inline constexpr uint32_t kMaxFrameBytes = 9216;  // with the two pad bytes
inline constexpr uint32_t kFlitBytes = 8;

struct SwitchPortConfig {
  uint64_t buffer_bytes = 512 * 1024;  // output queue; a packet that does not fit is dropped
  // Output bandwidth: at most `rate_increment` flits in each window of `rate_period` cycles; the
  // windows start at multiples of `rate_period`.
  uint32_t rate_increment = 1;
  uint32_t rate_period = 1;
};

// Which packets a capture holds: as they come in, as they leave, or both.
enum class CaptureSide : uint32_t { kInbound = 1, kOutbound = 2, kBoth = 3 };

struct MacEntry {
  uint64_t mac = 0;  // byte 0 of the address in bits 7:0
  uint32_t port = 0;
};

struct SwitchConfig {
  std::string name;
  uint64_t clock_hz = 3'200'000'000;
  uint32_t switching_latency_cycles = 10;  // minimum, port to port
  uint32_t min_packet_flits = 1;           // shorter packets are runts
  uint32_t max_packet_bytes = kMaxFrameBytes;
  CaptureSide capture_side = CaptureSide::kBoth;
  std::vector<SwitchPortConfig> ports;
  std::vector<MacEntry> mac_table;
  std::optional<uint32_t> default_port;  // for unknown unicast addresses; none: they are dropped
  // Where broadcasts go, apart from where they came from; empty for all ports. In a network with
  // loops, a spanning tree.
  std::vector<uint32_t> flood_ports;

  std::string capture_file;  // paths; empty for none
  std::string statistics_file;
  std::string throughput_file;
  std::string histograms_file;
  uint64_t throughput_interval_cycles = 0;
};

// Reads and checks an entry of "switches"; makes the folders of the files to be written. Throws
// DescriptionError.
SwitchConfig read_switch_config(const nlohmann::json &entry, const SimulationContext &context);

}  // namespace firesim
