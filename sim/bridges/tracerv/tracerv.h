// SPDX-License-Identifier: BSD-3-Clause
// TraceRV driver: committed instructions of one hart, while a trigger is active, to any of a text
// log, a binary log and call stacks.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "bridges/driver.h"
#include "bridges/tracerv/call_stacks.h"
#include "bridges/tracerv/trace_files.h"
#include "bridges/tracerv/trigger.h"

namespace firesim::bridges {

// The trace port of one hart.
class TracePort {
 public:
  explicit TracePort(const BridgePorts &ports);
  bool anything() const { return valid_() || exception_(); }
  bool valid() const { return valid_(); }
  uint64_t pc() const { return pc_(); }
  uint32_t instruction() const { return static_cast<uint32_t>(instruction_()); }
  Commit read(uint64_t cycle) const;

 private:
  OutputBit valid_, exception_, interrupt_;
  OutputPort pc_, instruction_, privilege_, cause_, tval_;
};

// Keys: enabled, trigger, outputs (any of text, binary, folded, speedscope), elf (files with the
// symbols; {file, also_at} for one whose code is found at a second place, too), directory (for the
// files hart<N>.log, .trace, .folded and .speedscope.json).
class TraceRvDriver final : public Driver {
 public:
  explicit TraceRvDriver(const DriverContext &context);
  bool listens() const override { return wanted_; }
  CycleRange interest() const override { return interest_; }
  std::optional<hostlib::GateSetting> gate() const override { return trigger_.gate(); }
  uint64_t exchange(uint64_t cycle) override {
    if (interest_.holds(cycle) && port_.anything()) take(cycle);
    return kNever;
  }
  void finish(uint64_t cycle) override;
  nlohmann::json statistics() const override;
  const TracePort *trace_port() const override { return &port_; }
  bool can_save() const override { return true; }
  // The logs go on in new files; call stacks and their cycles are carried over.
  void save(StateWriter &state) const override;
  void load(StateReader &state) override;

 private:
  void take(uint64_t cycle);
  void open_outputs(Config &config, const DriverContext &context);
  void add_symbols(const nlohmann::json &entry, const std::string &where,
                   const SimulationContext &simulation);

  TracePort port_;
  Trigger trigger_;
  bool wanted_ = false;
  bool flowing_ = false;
  CycleRange interest_;
  uint64_t commits_ = 0, traps_ = 0;
  uint32_t hart_;
  std::string where_;
  std::filesystem::path folded_file_, speedscope_file_;
  std::unique_ptr<TextTrace> text_;
  std::unique_ptr<BinaryTrace> binary_;
  SymbolTable symbols_;
  std::unique_ptr<CallStacks> stacks_;
};

}  // namespace firesim::bridges
