// SPDX-License-Identifier: BSD-3-Clause
// Finisher and assert drivers; see termination.h.
#include "bridges/termination/termination.h"

#include <fmt/format.h>

#include "bridges/driver_registry.h"

namespace firesim::bridges {

TerminationDriver::TerminationDriver(const DriverContext &context)
    : valid_(context.ports.output("valid")),
      value_(context.ports.output("value", 32)),
      status_(&context.status) {
  Config(context.config, context.where).finish();
}

void TerminationDriver::end_blade(uint64_t cycle) {
  if (!status_->end.ended()) {
    status_->end = finisher_end(static_cast<uint32_t>(value_()), cycle);
  }
}

AssertDriver::AssertDriver(Config &config, const FiresimPort &port, std::vector<AssertInfo> asserts,
                           Window window, BladeStatus &status)
    : failed_(port), asserts_(std::move(asserts)), window_(std::move(window)), status_(&status) {
  config.finish();
}

void AssertDriver::save(StateWriter &state) const {
  state.section("assert", 1);
  window_.save(state);
}

void AssertDriver::load(StateReader &state) {
  state.section("assert", 1);
  window_.load(state);
}

void AssertDriver::end_blade(uint64_t cycle) {
  if (status_->end.ended()) return;
  uint32_t bit = 0;
  while (!failed_[bit]) ++bit;
  std::string what = fmt::format("assert {}", bit);
  for (const AssertInfo &info : asserts_) {
    if (info.bit == bit) what = fmt::format("'{}' at {}", info.message, info.source);
  }
  status_->end = {BladeEnd::Kind::kAssert, 1, cycle,
                  fmt::format("assert failed in cycle {}: {}", cycle, what)};
}

void register_termination(DriverRegistry &registry) {
  registry.add<TerminationDriver>("termination");
}

}  // namespace firesim::bridges
