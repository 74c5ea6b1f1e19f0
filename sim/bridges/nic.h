// SPDX-License-Identifier: BSD-3-Clause
// NIC driver: moves flits between the target's NIC and the batches of one link port. A flit the
// target sends in cycle t goes into the link in cycle t; a flit that leaves the link in cycle t is
// on the target's input in cycle t.
#pragma once

#include <deque>
#include <optional>

#include "core/batch.h"
#include "driver.h"
#include "nic_settings.h"

namespace firesim::bridges {

// Keys: those of NicSettings.
class NicDriver {
 public:
  explicit NicDriver(const DriverContext& context);

  uint32_t port() const { return settings_.port; }

  // The batches of the span of cycles that follows; they stay valid until the next call.
  void begin(const Batch& input, Batch& output) {
    cursor_.emplace(announcer_.pass(input, kResetCycles));
    output_ = &output;
    next_input_ = cursor_->next_offset();
  }
  // Puts the flit of `offset` on the target's input. Before settle().
  void drive(uint32_t offset) {
    if (offset >= next_input_ || in_valid_.value() != 0) drive_changed(offset);
  }
  // Takes the flit of `offset` from the target's output. After settle(), out of reset.
  void take(uint32_t offset) {
    if (out_valid_() || splicing_) take_flit(offset);
  }
  nlohmann::json statistics() const;
  // Not the MAC address and the rate, which are of the configuration: a clone has its own.
  void save(StateWriter& state) const;
  void load(StateReader& state);
  // The target's flits go out behind those that another engine has left, one a cycle.
  void start_warm(WarmStart& start);

 private:
  void drive_changed(uint32_t offset);
  void take_flit(uint32_t offset);

  NicSettings settings_;
  Announcer announcer_;
  OutputBit out_valid_;
  OutputPort out_data_;
  OutputBit out_last_;
  InputPort in_valid_, in_data_, in_last_;
  InputPort mac_address_, rate_increment_, rate_period_;
  std::optional<FlitCursor> cursor_;
  Batch* output_ = nullptr;
  uint32_t next_input_ = UINT32_MAX;  // no flit before this offset
  bool splicing_ = false;             // `to_send_` is not empty
  std::deque<Flit> to_send_;
  uint64_t flits_in_ = 0, flits_out_ = 0, packets_in_ = 0, packets_out_ = 0;
};

}  // namespace firesim::bridges
