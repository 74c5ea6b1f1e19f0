// SPDX-License-Identifier: BSD-3-Clause
//
// The switch that others derive from, as a kind.
#include "switch/store_and_forward.h"

#include "core/registry.h"
#include "switch/make_switch.h"

FIRESIM_MODELS(registry) {
  registry.add(firesim::ModelRole::kSwitch, "store_and_forward",
               firesim::make_switch<firesim::StoreAndForwardSwitch>);
}
