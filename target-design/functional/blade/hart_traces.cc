// SPDX-License-Identifier: BSD-3-Clause
// Traces of harts; see hart_traces.h.
#include "functional/blade/hart_traces.h"

#include <algorithm>

#include "devices/config.h"

namespace firesim::functional {
namespace {

constexpr size_t kMostTraceBytes = size_t{1} << 30;  // of the saved stacks of a hart

// The first cycle in which an instruction may begin that commits in `cycle` or later.
uint64_t begin_of(uint64_t cycle, uint32_t cycles_per_instruction) {
  if (cycle == devices::kNever) return cycle;
  return cycle - std::min<uint64_t>(cycle, cycles_per_instruction - 1);
}

}  // namespace

traces::Commit HartTracer::commit(const Retired &event) const {
  return {.cycle = commit_cycle(event),
          .pc = event.pc,
          .cause = event.cause,
          .tval = event.tval,
          .instruction = event.instruction,
          .privilege = event.privilege,
          .trap = event.exception,
          .interrupt = event.interrupt};
}

FlowObserver::Range HartTracer::range() const {
  const traces::CodeRange quiet = trace_->quiet();
  return {quiet.low, quiet.high};
}

// What was before the first of a run was passed to when the run before it ended.
FlowObserver::Range HartTracer::arrives(const Retired &next, bool is_first) {
  if (!is_first) trace_->pass_to(next.cycle - 1);
  trace_->arrive(commit_cycle(next), next.pc, next.privilege);
  return range();
}

FlowObserver::Range HartTracer::happened(const Retired &event, bool is_first) {
  if (!is_first) trace_->pass_to(event.cycle - 1);
  trace_->take(commit(event));
  if (!event.exception) {
    ++told_;
  } else if (!event.interrupt) {
    ++failed_;
  }
  return range();
}

void HartTracer::ran(uint64_t from_cycle, uint64_t to_cycle) {
  trace_->pass_to(to_cycle - 1);
  trace_->count((to_cycle - from_cycle) / cycles_per_instruction_ - told_ - failed_);
  told_ = failed_ = 0;
}

std::unique_ptr<HartTraces> HartTraces::make(const nlohmann::json &config, const std::string &where,
                                             const SimulationContext &context, uint32_t harts,
                                             uint32_t cycles_per_instruction) {
  if (config.is_null()) return nullptr;
  devices::Config settings(config, where);
  if (settings.boolean("within_counters", false)) {
    settings.fail("within_counters", "false on a functional blade, which has no counters");
  }
  std::unique_ptr<HartTraces> made(new HartTraces(cycles_per_instruction));
  for (uint32_t hart = 0; hart < harts; ++hart) {
    const traces::TraceContext trace{config, where, context, made->status_};
    auto one = std::make_shared<traces::HartTrace>(trace, hart, 1);
    if (one->trigger().follows_counters()) {
      settings.fail("trigger", "another one on a functional blade, which has no counters");
    }
    if (!one->wanted()) return nullptr;  // nor is any of the others
    made->status_.hart_traces[hart] = one;
    made->tracers_.push_back(std::make_unique<HartTracer>(one, cycles_per_instruction));
  }
  return made;
}

void HartTraces::look_at(HartGroup &harts, devices::GuestMemory &memory) {
  harts_ = &harts;
  view_ = std::make_unique<DebugView>(harts, memory, cycles_per_instruction_);
  for (const auto &tracer : tracers_) {
    if (tracer->trace().registers() != nullptr) tracer->trace().look_at(*view_);
  }
}

uint64_t HartTraces::begin_run(uint32_t hart, uint64_t from, uint64_t until) {
  HartTracer &tracer = *tracers_[hart];
  const traces::CycleRange commits = tracer.trace().interest();
  const uint64_t first = begin_of(commits.first, cycles_per_instruction_);
  const uint64_t end = begin_of(commits.end, cycles_per_instruction_);
  const bool is_traced = from >= first && from < end;
  const bool flow_alone = tracer.trace().needs_flow_alone();
  (*harts_)[hart].set_flow(is_traced && flow_alone ? &tracer : nullptr);
  if (!flow_alone) harts_->observe(hart, tracer, is_traced);
  return std::min(until, from < first ? first : is_traced ? end : until);
}

void HartTraces::finish(uint64_t cycle) {
  for (const auto &tracer : tracers_) tracer->trace().finish(cycle);
}

nlohmann::json HartTraces::statistics() const {
  nlohmann::json all = nlohmann::json::array();
  for (const auto &tracer : tracers_) all.push_back(tracer->trace().statistics());
  return all;
}

void HartTraces::save(StateWriter &state) const {
  state.section(kSection, 1);
  state.u64(tracers_.size());
  for (const auto &tracer : tracers_) {
    StateWriter own;
    tracer->trace().save(own);
    state.bytes(own.data());
  }
}

void HartTraces::load(StateReader &state) {
  state.section(kSection, 1);
  state.expect("the number of traced harts", tracers_.size());
  for (const auto &tracer : tracers_) {
    const std::vector<uint8_t> bytes = state.bytes(kMostTraceBytes);
    try {
      StateReader own("of a hart", bytes, {});
      tracer->trace().load(own);
      own.finish();
    } catch (const SnapshotError &error) {
      state.fail(error.what());
    }
  }
}

void HartTraces::skip(StateReader &state) {
  state.section(kSection, 1);
  for (uint64_t left = state.u64(); left > 0; --left) state.bytes(kMostTraceBytes);
}

}  // namespace firesim::functional
