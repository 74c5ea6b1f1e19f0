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
// hart<N>.log, .trace, .folded and .speedscope.json). The folded stacks are written anew while the
// run goes on, now and then.
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

  void take(uint64_t cycle, const TracePort &port);
  void finish();
  nlohmann::json statistics() const;
  // The logs go on in new files; call stacks and their cycles are carried over.
  void save(StateWriter &state) const;
  void load(StateReader &state);

 private:
  void open_outputs(Config &config, const DriverContext &context);
  void open_stacks(Config &config, const DriverContext &context);
  void write_live();
  void add_symbols(const nlohmann::json &entry, const std::string &where,
                   const SimulationContext &simulation);

  Trigger trigger_;
  bool wanted_ = false;
  bool flowing_ = false;
  CycleRange interest_;
  uint64_t commits_ = 0, traps_ = 0;
  uint32_t hart_, lanes_, made_ = 0;
  std::string where_;
  std::filesystem::path folded_file_, speedscope_file_;
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
