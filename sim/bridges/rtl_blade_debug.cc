// SPDX-License-Identifier: BSD-3-Clause
// The RTL blade for a debugger: what it needs of its bridges; see rtl_blade_impl.h.
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

DebugTarget &RtlBlade::debug_target(const nlohmann::json &map) {
  std::vector<HartPort> ports;
  devices::GuestMemory *memory = nullptr;
  for (const PlacedDriver &item : drivers_) {
    if (const auto *trace = dynamic_cast<const TraceRvDriver *>(item.driver.get())) {
      if (trace->trace_port()->lane() == 0) ports.push_back({trace->hart(), *trace->trace_port()});
    }
    if (auto *driver = dynamic_cast<MemoryDriver *>(item.driver.get())) memory = &driver->memory();
  }
  debug_ = std::make_unique<RtlDebugView>(map, name() + ": registers", *model_, std::move(ports),
                                          memory, cycle_);
  return *debug_;
}

}  // namespace firesim::bridges
