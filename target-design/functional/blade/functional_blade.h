// SPDX-License-Identifier: BSD-3-Clause
// The model of a server blade by its functions: harts that take a fixed number of cycles for each
// instruction, and the devices of the RTL blade (docs/explanation/functional-blade.md).
#pragma once

#include <memory>
#include <nlohmann/json.hpp>

#include "core/model.h"
#include "core/registry.h"

namespace firesim {

// Builds the model of a node of kind "functional". Keys: cores, cycles_per_instruction,
// quantum_cycles, bridges (docs/reference/interfaces/functional-blade.md). Throws DescriptionError.
std::unique_ptr<Model> make_functional_blade(const nlohmann::json &node,
                                             const SimulationContext &context);

}  // namespace firesim
