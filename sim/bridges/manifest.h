// SPDX-License-Identifier: BSD-3-Clause
// model.json: what Golden Gate says about a compiled model (docs/reference/interfaces.md, 3).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace firesim::bridges {

struct BridgeInfo {
  std::string kind;    // "nic"
  std::string module;  // "FireSimNICBridge"
  std::string path;    // place in the design, "blade.nic_bridge"
  std::map<std::string, uint64_t> parameters;
  std::map<std::string, std::string> ports;  // name in the bridge -> name of the model's port
};

struct CounterInfo {
  std::string name;
  std::string description;
  std::string port;
};

struct AssertInfo {
  uint32_t bit;
  std::string message;
  std::string source;  // "file:line"
};

struct Manifest {
  std::string top;
  std::string design_hash;
  std::vector<BridgeInfo> bridges;
  std::vector<CounterInfo> counters;
  std::vector<AssertInfo> asserts;
  std::string assert_port;  // empty when the design has no asserts
  std::string reset;

  // Throws ConfigError when the file is unreadable or not a model manifest of version 1.
  static Manifest read(const std::filesystem::path& file);
};

}  // namespace firesim::bridges
