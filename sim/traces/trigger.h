// SPDX-License-Identifier: BSD-3-Clause
// Triggers: when trace and counters flow. Semantics in docs/reference/interfaces/simulation.md.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "devices/blade_end.h"
#include "devices/config.h"

namespace firesim::traces {

// From `first` on and before `end`.
struct CycleRange {
  uint64_t first = 0;
  uint64_t end = devices::kNever;
  bool holds(uint64_t cycle) const { return first <= cycle && cycle < end; }
};

// From which instruction that commits to which: those whose `value` is this in the bits of `mask`.
struct CommitRange {
  struct End {
    uint64_t value;
    uint64_t mask;
  };
  bool by_pc;  // else by the instruction's word
  End start, end;
};

class Trigger {
 public:
  // kCounters is after a number that saved states have for something else.
  enum class Kind { kNone, kAlways, kCycle, kPc, kInstruction, kCounters = 6 };

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

  // Of one that is active where counters count: it looks there whether they do, from now on.
  void follow(const bool &window_open) { window_open_ = &window_open; }
  bool follows_counters() const { return kind_ == Kind::kCounters; }

  // Whether cycle `cycle` is active, for triggers that need no commits. One that follows the
  // counters is asked within that cycle.
  bool active_at(uint64_t cycle) const {
    if (kind_ == Kind::kCounters) return window_open_ != nullptr && *window_open_;
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
  // What it looks for in commits, if it needs them.
  std::optional<CommitRange> commit_range() const {
    if (!needs_commits()) return std::nullopt;
    if (kind_ == Kind::kPc) return CommitRange{true, {start_, UINT64_MAX}, {end_, UINT64_MAX}};
    return CommitRange{false, {start_, start_mask_}, {end_, end_mask_}};
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
  const bool *window_open_ = nullptr;
};

}  // namespace firesim::traces
