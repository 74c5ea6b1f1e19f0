// SPDX-License-Identifier: BSD-3-Clause
// Makes bridge drivers by kind; see driver_registry.h.
#include "bridges/driver_registry.h"

#include <fmt/format.h>

#include <algorithm>

namespace firesim::bridges {

void DriverRegistry::add(const std::string &kind, DriverFactory factory) {
  if (!factories_.emplace(kind, std::move(factory)).second) {
    throw ConfigError(fmt::format("found a second driver of bridges of kind '{}'", kind));
  }
}

std::vector<std::string> DriverRegistry::kinds() const {
  std::vector<std::string> found;
  for (const auto &[kind, factory] : factories_) found.push_back(kind);
  return found;
}

void DriverRegistry::check(const std::vector<BridgeInfo> &bridges, Config &settings,
                           const std::string &node) const {
  std::vector<std::string> present;
  for (const BridgeInfo &bridge : bridges) {
    const bool again = std::find(present.begin(), present.end(), bridge.kind) != present.end();
    if (again && !bridge.several && links_.count(bridge.kind) == 0) {
      throw ConfigError(
          fmt::format("{}: the model has more than one {} bridge, the second at {}, expected one, "
                      "since the declaration of {} does not say \"several: true\"",
                      node, bridge.kind, bridge.path, bridge.module));
    }
    if (!again) present.push_back(bridge.kind);
  }
  for (const std::string &kind : kinds()) {
    if (!settings.has(kind.c_str())) continue;
    if (std::find(present.begin(), present.end(), kind) != present.end()) continue;
    settings.fail(kind, fmt::format("only bridges that the model has ({})", join_names(present)));
  }
}

std::unique_ptr<Driver> DriverRegistry::make(const DriverContext &context) const {
  const BridgeInfo &bridge = context.bridge;
  const auto factory = factories_.find(bridge.kind);
  if (factory == factories_.end()) {
    throw ConfigError(fmt::format("{}: bridge {} ({}) is of unknown kind '{}', nearest is '{}'",
                                  context.node, bridge.path, bridge.module, bridge.kind,
                                  nearest_name(bridge.kind, kinds())));
  }
  return factory->second(context);
}

}  // namespace firesim::bridges
