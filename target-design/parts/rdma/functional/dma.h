// SPDX-License-Identifier: BSD-3-Clause
// Memory as the RDMA NIC reaches it, in the cycle in which it is. Addresses with bit 47 are of
// pages that a table in memory lists, if the NIC has pages; all others are physical.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "functional/devices/device_memory.h"

namespace firesim::functional::rdma {

class Dma {
 public:
  explicit Dma(DeviceMemory &memory) : memory_(&memory) {}

  void set_cycle(uint64_t cycle) { cycle_ = cycle; }
  uint64_t cycle() const { return cycle_; }

  // Zeros if it is not there; then the blade has ended.
  std::vector<uint8_t> read(uint64_t address, uint32_t bytes) {
    std::vector<uint8_t> data(bytes);
    read(address, data.data(), bytes);
    return data;
  }
  void read(uint64_t address, void *data, uint64_t bytes) {
    auto *to = static_cast<uint8_t *>(data);
    in_pages(address, bytes, [&](uint64_t place, uint64_t count) {
      const uint8_t *found = memory_->read(place, count, cycle_, kName);
      if (found != nullptr) std::memcpy(to, found, count);
      to += count;
    });
  }
  void write(uint64_t address, const void *data, uint64_t bytes) {
    const auto *from = static_cast<const uint8_t *>(data);
    in_pages(address, bytes, [&](uint64_t place, uint64_t count) {
      memory_->write(place, from, count, cycle_, kName);
      from += count;
    });
  }

  // The table: entries of eight bytes, a physical address of a page with bit 0 set.
  struct PageTable {
    bool exists = false;
    uint64_t base = 0;
    uint32_t pages = 0;
  };
  PageTable &table() { return table_; }
  const PageTable &table() const { return table_; }

 private:
  static constexpr const char *kName = "RDMA NIC";
  static constexpr uint64_t kPaged = uint64_t{1} << 47, kPageBytes = 4096;

  // A page that the table does not have is at address 0, where no memory is.
  uint64_t page(uint64_t number) {
    uint64_t entry = 0;
    if (number >= table_.pages) return 0;
    const uint8_t *found = memory_->read(table_.base + 8 * number, sizeof entry, cycle_, kName);
    if (found != nullptr) std::memcpy(&entry, found, sizeof entry);
    return (entry & 1) != 0 ? entry & 0xffff'ffff'f000 : 0;
  }
  // Calls `use(place, count)` for each stretch that is contiguous in memory.
  template <typename Use>
  void in_pages(uint64_t address, uint64_t bytes, Use &&use) {
    if (!table_.exists || (address & kPaged) == 0) {
      if (bytes != 0) use(address, bytes);
      return;
    }
    for (uint64_t at = address & ~kPaged, end = at + bytes; at < end;) {
      const uint64_t offset = at % kPageBytes;
      const uint64_t count = std::min(end - at, kPageBytes - offset);
      use(page(at / kPageBytes) + offset, count);
      at += count;
    }
  }

  DeviceMemory *memory_;
  PageTable table_;
  uint64_t cycle_ = 0;
};

}  // namespace firesim::functional::rdma
