// SPDX-License-Identifier: BSD-3-Clause
//
// The kinds of models that firesim-sim knows without any library of the user's.
#pragma once

#include "core/registry.h"

namespace firesim {

// Adds them all; those of RTL and functional blades only in builds with bridges.
void register_model_kinds(ModelRegistry &registry);

}  // namespace firesim
