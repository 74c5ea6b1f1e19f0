// SPDX-License-Identifier: BSD-3-Clause
// Calls drivers when they are due; see driver_schedule.h.
#include "bridges/driver_schedule.h"

#include <algorithm>

namespace firesim::bridges {

void DriverSchedule::add(Driver &driver, const std::vector<FiresimPort> &wakes,
                         uint64_t ahead_cycles) {
  const size_t first = wake_bytes_.size();
  for (const FiresimPort &port : wakes) {
    const auto *storage = static_cast<const uint8_t *>(port.storage);
    for (uint32_t i = 0; i < port_bytes(port.width_bits); ++i) wake_bytes_.push_back(storage + i);
  }
  entries_.push_back({&driver, ahead_cycles, 0, first, wake_bytes_.size()});
  quiet_until_ = 0;
}

void DriverSchedule::clear() { *this = DriverSchedule(); }

bool DriverSchedule::woken(const Entry &entry) const {
  for (size_t i = entry.first_wake; i < entry.end_wake; ++i) {
    if (*wake_bytes_[i] != 0) return true;
  }
  return false;
}

void DriverSchedule::exchange(uint64_t cycle) {
  quiet_until_ = kNever;
  for (Entry &entry : entries_) {
    if (cycle >= entry.next_call || woken(entry)) {
      const uint64_t next = entry.driver->exchange(cycle + entry.ahead_cycles);
      entry.next_call = next == kNever ? kNever : next - entry.ahead_cycles;
    }
    quiet_until_ = std::min(quiet_until_, entry.next_call);
  }
}

}  // namespace firesim::bridges
