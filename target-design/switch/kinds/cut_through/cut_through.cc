// SPDX-License-Identifier: BSD-3-Clause
//
// The switch of cut_through.h as a kind.
#include "switch/kinds/cut_through/cut_through.h"

#include "core/registry.h"
#include "switch/make_switch.h"

FIRESIM_MODELS(registry) {
  registry.add(firesim::ModelRole::kSwitch, "cut_through",
               firesim::make_switch<firesim::CutThroughSwitch>);
}
