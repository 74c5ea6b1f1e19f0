// SPDX-License-Identifier: BSD-3-Clause
//
// What a debugger sees of a node: registers of its harts, its memory, and the steps they do.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>

namespace firesim {

// Where a node is in its own past and future. It only grows, and the same number is the same state
// in every run of the same simulation. What it counts is the node's own business.
using DebugPosition = uint64_t;

// A step of a hart: an instruction, or a trap that was taken.
struct DebugStep {
  uint32_t hart;
  DebugPosition position;  // after the step
  uint64_t cycle;          // the first one after it
  uint64_t pc;             // of what the hart does next
};

class StepListener {
 public:
  static constexpr uint64_t kNever = UINT64_MAX;

  virtual ~StepListener() = default;

  // Steps need only be told that end at this position or later, or at this cycle or later.
  DebugPosition first_position() const { return first_position_; }
  uint64_t first_cycle() const { return first_cycle_; }

  // After a step, in the thread that simulates the node. Returns when the node may go on.
  virtual void stepped(const DebugStep &step) = 0;
  // Every now and then: the node is at a position in a cycle, and no hart is within a step.
  virtual void between(DebugPosition position, uint64_t cycle) = 0;

 protected:
  DebugPosition first_position_ = kNever;
  uint64_t first_cycle_ = kNever;
};

// Everything but `listen` is asked only before the run, after it, and within calls of the listener.
class DebugTarget {
 public:
  virtual ~DebugTarget() = default;

  virtual uint32_t hart_count() const = 0;
  virtual DebugPosition position() const = 0;
  // By the names that the RISC-V manuals use: x0 to x31, pc, f0 to f31, and CSRs; and "priv", the
  // privilege (0 user, 1 supervisor, 3 machine). Only those that are known.
  virtual std::map<std::string, uint64_t> registers(uint32_t hart) const = 0;
  // Memory by physical address. False where there is none: reading a device could change it.
  virtual bool read(uint64_t physical, std::span<uint8_t> bytes) const = 0;
  virtual void listen(StepListener &listener) = 0;
  // One of the registers, 0 if it is not known: for who wants no more than that, often.
  virtual uint64_t register_value(uint32_t hart, const std::string &name) const {
    const std::map<std::string, uint64_t> all = registers(hart);
    const auto found = all.find(name);
    return found == all.end() ? 0 : found->second;
  }
};

// A model that can be debugged.
class Debuggable {
 public:
  virtual ~Debuggable() = default;
  // Why not, in one sentence without its name.
  virtual std::optional<std::string> cannot_debug() const { return std::nullopt; }
  // `map` says where its registers are; null for a kind that knows.
  virtual DebugTarget &debug_target(const nlohmann::json &map) = 0;
};

}  // namespace firesim
