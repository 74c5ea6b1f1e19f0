// SPDX-License-Identifier: BSD-3-Clause
// TraceRV driver: committed instructions of one hart, or of a lane of it. What is made of them, and
// the keys, are those of HartTrace, which all lanes of a hart share.
#pragma once

#include <memory>

#include "bridges/driver.h"
#include "bridges/tracerv/trace_port.h"
#include "devices/warm_start.h"
#include "traces/hart_trace.h"

namespace firesim::bridges {

class TraceRvDriver final : public Driver {
 public:
  explicit TraceRvDriver(const DriverContext &context);
  bool listens() const override { return hart_->wanted(); }
  CycleRange interest() const override { return hart_->interest(); }
  std::optional<hostlib::GateSetting> gate() const override;
  uint64_t exchange(uint64_t cycle) override {
    if (interest_.holds(cycle) && port_.anything()) hart_->take(port_.read(cycle));
    return kNever;
  }
  void finish(uint64_t cycle) override {
    if (is_first()) hart_->finish(cycle);
  }
  nlohmann::json statistics() const override {
    return is_first() ? hart_->statistics() : nlohmann::json();
  }
  const TracePort *trace_port() const override { return &port_; }
  uint32_t hart() const { return number_; }
  bool can_save() const override { return true; }
  void save(StateWriter &state) const override {
    if (is_first()) hart_->save(state);
  }
  void load(StateReader &state) override {
    if (is_first()) hart_->load(state);
  }
  void start_warm(WarmStart &start, uint64_t) override {
    if (is_first() && number_ < start.calls.size()) hart_->go_on_within(start.calls[number_]);
  }

 private:
  bool is_first() const { return port_.lane() == 0; }

  const uint32_t number_;  // of the hart
  TracePort port_;
  std::shared_ptr<HartTrace> hart_;
  CycleRange interest_;
};

}  // namespace firesim::bridges
