// SPDX-License-Identifier: BSD-3-Clause
// Traces of a blade's harts: what they do, as sim/traces makes logs and call stacks of it.
//
// A hart tells where its instructions lead, which is all that call stacks need; each of them where
// there is a log, or where the trigger looks at instructions. It runs at full speed outside of the
// cycles that are traced.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/registry.h"
#include "core/state.h"
#include "devices/guest_memory.h"
#include "functional/blade/debug_view.h"
#include "functional/blade/hart_group.h"
#include "functional/core/hart.h"
#include "traces/hart_trace.h"

namespace firesim::functional {

// Of one hart. An instruction is said to commit in the last cycle that it takes, and an interrupt,
// which takes none, in the one before.
class HartTracer final : public RetireObserver, public FlowObserver {
 public:
  HartTracer(std::shared_ptr<traces::HartTrace> trace, uint32_t cycles_per_instruction)
      : trace_(std::move(trace)), cycles_per_instruction_(cycles_per_instruction) {}

  void retired(const Retired &event) override { trace_->take(commit(event)); }
  Range arrives(const Retired &next, bool is_first) override;
  Range happened(const Retired &event, bool is_first) override;
  void ran(uint64_t from_cycle, uint64_t to_cycle) override;

  traces::HartTrace &trace() { return *trace_; }
  const traces::HartTrace &trace() const { return *trace_; }

 private:
  uint64_t commit_cycle(const Retired &event) const {
    return event.cycle - 1 + (event.interrupt ? 0 : cycles_per_instruction_);
  }
  traces::Commit commit(const Retired &event) const;
  Range range() const;

  const std::shared_ptr<traces::HartTrace> trace_;
  const uint32_t cycles_per_instruction_;
  uint64_t told_ = 0;    // commits since ran()
  uint64_t failed_ = 0;  // instructions that trapped, since then
};

class HartTraces {
 public:
  static constexpr const char *kSection = "traces";

  // By the section `tracerv` of the bridges, a key of whose is one of HartTrace; null where nothing
  // is to be traced. Throws ConfigError.
  static std::unique_ptr<HartTraces> make(const nlohmann::json &config, const std::string &where,
                                          const SimulationContext &context, uint32_t harts,
                                          uint32_t cycles_per_instruction);

  // The harts are made; all outlive this.
  void look_at(HartGroup &harts, devices::GuestMemory &memory);
  // Before a hart runs in cycles [from, until): until where it is to run at once.
  uint64_t begin_run(uint32_t hart, uint64_t from, uint64_t until);
  // `cycle` is the number of cycles run.
  void finish(uint64_t cycle);
  // Of each hart.
  nlohmann::json statistics() const;
  // A section of their own.
  void save(StateWriter &state) const;
  void load(StateReader &state);
  static void skip(StateReader &state);

 private:
  explicit HartTraces(uint32_t cycles_per_instruction)
      : cycles_per_instruction_(cycles_per_instruction) {}

  const uint32_t cycles_per_instruction_;
  traces::TraceStatus status_;  // of the blade
  std::vector<std::unique_ptr<HartTracer>> tracers_;
  HartGroup *harts_ = nullptr;
  std::unique_ptr<DebugView> view_;  // for traces that look into registers and memory
};

}  // namespace firesim::functional
