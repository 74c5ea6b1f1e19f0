// SPDX-License-Identifier: BSD-3-Clause
// Bridge drivers of the user's own, in a shared object: what its source includes, and how it is
// loaded. docs/how-to/write-a-bridge.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <string>

#include "bridges/driver.h"
#include "bridges/driver_registry.h"

namespace firesim::bridges {

// What a library and the simulator that loads it must agree on.
struct DriverAbi {
  uint32_t version;  // counts changes of the interface
  uint32_t layout;   // of its classes, as the compiler and these headers have them
};

constexpr uint32_t layout_of(std::initializer_list<size_t> facts) {
  uint32_t hash = 2166136261u;
  for (const size_t fact : facts) hash = (hash ^ static_cast<uint32_t>(fact)) * 16777619u;
  return hash;
}

// What GCC and clang call their ABI: the thousands are what both keep to, the rest differs by
// compiler.
inline constexpr size_t kCxxAbi = __GXX_ABI_VERSION / 1000;

inline constexpr DriverAbi kDriverAbi{
    5, layout_of({kCxxAbi, sizeof(std::string), sizeof(nlohmann::json), sizeof(Driver),
                  sizeof(LinkDriver), sizeof(DriverContext), sizeof(BladeStatus),
                  sizeof(BridgeInfo), sizeof(Config), sizeof(InputPort), sizeof(OutputPort),
                  sizeof(InputQueue), sizeof(SimulationContext), sizeof(StateWriter),
                  sizeof(StateReader), sizeof(Batch)})};

// Loads the shared object at `path` and lets it add its drivers; it stays loaded. Throws
// ConfigError, starting with `where`, when it is no such library or was built for another
// simulator.
void load_driver_library(const std::filesystem::path &path, const std::string &where,
                         DriverRegistry &registry);

}  // namespace firesim::bridges

// Begins the function with which a library adds its drivers:
//   FIRESIM_DRIVER_LIBRARY(registry) { registry.add<MyDriver>("my_kind"); }
#define FIRESIM_DRIVER_LIBRARY(registry)                                 \
  extern "C" void firesim_driver_abi(firesim::bridges::DriverAbi *abi) { \
    *abi = firesim::bridges::kDriverAbi;                                 \
  }                                                                      \
  extern "C" void firesim_register_drivers(firesim::bridges::DriverRegistry &registry)
