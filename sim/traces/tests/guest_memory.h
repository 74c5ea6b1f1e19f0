// SPDX-License-Identifier: BSD-3-Clause
// Memory of a node for tests of what is read of it through page tables: 1 MiB behind one leaf.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/debug_target.h"

namespace firesim::traces {

inline constexpr uint64_t kBase = 0x80000000, kBytes = 1 << 20;
inline constexpr uint64_t kLinear = 0xffffffd800000000;  // virtual address of kBase
inline constexpr uint64_t kRootTable = kBase + 0x1000;
inline constexpr uint64_t kSatp = uint64_t{8} << 60 | kRootTable / 4096;

// A node's memory, as the kernel on it sees it.
class GuestMemory final : public DebugTarget {
 public:
  GuestMemory() : bytes_(kBytes) {
    // One leaf of a GiB maps the kernel's view of memory.
    put(kRootTable + 8 * (kLinear >> 30 & 511), kBase / 4096 << 10 | 0xcf);
  }
  uint32_t hart_count() const override { return 1; }
  DebugPosition position() const override { return 0; }
  std::map<std::string, uint64_t> registers(uint32_t) const override { return {}; }
  bool read(uint64_t physical, std::span<uint8_t> to) const override {
    if (physical < kBase || physical - kBase > kBytes - to.size()) return false;
    std::memcpy(to.data(), &bytes_[physical - kBase], to.size());
    return true;
  }
  void listen(StepListener &) override {}

  void put(uint64_t physical, uint64_t value) {
    std::memcpy(&bytes_[physical - kBase], &value, sizeof value);
  }
  void put_text(uint64_t physical, const std::string &text) {
    std::memcpy(&bytes_[physical - kBase], text.c_str(), text.size() + 1);
  }
  std::vector<uint8_t> &bytes() { return bytes_; }
  // Where the kernel has what is at a physical address.
  static uint64_t seen(uint64_t physical) { return physical - kBase + kLinear; }

 private:
  std::vector<uint8_t> bytes_;
};

}  // namespace firesim::traces
