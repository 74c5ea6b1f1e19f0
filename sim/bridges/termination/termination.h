// SPDX-License-Identifier: BSD-3-Clause
// Drivers that end a blade: the finisher (sifive,test0 values) and failed asserts.
#pragma once

#include <vector>

#include "bridges/driver.h"
#include "bridges/tracerv/window.h"
#include "devices/warm_start.h"

namespace firesim::bridges {

// Ends the blade when the target writes to its finisher: 0x5555 passed, code << 16 | 0x3333 failed
// with that code, 0x7777 asked for a reset (counts as a failure, since a blade does not restart).
class TerminationDriver final : public Driver {
 public:
  explicit TerminationDriver(const DriverContext &context);
  uint64_t exchange(uint64_t cycle) override {
    if (valid_()) end_blade(cycle);
    return kNever;
  }
  bool can_save() const override { return true; }
  bool ends_blade() const override { return true; }
  std::optional<uint32_t> restore_word() const override {
    return valid_() ? static_cast<uint32_t>(value_()) : 0;
  }

 private:
  void end_blade(uint64_t cycle);

  OutputBit valid_;
  OutputPort value_;
  BladeStatus *status_;
};

// Ends the blade in the cycle in which a bit of the assert port is 1: an assert failed, or $finish
// or $stop was called. Key: trigger, of asserts alone.
class AssertDriver final : public Driver {
 public:
  struct Source {
    AssertInfo info;
    FiresimPort arguments;  // storage null when there are none
  };

  // `port` is the model's assert port, with a bit for each of `sources`; `window` is that of the
  // key `trigger` of `config`.
  AssertDriver(Config &config, const FiresimPort &port, std::vector<Source> sources, Window window,
               BladeStatus &status);
  bool watches_commits() const { return window_.watches_commits(); }
  bool listens() const override { return finishes_ || !window_.never(); }
  CycleRange interest() const override { return finishes_ ? CycleRange{} : window_.possible(); }
  // Woken by the assert port, and by commits where it watches these.
  uint64_t exchange(uint64_t cycle) override {
    const bool open = window_.open(cycle);
    if ((open || finishes_) && failed_.any()) end_blade(cycle, open);
    return kNever;
  }
  bool can_save() const override { return true; }
  bool ends_blade() const override { return finishes_; }
  void save(StateWriter &state) const override;
  void load(StateReader &state) override;
  RestoreRole restore_role() const override { return RestoreRole::kWatches; }

 private:
  void end_blade(uint64_t cycle, bool open);

  OutputBits failed_;
  std::vector<Source> sources_;  // by bit, asserts first
  bool finishes_;                // whether $finish or $stop may be called
  Window window_;
  BladeStatus *status_;
};

}  // namespace firesim::bridges
