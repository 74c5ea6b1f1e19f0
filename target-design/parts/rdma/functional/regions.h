// SPDX-License-Identifier: BSD-3-Clause
// Regions of memory that keys give access to: protection domain, rights, bounds, physical address.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace firesim::functional::rdma {

inline constexpr uint32_t kRegions = 64;

// Rights of a region; reading by its own node needs none.
inline constexpr uint8_t kLocalWrite = 1, kRemoteRead = 2, kRemoteWrite = 4;

// What becomes of data that peers write to a region.
enum class Reduction : uint8_t { kNone = 0, kInt32 = 1, kFp32 = 2, kStores = 3 };

// As the mailbox has it.
struct Region {
  std::array<uint64_t, 4> words{};
  bool valid = false;

  uint8_t variant() const { return static_cast<uint8_t>(words[0]); }  // low byte of its key
  uint8_t access() const { return words[0] >> 8 & 7; }
  Reduction reduction() const { return static_cast<Reduction>(words[0] >> 12 & 3); }
  uint16_t domain() const { return static_cast<uint16_t>(words[0] >> 32); }
  uint64_t begin() const { return words[1]; }
  uint64_t bytes() const { return words[2] & 0xffff'ffff'ffff; }
  uint64_t physical() const { return words[3] & 0xffff'ffff'ffff; }
};

// What somebody wants to do with memory. `privileged`: key 0 is for all of it, by physical address.
struct Access {
  uint32_t key = 0;
  uint64_t address = 0;
  uint32_t bytes = 0;
  uint16_t domain = 0;
  uint8_t rights = 0;
  bool privileged = false;
};

class Regions {
 public:
  void set(uint32_t index, const Region &region) { regions_[index] = region; }
  void clear(uint32_t index) { regions_[index].valid = false; }
  // A peer takes back a key; only of a region of that protection domain.
  void invalidate(uint32_t key, uint16_t domain);

  // The physical address, if the access is granted; one of no bytes always is.
  std::optional<uint64_t> find(const Access &access) const;
  // Of the region with this key, or that would have it.
  Reduction reduction(uint32_t key) const { return regions_[number(key)].reduction(); }

  std::array<Region, kRegions> &all() { return regions_; }
  const std::array<Region, kRegions> &all() const { return regions_; }

 private:
  static uint32_t number(uint32_t key) { return key >> 8 & (kRegions - 1); }
  bool has(uint32_t key, uint16_t domain) const;

  std::array<Region, kRegions> regions_;
};

}  // namespace firesim::functional::rdma
