// SPDX-License-Identifier: BSD-3-Clause
// A pin of a metasimulation; see metasim_pin.h.
#include "bridges/metasim_pin.h"

#include <fmt/format.h>

#include <cstring>

#include "bridges/port.h"
#include "devices/config.h"

namespace firesim::bridges {

using namespace devices;

MetasimPin::MetasimPin(const ModelInstance &model, const std::string &name, uint32_t width_bits,
                       const std::string &where) {
  const auto found = model.ports().find(name);
  if (found == model.ports().end() || found->second.width_bits != width_bits) {
    throw ConfigError(
        fmt::format("{}: the metasimulation has no pin '{}' of {} bits; build it again", where,
                    name, width_bits));
  }
  port_ = found->second;
}

void MetasimPin::set(uint64_t value) {
  std::memcpy(port_.storage, &value, port_bytes(port_.width_bits));
}

uint64_t MetasimPin::get() const {
  uint64_t value = 0;
  std::memcpy(&value, port_.storage, port_bytes(port_.width_bits));
  return value;
}

}  // namespace firesim::bridges
