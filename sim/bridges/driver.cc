// SPDX-License-Identifier: BSD-3-Clause
// Port look-up for drivers; see driver.h.
#include "driver.h"

#include <fmt/format.h>

namespace firesim::bridges {

FiresimPort BridgePorts::find(const char *name, uint32_t width_bits, bool is_input) const {
  const auto fail = [&](const std::string &what) -> FiresimPort {
    throw ConfigError(
        fmt::format("bridge {} ({}): port '{}' {}", bridge_->path, bridge_->module, name, what));
  };
  const auto mapped = bridge_->ports.find(name);
  if (mapped == bridge_->ports.end()) return fail("is missing");
  const auto found = model_ports_->find(mapped->second);
  if (found == model_ports_->end()) {
    return fail(fmt::format("is mapped to '{}', which the model does not have", mapped->second));
  }
  const FiresimPort &port = found->second;
  if ((port.is_input != 0) != is_input) {
    return fail(is_input ? "is target to host, expected host to target"
                         : "is host to target, expected target to host");
  }
  if (width_bits != 0 && port.width_bits != width_bits) {
    return fail(fmt::format("is {} bits wide, expected {}", port.width_bits, width_bits));
  }
  return port;
}

FiresimPort BridgePorts::output(const char *name, uint32_t width_bits) const {
  return find(name, width_bits, false);
}

FiresimPort BridgePorts::input(const char *name, uint32_t width_bits) const {
  return find(name, width_bits, true);
}

std::vector<FiresimPort> BridgePorts::wakes() const {
  std::vector<FiresimPort> ports;
  for (const auto &[name, wake] : bridge_->wakes) ports.push_back(output(name.c_str(), 0));
  return ports;
}

}  // namespace firesim::bridges
