// SPDX-License-Identifier: BSD-3-Clause
// Virtual memory of a node; see kernel_memory.h.
#include "traces/kernel_memory.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace firesim::traces {
namespace {

constexpr uint64_t kSv39 = 8, kValid = 1, kLeaf = 0b1110;
constexpr uint64_t kPageNumber = (uint64_t{1} << 44) - 1;
constexpr uint32_t kLevels = 3, kIndexBits = 9, kOffsetBits = 12;

}  // namespace

std::optional<uint64_t> KernelMemory::physical(uint64_t address) const {
  const uint64_t top = address >> 38;
  if (satp_ >> 60 != kSv39 || (top != 0 && top != (uint64_t{1} << 26) - 1)) return std::nullopt;
  uint64_t table = (satp_ & kPageNumber) * kPageBytes;
  for (uint32_t level = kLevels; level-- > 0;) {
    const uint32_t low_bits = kOffsetBits + kIndexBits * level;
    uint64_t entry = 0;
    uint8_t bytes[8];
    if (!target_.read(table + 8 * (address >> low_bits & 511), bytes)) return std::nullopt;
    std::memcpy(&entry, bytes, sizeof entry);  // hosts are little-endian, as the target is
    if ((entry & kValid) == 0) return std::nullopt;
    table = (entry >> 10 & kPageNumber) * kPageBytes;
    if ((entry & kLeaf) == 0) continue;
    return table >> low_bits << low_bits | (address & ((uint64_t{1} << low_bits) - 1));
  }
  return std::nullopt;
}

bool KernelMemory::read(uint64_t address, std::span<uint8_t> bytes) const {
  while (!bytes.empty()) {
    const size_t piece = std::min<size_t>(bytes.size(), kPageBytes - address % kPageBytes);
    const std::optional<uint64_t> place = physical(address);
    if (!place || !target_.read(*place, bytes.first(piece))) return false;
    bytes = bytes.subspan(piece);
    address += piece;
  }
  return true;
}

uint64_t KernelMemory::word(uint64_t address) const {
  uint8_t bytes[8];
  uint64_t value = 0;
  if (read(address, bytes)) std::memcpy(&value, bytes, sizeof value);
  return value;
}

uint32_t KernelMemory::half(uint64_t address) const {
  uint8_t bytes[4];
  uint32_t value = 0;
  if (read(address, bytes)) std::memcpy(&value, bytes, sizeof value);
  return value;
}

std::string KernelMemory::text(uint64_t address, size_t most) const {
  std::vector<uint8_t> bytes(most);
  if (!read(address, bytes)) return "";
  const auto end = std::find(bytes.begin(), bytes.end(), uint8_t{0});
  return std::string(bytes.begin(), end);
}

}  // namespace firesim::traces
