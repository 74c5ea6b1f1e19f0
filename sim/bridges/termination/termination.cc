// SPDX-License-Identifier: BSD-3-Clause
// Finisher and assert drivers; see termination.h.
#include "bridges/termination/termination.h"

#include <fmt/format.h>

#include <algorithm>

#include "bridges/driver_registry.h"
#include "bridges/print_text.h"

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

AssertDriver::AssertDriver(Config &config, const FiresimPort &port, std::vector<Source> sources,
                           Window window, BladeStatus &status)
    : failed_(port),
      sources_(std::move(sources)),
      finishes_(
          std::any_of(sources_.begin(), sources_.end(),
                      [](const Source &one) { return one.info.ends != AssertInfo::Ends::kFail; })),
      window_(std::move(window)),
      status_(&status) {
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

void AssertDriver::end_blade(uint64_t cycle, bool open) {
  using Ends = AssertInfo::Ends;
  if (status_->end.ended()) return;
  for (const Source &one : sources_) {
    const AssertInfo &info = one.info;
    if (!failed_[info.bit] || (info.ends == Ends::kFail && !open)) continue;
    const std::string text =
        info.pieces.empty() ? info.message : text_of(info.pieces, one.arguments, cycle);
    if (info.ends == Ends::kFail) {
      status_->end = {
          BladeEnd::Kind::kAssert, 1, cycle,
          fmt::format("assert failed in cycle {}: '{}' at {}", cycle, text, info.source)};
    } else {
      const bool finish = info.ends == Ends::kFinish;
      status_->end = {BladeEnd::Kind::kFinished, finish ? 0 : 1, cycle,
                      fmt::format("{} at {}", finish ? "$finish" : "$stop", info.source)};
    }
    return;
  }
}

void register_termination(DriverRegistry &registry) {
  registry.add<TerminationDriver>("termination");
}

}  // namespace firesim::bridges
