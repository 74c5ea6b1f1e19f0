// SPDX-License-Identifier: BSD-3-Clause
// The ways by which a host reaches a board: each NAME.cc beside is a way, found by CMake, and adds
// itself under the key by which a node's description names it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

#include "devices/config.h"
#include "hostlib/platform.h"

namespace firesim::hostlib {

// Opens a board for a node's target; what is wrong begins with `where`, which names the node.
// Throws DescriptionError.
using OpenBoard = std::function<std::unique_ptr<HostPlatform>(const std::string &where)>;

// Reads the settings of a way, without a look at the board. Throws ConfigError.
using ReadWay = OpenBoard (*)(devices::Config &settings);

using Ways = std::map<std::string, ReadWay, std::less<>>;

// All of this folder, by their keys.
const Ways &stock_ways();

// An opener of a board whose faults say of its device alone what is wrong.
template <typename Open>
OpenBoard said_of_node(Open open) {
  return [open](const std::string &where) -> std::unique_ptr<HostPlatform> {
    try {
      return open();
    } catch (const std::runtime_error &error) {
      throw devices::ConfigError(where + ": " + error.what());
    }
  };
}

}  // namespace firesim::hostlib
