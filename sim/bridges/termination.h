// SPDX-License-Identifier: BSD-3-Clause
// Drivers that end a blade: the finisher (sifive,test0 values) and failed asserts.
#pragma once

#include <vector>

#include "driver.h"

namespace firesim::bridges {

// Ends the blade when the target writes to its finisher: 0x5555 passed, code << 16 | 0x3333 failed
// with that code, 0x7777 asked for a reset (counts as a failure, since a blade does not restart).
class TerminationDriver final : public Driver {
 public:
  explicit TerminationDriver(const DriverContext& context);
  void step(uint64_t cycle) override {
    if (valid_()) end_blade(cycle);
  }

 private:
  void end_blade(uint64_t cycle);

  OutputBit valid_;
  OutputPort value_;
  BladeStatus* status_;
};

// Ends the blade in the cycle in which a bit of the assert port is 1. Key: enabled (true).
class AssertDriver final : public Driver {
 public:
  // `port` is the model's assert port.
  AssertDriver(const FiresimPort& port, std::vector<AssertInfo> asserts, bool enabled,
               BladeStatus& status);
  bool needs_step() const override { return enabled_; }
  void step(uint64_t cycle) override {
    for (uint32_t i = 0; i < bytes_; ++i) {
      if (storage_[i] != 0) return end_blade(cycle, i);
    }
  }

 private:
  void end_blade(uint64_t cycle, uint32_t byte);

  const uint8_t* storage_;
  uint32_t bytes_;
  std::vector<AssertInfo> asserts_;
  bool enabled_;
  BladeStatus* status_;
};

}  // namespace firesim::bridges
