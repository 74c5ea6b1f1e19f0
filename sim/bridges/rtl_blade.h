// SPDX-License-Identifier: BSD-3-Clause
// The model of a server blade in real RTL: a compiled design (model.so) and a driver for each of
// its bridges.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>

#include "core/model.h"
#include "core/registry.h"
#include "devices/warm_start.h"

namespace firesim {

// Builds the model of a node of kind "rtl". Keys: model, manifest, bridges, driver_libraries
// (docs/reference/interfaces/simulation.md). Throws DescriptionError. With a `starter` it also
// continues functional blades.
std::unique_ptr<Model> make_rtl_blade(const nlohmann::json &node, const SimulationContext &context,
                                      devices::WarmStarter starter = nullptr);

}  // namespace firesim
