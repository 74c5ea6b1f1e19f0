// SPDX-License-Identifier: BSD-3-Clause
// TraceRV driver; see tracerv.h.
#include "bridges/tracerv/tracerv.h"

#include "bridges/driver_registry.h"

namespace firesim::bridges {
namespace {

uint32_t parameter(const DriverContext &context, const char *name, uint32_t default_value) {
  const auto found = context.bridge.parameters.find(name);
  return found == context.bridge.parameters.end() ? default_value
                                                  : static_cast<uint32_t>(found->second);
}

}  // namespace

TraceRvDriver::TraceRvDriver(const DriverContext &context)
    : number_(parameter(context, "HART", 0)), port_(context.ports, parameter(context, "LANE", 0)) {
  const uint32_t lanes = parameter(context, "LANES", 1);
  std::shared_ptr<HartTrace> &shared = context.status.hart_traces[number_];
  if (shared == nullptr || port_.lane() == 0) {
    const TraceContext trace{context.config, context.where, context.simulation, context.status};
    shared = std::make_shared<HartTrace>(trace, number_, lanes);
  }
  shared->add_lane(port_.lane(), lanes, context.where);
  hart_ = shared;
  interest_ = hart_->interest();
  if (!is_first() || !hart_->is_within_counters()) return;
  context.status.window_turns.emplace_back(
      [hart = hart_](uint64_t cycle) { hart->window_turned(cycle); });
}

// Lanes have one trigger, and a gate would look at each for itself.
std::optional<hostlib::GateSetting> TraceRvDriver::gate() const {
  const std::optional<CommitRange> range = hart_->trigger().commit_range();
  if (hart_->lanes() != 1 || !range) return std::nullopt;
  return hostlib::GateSetting{range->by_pc ? "pc" : "instruction",
                              {range->start.value, range->start.mask},
                              {range->end.value, range->end.mask},
                              hart_->trigger().on()};
}

void register_tracerv(DriverRegistry &registry) { registry.add<TraceRvDriver>("tracerv"); }

}  // namespace firesim::bridges
