// SPDX-License-Identifier: BSD-3-Clause
// Finds a missing fence.i. Harts of this engine see every store when they fetch, real ones only
// after a fence.i of their own: which instructions a hart may not fetch yet is noted here, in
// 16-bit parcels, since a line may hold data and code.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace firesim::functional {

class FenceCheck {
 public:
  // A fetch of what was stored after the hart's last fence.i.
  struct Fetch {
    uint32_t hart;
    uint64_t pc;
    uint64_t cycle;
  };

  explicit FenceCheck(uint32_t harts) : stored_(harts) {}

  // DRAM [offset, offset + bytes) was stored to by a hart or a device.
  void stored(uint64_t offset, uint64_t bytes);
  // The hart executed a fence.i.
  void fenced(uint32_t hart) { stored_[hart].clear(); }
  // Whether the parcel at an even offset was stored to after the hart's last fence.i.
  bool is_stale(uint32_t hart, uint64_t offset) const;
  // Nothing is known of earlier stores: DRAM was changed from outside.
  void forget();

  void note(const Fetch &fetch) { found_ = fetch; }
  const std::optional<Fetch> &found() const { return found_; }

 private:
  static constexpr uint64_t kPageBytes = 4096, kParcelBytes = 2;
  using Page = std::bitset<kPageBytes / kParcelBytes>;

  std::vector<std::unordered_map<uint64_t, Page>> stored_;  // by hart, by page
  std::optional<Fetch> found_;
};

}  // namespace firesim::functional
