// SPDX-License-Identifier: BSD-3-Clause
// UART driver: carries the bytes between the target's UART and its console, one a cycle each way at
// most, from the end of reset on.
#pragma once

#include "bridges/driver.h"
#include "devices/console.h"

namespace firesim::bridges {

// Keys: those of Console.
class UartDriver final : public Driver {
 public:
  explicit UartDriver(const DriverContext &context);
  uint64_t exchange(uint64_t cycle) override;
  void finish(uint64_t) override { console_.flush(); }
  nlohmann::json statistics() const override { return console_.statistics(bytes_in_); }
  bool can_save() const override { return true; }
  void save(StateWriter &state) const override;
  void load(StateReader &state) override;
  void start_warm(WarmStart &start, uint64_t cycle) override;

 private:
  void offer_input();

  OutputBit out_valid_;
  OutputPort out_bits_;
  OutputBit in_ready_;
  InputPort out_ready_;
  InputPort in_valid_;
  InputPort in_bits_;
  BladeStatus *status_;
  Console console_;
  uint64_t next_poll_;
  uint64_t bytes_in_ = 0;
};

}  // namespace firesim::bridges
