// SPDX-License-Identifier: BSD-3-Clause
//
// The kinds of switches that come with FireSim.
#include "switch/stock_switches.h"

#include "switch/cut_through.h"
#include "switch/make_switch.h"
#include "switch/store_and_forward.h"

namespace firesim {

void register_stock_switches(ModelRegistry &registry) {
  registry.add(ModelRole::kSwitch, "store_and_forward", make_switch<StoreAndForwardSwitch>);
  registry.add(ModelRole::kSwitch, "cut_through", make_switch<CutThroughSwitch>);
}

}  // namespace firesim
