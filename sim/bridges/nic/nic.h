// SPDX-License-Identifier: BSD-3-Clause
// NIC driver: moves flits between the target's NIC and the batches of one link port. A flit the
// target sends in cycle t goes into the link in cycle t; a flit that leaves the link in cycle t is
// on the target's input in cycle t.
#pragma once

#include <deque>
#include <optional>

#include "bridges/driver.h"
#include "devices/nic_settings.h"

namespace firesim::bridges {

// Keys: those of NicSettings.
class NicDriver final : public LinkDriver {
 public:
  explicit NicDriver(const DriverContext &context);

  void begin(uint64_t start_cycle, const Batch &input, Batch &output) override {
    start_cycle_ = start_cycle;
    cursor_.emplace(announcer_.pass(input, reset_cycles_));
    output_ = &output;
    next_drive_ = in_valid_.value() != 0 ? 0 : cursor_->next_offset();
  }
  uint64_t exchange(uint64_t cycle) override {
    if (output_ == nullptr) {
      take_early();
      return kNever;
    }
    if (out_valid_() || splicing_) take_flit(cycle);
    return splicing_ ? cycle + 1 : kNever;
  }
  nlohmann::json statistics() const override;
  bool can_save() const override { return true; }
  // Not the MAC address and the rate, which are of the configuration: a clone has its own.
  void save(StateWriter &state) const override;
  void load(StateReader &state) override;
  // The target's flits go out behind those that another engine has left, one a cycle.
  void start_warm_link(WarmLink &from) override;
  RestoreRole restore_role() const override { return RestoreRole::kWatches; }

 private:
  void drive_changed(uint32_t offset) override;
  void take_flit(uint64_t cycle);
  void take_early();  // before the first token

  NicSettings settings_;
  const uint64_t reset_cycles_;
  Announcer announcer_;
  OutputBit out_valid_;
  OutputPort out_data_;
  OutputBit out_last_;
  InputPort in_valid_, in_data_, in_last_;
  InputPort mac_address_, rate_increment_, rate_period_;
  std::optional<FlitCursor> cursor_;
  Batch *output_ = nullptr;
  uint64_t start_cycle_ = 0;  // of it
  bool splicing_ = false;     // `to_send_` is not empty
  std::deque<Flit> to_send_;
  uint32_t to_drop_ = 0;  // packets of a restore program
  uint64_t flits_in_ = 0, flits_out_ = 0, packets_in_ = 0, packets_out_ = 0;
};

}  // namespace firesim::bridges
