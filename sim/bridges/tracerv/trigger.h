// SPDX-License-Identifier: BSD-3-Clause
// Triggers: when trace and counters flow. Semantics in docs/reference/interfaces/simulation.md.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "bridges/driver.h"
#include "devices/config.h"

namespace firesim::bridges {

class Trigger {
 public:
  enum class Kind { kNone, kAlways, kCycle, kPc, kInstruction };

  // Null = always. Throws ConfigError, starting with `where`.
  static Trigger parse(const nlohmann::json &object, const std::string &where);
  // The key `trigger` of an instrument. Throws ConfigError also when it wants commits and the
  // instrument sees none.
  static Trigger of(devices::Config &config, bool sees_commits);

  Kind kind() const { return kind_; }
  // True when the trigger has to see commits to know whether it is active.
  bool needs_commits() const { return kind_ == Kind::kPc || kind_ == Kind::kInstruction; }
  bool never() const { return kind_ == Kind::kNone; }
  // The cycles in which the trigger can be active.
  CycleRange possible() const {
    return kind_ == Kind::kCycle ? CycleRange{start_, end_} : CycleRange{};
  }

  // Whether cycle `cycle` is active, for triggers that need no commits.
  bool active_at(uint64_t cycle) const {
    return kind_ == Kind::kAlways || (kind_ == Kind::kCycle && cycle >= start_ && cycle < end_);
  }
  // Notes a commit; returns whether it is within the active stretch. For all kinds.
  bool see(uint64_t cycle, uint64_t pc, uint32_t instruction) {
    switch (kind_) {
      case Kind::kPc:
        return change(pc == start_, pc == end_);
      case Kind::kInstruction:
        return change((instruction & start_mask_) == start_, (instruction & end_mask_) == end_);
      default:
        return active_at(cycle);
    }
  }
  // The same for RTL, if it needs commits: it has to see no more than those that this tells of.
  std::optional<hostlib::GateSetting> gate() const {
    if (!needs_commits()) return std::nullopt;
    if (kind_ == Kind::kPc) {
      return hostlib::GateSetting{"pc", {start_, UINT64_MAX}, {end_, UINT64_MAX}, on_};
    }
    return hostlib::GateSetting{"instruction", {start_, start_mask_}, {end_, end_mask_}, on_};
  }
  // State of a trigger that needs commits, after the last one seen.
  bool on() const { return on_; }
  void set_on(bool on) { on_ = on; }

 private:
  bool change(bool starts, bool ends) {
    on_ = on_ ? !ends : starts;
    return on_;
  }

  Kind kind_ = Kind::kAlways;
  bool on_ = false;
  uint64_t start_ = 0;  // cycle, program counter or instruction bits
  uint64_t end_ = 0;
  uint32_t start_mask_ = 0;
  uint32_t end_mask_ = 0;
};

}  // namespace firesim::bridges
