// SPDX-License-Identifier: BSD-3-Clause
//
// Makes the switches in this folder known under their kinds.
#pragma once

#include "core/registry.h"

namespace firesim {

// Adds "store_and_forward" and "cut_through".
void register_stock_switches(ModelRegistry &registry);

}  // namespace firesim
