// SPDX-License-Identifier: BSD-3-Clause
// Makes bridge drivers by kind.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bridges/driver.h"

namespace firesim::bridges {

using DriverFactory = std::function<std::unique_ptr<Driver>(const DriverContext&)>;

class DriverRegistry {
 public:
  // Adds the driver T of a kind, made from a DriverContext. Throws ConfigError when there is one.
  template <typename T>
  void add(const std::string& kind) {
    add(kind, [](const DriverContext& context) { return std::make_unique<T>(context); });
  }
  void add(const std::string& kind, DriverFactory factory);

  bool has(const std::string& kind) const { return factories_.count(kind) != 0; }
  std::vector<std::string> kinds() const;
  // Makes the driver of `context.bridge`. Throws ConfigError for a kind without a driver, naming
  // the nearest one that has.
  std::unique_ptr<Driver> make(const DriverContext& context) const;

 private:
  std::map<std::string, DriverFactory> factories_;
};

// Adds the driver of every folder here that has a bridge.yaml.
void register_stock_drivers(DriverRegistry& registry);

}  // namespace firesim::bridges
