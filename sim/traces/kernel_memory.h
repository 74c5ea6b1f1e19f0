// SPDX-License-Identifier: BSD-3-Clause
// A node's memory by virtual addresses (Sv39), read through its page tables.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/debug_target.h"

namespace firesim::traces {

class KernelMemory {
 public:
  static constexpr uint64_t kPageBytes = 4096;

  // `satp` is the register as the hart has it. `target` outlives this.
  KernelMemory(const DebugTarget &target, uint64_t satp) : target_(target), satp_(satp) {}

  // False where no page is, or no memory.
  bool read(uint64_t address, std::span<uint8_t> bytes) const;
  // A number of 8 or 4 bytes; 0 where nothing is.
  uint64_t word(uint64_t address) const;
  uint32_t half(uint64_t address) const;
  // Bytes up to a zero, at most `most`.
  std::string text(uint64_t address, size_t most) const;

 private:
  std::optional<uint64_t> physical(uint64_t address) const;

  const DebugTarget &target_;
  const uint64_t satp_;
};

}  // namespace firesim::traces
