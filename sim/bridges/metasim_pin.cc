// SPDX-License-Identifier: BSD-3-Clause
// Pins of a metasimulation; see metasim_pin.h.
#include "bridges/metasim_pin.h"

#include <fmt/format.h>

#include "devices/config.h"

namespace firesim::bridges {

Pin metasim_pin(const ModelInstance &model, const std::string &name, uint32_t width_bits,
                const std::string &where) {
  if (const auto found = Pin::find(model, name, width_bits)) return *found;
  throw devices::ConfigError(
      fmt::format("{}: the metasimulation has no pin '{}' of {} bits; build it again", where, name,
                  width_bits));
}

}  // namespace firesim::bridges
