// SPDX-License-Identifier: BSD-3-Clause
// What is made of the commits of one hart while a trigger is active: any of a text log, a binary
// log and call stacks. Whoever evaluates the hart tells of them: in RTL all lanes of its trace
// port, those of a cycle in their order.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/now_and_then.h"
#include "core/registry.h"
#include "core/state.h"
#include "devices/call_path.h"
#include "devices/config.h"
#include "traces/call_stacks.h"
#include "traces/linux_guest.h"
#include "traces/stack_slices.h"
#include "traces/trace_files.h"
#include "traces/trace_status.h"
#include "traces/trigger.h"

namespace firesim::traces {

// What a trace is made from. References outlive it.
struct TraceContext {
  const nlohmann::json &config;  // the section `tracerv`; null when not given
  const std::string &where;      // start of error messages, "node0: bridges.tracerv"
  const SimulationContext &simulation;
  TraceStatus &status;  // of the blade
};

// Keys: enabled, trigger, outputs (any of text, binary, folded, speedscope), elf (files with the
// symbols; {file, also_at} for one whose code is found at a second place, too), linux (those of
// LinuxNode: call stacks ask the node's Linux which task runs), directory (for the files
// hart<N>.log, .trace, .folded and .speedscope.json), within_counters (stacks are charged exactly
// the cycles in which the window of the counters is open; calls are followed all along). The folded
// stacks are written anew while the run goes on, now and then. With inlined or lines the files of
// stacks have finer ones. Where the activity of a blade with a
// single hart counts, toggles.folded has the toggles of all its wires by stack.
class HartTrace {
 public:
  // Throws ConfigError.
  HartTrace(const TraceContext &context, uint32_t hart, uint32_t lanes);
  bool wanted() const { return wanted_; }
  CycleRange interest() const { return interest_; }
  const Trigger &trigger() const { return trigger_; }
  uint32_t lanes() const { return lanes_; }
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
  void take(const Commit &commit);

  // From who knows where a hart's instructions lead without looking at each of them. All of this
  // gives what take() would give of every commit.
  //
  // Whether that is enough: nothing is made but call stacks, within cycles known from the start.
  bool needs_flow_alone() const {
    return stacks_ != nullptr && !text_ && !binary_ && !finer_ && !within_counters_ &&
           !trigger_.needs_commits();
  }
  // Where commits need not be told, but for those that transfer.
  CodeRange quiet() const { return stacks_->quiet(); }
  // All commits up to `cycle` and with it that were not told were within quiet().
  void pass_to(uint64_t cycle);
  // The instruction at `pc` is next; if it commits, it does so in `cycle`.
  void arrive(uint64_t cycle, uint64_t pc, uint8_t privilege);
  // So many commits were not told, since the last time.
  void count(uint64_t commits);

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
  void open_outputs(devices::Config &config, const TraceContext &context);
  void charge_toggles(uint32_t stack);
  void open_stacks(devices::Config &config, const TraceContext &context);
  void write_live();
  void load_finer(StateReader &state);
  const StackTree &written() const { return finer_ ? finer_->tree() : stacks_->tree(); }

  Trigger trigger_;
  bool wanted_ = false;
  bool flowing_ = false;
  bool within_counters_ = false;
  const TraceStatus &status_;
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
  FrameDetail detail_;
  std::unique_ptr<FinerStacks> finer_;  // null when no detail is asked for
  std::unique_ptr<CallStacks> stacks_;
  std::unique_ptr<StackSlices> slices_;
  NowAndThen live_;
};

}  // namespace firesim::traces
