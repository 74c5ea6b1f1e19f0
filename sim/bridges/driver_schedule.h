// SPDX-License-Identifier: BSD-3-Clause
// Which drivers of a blade are to be called in a cycle, and how long the target may run by itself.
#pragma once

#include <cstdint>
#include <vector>

#include "bridges/driver.h"

namespace firesim::bridges {

// Drivers are called in the order in which they were added, each first in the first cycle asked
// for.
class DriverSchedule {
 public:
  // `wakes` are the outputs that wake the driver; its own time is `ahead_cycles` (modulo 2^64)
  // before that of the cycles given here. The driver outlives this.
  void add(Driver &driver, const std::vector<FiresimPort> &wakes, uint64_t ahead_cycles);
  void clear();

  // Whether a driver is to be called in `cycle`, the tokens of which are in the outputs.
  bool due(uint64_t cycle) const {
    if (cycle >= quiet_until_) return true;
    uint8_t woken = 0;  // no early exit: most cycles look at all of them
    for (const uint8_t *byte : wake_bytes_) woken |= *byte;
    return woken != 0;
  }
  // Calls those of `cycle`.
  void exchange(uint64_t cycle);
  // The next cycle in which a driver is to be called if no output wakes one before.
  uint64_t quiet_until() const { return quiet_until_; }

 private:
  struct Entry {
    Driver *driver;
    uint64_t ahead_cycles;
    uint64_t next_call;
    size_t first_wake, end_wake;  // in wake_bytes_
  };
  bool woken(const Entry &entry) const;

  std::vector<Entry> entries_;
  std::vector<const uint8_t *> wake_bytes_;  // of all outputs that wake, in order of the drivers
  uint64_t quiet_until_ = kNever;
};

}  // namespace firesim::bridges
