// SPDX-License-Identifier: BSD-3-Clause
//
// Makes the switches of kinds/ known under the names of their folders.
#pragma once

#include "core/registry.h"

namespace firesim {

// Adds the kind of every folder of kinds/.
void register_stock_switches(ModelRegistry &registry);

}  // namespace firesim
