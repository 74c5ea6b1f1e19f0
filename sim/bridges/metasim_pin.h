// SPDX-License-Identifier: BSD-3-Clause
// Pins of a metasimulation.
#pragma once

#include <string>

#include "bridges/pin.h"

namespace firesim::bridges {

// Throws ConfigError, starting with `where`, when the model has no such pin.
Pin metasim_pin(const ModelInstance &model, const std::string &name, uint32_t width_bits,
                const std::string &where);

}  // namespace firesim::bridges
