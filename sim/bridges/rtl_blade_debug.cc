// SPDX-License-Identifier: BSD-3-Clause
// The RTL blade for a debugger, and for traces that look into its memory: what these need of its
// bridges; see rtl_blade_impl.h.
#include "bridges/memory/memory_driver.h"
#include "bridges/rtl_blade_impl.h"
#include "bridges/tracerv/tracerv.h"

namespace firesim::bridges {

std::optional<std::string> RtlBlade::cannot_debug() const {
  if (hosted_) return "found a node on a platform, expected one of engine rtl or functional";
  if (model_->signals().empty()) {
    return "the engine \"" + engine_name() + "\" shows no signals, expected the generated engine";
  }
  for (const PlacedDriver &item : drivers_) {
    if (item.driver->trace_port() != nullptr) return std::nullopt;
  }
  return "found no bridge of kind tracerv, expected one for each hart";
}

std::unique_ptr<RtlDebugView> RtlBlade::view(const nlohmann::json &map, const std::string &where) {
  std::vector<HartPort> ports;
  devices::GuestMemory *memory = nullptr;
  for (const PlacedDriver &item : drivers_) {
    if (const auto *trace = dynamic_cast<const TraceRvDriver *>(item.driver.get())) {
      if (trace->trace_port()->lane() == 0) ports.push_back({trace->hart(), *trace->trace_port()});
    }
    if (auto *driver = dynamic_cast<MemoryDriver *>(item.driver.get())) memory = &driver->memory();
  }
  return std::make_unique<RtlDebugView>(map, where, *model_, std::move(ports), memory, cycle_);
}

DebugTarget &RtlBlade::debug_target(const nlohmann::json &map) {
  debug_ = view(map, name() + ": registers");
  return *debug_;
}

// Also after a state was loaded: the memory may be another one then.
void RtlBlade::show_to_traces() {
  seen_.reset();
  const std::string where = name() + ": bridges.tracerv.linux";
  for (const auto &[hart, trace] : status_.hart_traces) {
    if (trace->registers() == nullptr) continue;
    if (const auto why_not = cannot_debug()) throw ConfigError(where + ": " + *why_not);
    if (seen_ == nullptr) seen_ = view(*trace->registers(), where + ".registers");
    trace->look_at(*seen_);
  }
}

}  // namespace firesim::bridges
