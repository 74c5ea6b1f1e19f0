// SPDX-License-Identifier: BSD-3-Clause
// Makes bridge drivers by kind; see driver_registry.h.
#include "bridges/driver_registry.h"

#include <fmt/format.h>

namespace firesim::bridges {

void DriverRegistry::add(const std::string& kind, DriverFactory factory) {
  if (!factories_.emplace(kind, std::move(factory)).second) {
    throw ConfigError(fmt::format("found a second driver of bridges of kind '{}'", kind));
  }
}

std::vector<std::string> DriverRegistry::kinds() const {
  std::vector<std::string> found;
  for (const auto& [kind, factory] : factories_) found.push_back(kind);
  return found;
}

std::unique_ptr<Driver> DriverRegistry::make(const DriverContext& context) const {
  const BridgeInfo& bridge = context.bridge;
  const auto factory = factories_.find(bridge.kind);
  if (factory == factories_.end()) {
    throw ConfigError(fmt::format("{}: bridge {} ({}) is of unknown kind '{}', nearest is '{}'",
                                  context.node, bridge.path, bridge.module, bridge.kind,
                                  nearest_name(bridge.kind, kinds())));
  }
  return factory->second(context);
}

}  // namespace firesim::bridges
