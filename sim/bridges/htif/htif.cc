// SPDX-License-Identifier: BSD-3-Clause
// HTIF driver; see htif.h.
#include "bridges/htif/htif.h"

#include "bridges/driver_registry.h"

namespace firesim::bridges {

HtifDriver::HtifDriver(const DriverContext &context)
    : done_(context.ports.output("done")),
      data_(context.ports.output("data", 64)),
      req_valid_(context.ports.input("req_valid"), context.inputs),
      req_write_(context.ports.input("req_write"), context.inputs),
      req_address_(context.ports.input("req_address", 32), context.inputs),
      req_data_(context.ports.input("req_data", 64), context.inputs),
      status_(&context.status),
      interface_(HostInterface::make(context.config, context.where)) {}

void HtifDriver::ask(const HostInterface::Request &request) {
  req_valid_.set(1);
  req_write_.set(request.write ? 1 : 0);
  req_address_.set(request.address);
  req_data_.set(request.data);
}

uint64_t HtifDriver::exchange(uint64_t cycle) {
  if (interface_ == nullptr || status_->end.ended()) return kNever;
  if (req_valid_.value() == 0) {
    if (!HostInterface::is_look(cycle)) return HostInterface::next_look(cycle);
    ask(interface_->look());
    return kNever;
  }
  if (!done_()) return kNever;
  const auto next = interface_->answer(data_(), cycle, status_->end, status_->console);
  if (next) {
    ask(*next);
    return kNever;
  }
  req_valid_.set(0);
  return HostInterface::next_look(cycle);
}

void HtifDriver::save(StateWriter &state) const {
  state.section("htif", 1);
  for (const InputPort *port : {&req_valid_, &req_write_, &req_address_, &req_data_}) {
    port->save(state);
  }
  state.boolean(interface_ != nullptr);
  if (interface_ != nullptr) interface_->save(state);
}

void HtifDriver::load(StateReader &state) {
  state.section("htif", 1);
  for (InputPort *port : {&req_valid_, &req_write_, &req_address_, &req_data_}) port->load(state);
  const bool used = state.boolean();
  if (used != (interface_ != nullptr)) {
    state.fail("saved with a program that has tohost where this one has none, or the reverse");
  }
  if (used) interface_->load(state);
}

void register_htif(DriverRegistry &registry) { registry.add<HtifDriver>("htif"); }

}  // namespace firesim::bridges
