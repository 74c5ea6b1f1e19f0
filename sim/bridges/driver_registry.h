// SPDX-License-Identifier: BSD-3-Clause
// Makes bridge drivers by kind.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "bridges/driver.h"

namespace firesim::bridges {

using DriverFactory = std::function<std::unique_ptr<Driver>(const DriverContext &)>;

class DriverRegistry {
 public:
  // Adds the driver T of a kind, made from a DriverContext. Throws ConfigError when there is one.
  template <typename T>
  void add(const std::string &kind) {
    add(kind, [](const DriverContext &context) { return std::make_unique<T>(context); });
    if (std::is_base_of_v<LinkDriver, T>) links_.insert(kind);
  }
  void add(const std::string &kind, DriverFactory factory);

  std::vector<std::string> kinds() const;
  // Throws ConfigError when a kind is there more often than its declaration lets it, or when
  // `settings` has a section for a kind that is not among `bridges`. `node` starts messages. A
  // blade may have any number of links, so that there may be more than one of their kinds.
  void check(const std::vector<BridgeInfo> &bridges, Config &settings,
             const std::string &node) const;
  // Makes the driver of `context.bridge`. Throws ConfigError for a kind without a driver, naming
  // the nearest one that has.
  std::unique_ptr<Driver> make(const DriverContext &context) const;

 private:
  std::map<std::string, DriverFactory> factories_;
  std::set<std::string> links_;  // kinds that are ends of links
};

// Adds the driver of every folder here that has a bridge.yaml.
void register_stock_drivers(DriverRegistry &registry);

}  // namespace firesim::bridges
