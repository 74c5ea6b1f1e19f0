// SPDX-License-Identifier: BSD-3-Clause
// What is made of the commits of one hart while a trigger is active: any of a text log, a binary
// log and call stacks. All lanes of the hart tell it, those of a cycle in their order.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "bridges/driver.h"
#include "bridges/tracerv/call_stacks.h"
#include "bridges/tracerv/linux_guest.h"
#include "bridges/tracerv/stack_slices.h"
#include "bridges/tracerv/trace_files.h"
#include "bridges/tracerv/trace_port.h"
#include "bridges/tracerv/trigger.h"
#include "core/now_and_then.h"

namespace firesim::bridges {

// Keys: enabled, trigger, outputs (any of text, binary, folded, speedscope), elf (files with the
// symbols; {file, also_at} for one whose code is found at a second place, too), linux (those of
// LinuxNode: call stacks ask the node's Linux which task runs), directory (for the files
// hart<N>.log, .trace, .folded and .speedscope.json), within_counters (stacks are charged exactly
// the cycles in which the window of the counters is open; calls are followed all along). The folded
// stacks are written anew while the run goes on, now and then. Where the activity of a blade with a
// single hart counts, toggles.folded has the toggles of all its wires by stack.
class HartTrace {
 public:
  HartTrace(const DriverContext &context, uint32_t hart, uint32_t lanes);
  bool wanted() const { return wanted_; }
  CycleRange interest() const { return interest_; }
  // Lanes have one trigger, and a gate would look at each for itself.
  std::optional<hostlib::GateSetting> gate() const {
    return lanes_ == 1 ? trigger_.gate() : std::nullopt;
  }
  // The next lane to be made. Throws ConfigError when that is not `lane` of `lanes`.
  void add_lane(uint32_t lane, uint32_t lanes, const std::string &where);

  // Where a debugger would want the registers that this has to see; null when it needs none. Then
  // look_at() comes before the first cycle.
  const nlohmann::json *registers() const { return os_ ? &linux_->registers() : nullptr; }
  void look_at(const DebugTarget &target) { os_->look_at(target); }

  // Call stacks go on from those of another engine; those of a system that is asked do not.
  void go_on_within(const std::vector<devices::CallFrame> &path) {
    if (stacks_ && !os_) stacks_->go_on_within(path);
  }
  void take(uint64_t cycle, const TracePort &port);
  // Whether window_turned() wants to be told where the window of the counters opens or closes.
  bool is_within_counters() const { return within_counters_ && stacks_ != nullptr; }
  void window_turned(uint64_t cycle);
  // `cycle` is the number of cycles run.
  void finish(uint64_t cycle);
  nlohmann::json statistics() const;
  // The logs go on in new files; call stacks and their cycles are carried over.
  void save(StateWriter &state) const;
  void load(StateReader &state);

 private:
  void open_outputs(Config &config, const DriverContext &context);
  void charge_toggles(uint32_t stack);
  void open_stacks(Config &config, const DriverContext &context);
  void write_live();
  void add_symbols(const nlohmann::json &entry, const std::string &where,
                   const SimulationContext &simulation);

  Trigger trigger_;
  bool wanted_ = false;
  bool flowing_ = false;
  bool within_counters_ = false;
  const BladeStatus &status_;
  CycleRange interest_;
  uint64_t commits_ = 0, traps_ = 0;
  uint32_t hart_, lanes_, made_ = 0;
  std::string where_;
  std::filesystem::path folded_file_, speedscope_file_, toggles_file_;
  std::vector<uint64_t> toggles_;  // by stack
  uint64_t seen_toggles_ = 0;      // of those of the blade
  std::unique_ptr<TextTrace> text_;
  std::unique_ptr<BinaryTrace> binary_;
  // The harts of a node share them.
  std::shared_ptr<SymbolTable> symbols_;
  std::shared_ptr<LinuxNode> linux_;
  std::unique_ptr<LinuxHart> os_;
  std::unique_ptr<CallStacks> stacks_;
  std::unique_ptr<StackSlices> slices_;
  NowAndThen live_;
};

}  // namespace firesim::bridges
