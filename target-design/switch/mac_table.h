// SPDX-License-Identifier: BSD-3-Clause
//
// Static forwarding table of a switch: station address to port. Open addressing, at most half full.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "switch/switch_config.h"

namespace firesim {

class MacTable {
 public:
  static constexpr uint32_t kUnknown = UINT32_MAX;

  // Addresses must be distinct.
  explicit MacTable(const std::vector<MacEntry> &entries)
      : slots_(std::bit_ceil(2 * entries.size() + 1)),
        shift_(64 - std::countr_zero(slots_.size())) {
    for (const MacEntry &entry : entries) {
      size_t at = first_slot(entry.mac);
      while (slots_[at].port != kUnknown) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = entry;
    }
  }

  uint32_t find(uint64_t mac) const {
    for (size_t at = first_slot(mac);; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at].port == kUnknown || slots_[at].mac == mac) return slots_[at].port;
    }
  }

 private:
  struct Slot : MacEntry {
    Slot() { port = kUnknown; }
    Slot &operator=(const MacEntry &entry) {
      mac = entry.mac;
      port = entry.port;
      return *this;
    }
  };

  size_t first_slot(uint64_t mac) const {
    return shift_ == 64 ? 0 : static_cast<size_t>(mac * 0x9e3779b97f4a7c15 >> shift_);
  }

  std::vector<Slot> slots_;
  int shift_;
};

}  // namespace firesim
