// SPDX-License-Identifier: BSD-3-Clause
//
// Where the parts of the simulator meet: the only place that knows every model by its type.
#include "simulator/model_kinds.h"

#include "core/traffic.h"
#include "gateway/gateway.h"
#include "switch/stock_switches.h"

#ifdef FIRESIM_HAVE_BRIDGES
#include "bridges/rtl_blade.h"
#include "functional/blade/functional_blade.h"
#include "functional/warm_start/warm_start.h"
#endif

namespace firesim {

void register_model_kinds(ModelRegistry &registry) {
  registry.add(ModelRole::kNode, "traffic", make_traffic_blade);
  registry.add(ModelRole::kNode, "gateway", make_gateway);
#ifdef FIRESIM_HAVE_BRIDGES
  for (const char *kind : {"rtl", "metasim", "fpga"}) {
    registry.add(
        ModelRole::kNode, kind, [](const nlohmann::json &node, const SimulationContext &context) {
          const nlohmann::json parts = node.value("parts", nlohmann::json());
          const auto starter = [parts](StateReader &state, const devices::WarmStartSource &source) {
            return functional::warm_start(state, source, parts);
          };
          return make_rtl_blade(node, context, starter);
        });
  }
  registry.add(ModelRole::kNode, "functional", make_functional_blade);
#endif
  register_stock_switches(registry);
}

}  // namespace firesim
