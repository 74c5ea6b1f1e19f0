// SPDX-License-Identifier: BSD-3-Clause
// The bits that Rocket's control and status registers have: all others read as they are fixed.
#pragma once

#include <cstdint>

namespace firesim::functional::csr_bits {

inline constexpr uint64_t kSupervisorInterrupts = 0x222, kInterrupts = 0xaaa, kExceptions = 0xb15d;
inline constexpr uint64_t kSoftwareMip = 0x222;  // SSIP, STIP, SEIP
inline constexpr uint64_t kInterruptLines = 1 << 3 | 1 << 7 | 1 << 9 | 1 << 11;
inline constexpr uint64_t kMstatus = 0x7e'79aa, kMachineMstatus = 0x88, kFloatMstatus = 0x6000;
inline constexpr uint64_t kCounterEnable = 7;
inline constexpr uint8_t kPmpConfig = 0x9f;
inline constexpr uint64_t kTdata1 = 0x1df, kTdata1Machine = 0x40, kTdata1Modes = 0x58;
inline constexpr uint64_t kTdata1Fixed = uint64_t{2} << 60 | uint64_t{0x400'0000'0000} << 13;
inline constexpr uint64_t kCustom = 0x208;

// With `supervisor`, that mode and U mode are there; else M mode alone.
constexpr uint64_t interrupts(bool supervisor) {
  return supervisor ? kInterrupts : kInterrupts & ~kSupervisorInterrupts;
}
constexpr uint64_t mstatus(bool supervisor, bool floats) {
  return supervisor ? kMstatus : kMachineMstatus | (floats ? kFloatMstatus : 0);
}
constexpr uint64_t tdata1(bool supervisor) {
  return supervisor ? kTdata1 : kTdata1 & ~kTdata1Modes;
}

// Registers that hold physical addresses, by the bits that these have on the blade.
constexpr uint32_t kMostAddressBits = 35;  // with 16 GiB of DRAM
constexpr uint64_t ones(uint32_t bits) { return (uint64_t{1} << bits) - 1; }
constexpr uint64_t mtvec(uint32_t address_bits) { return ones(address_bits); }
constexpr uint64_t satp(uint32_t address_bits) {
  return uint64_t{8} << 60 | ones(address_bits - 12);
}
constexpr uint64_t pmp_address(uint32_t address_bits) { return ones(address_bits - 2); }

// The highest bit of what mepc, mtval and their likes hold. Virtual addresses are signed, physical
// ones are not: so where there are no virtual ones, a bit more than these have is kept, and above
// it one that tells a good address from a bad one.
constexpr uint32_t address_top(bool supervisor, uint32_t address_bits) {
  return supervisor ? 39 : address_bits + 1;
}

// Vectored tables are aligned to 256 bytes, other handlers to 4.
inline constexpr uint64_t vector_base(uint64_t value) {
  return value & ~uint64_t{(value & 1) != 0 ? 0xfeu : 2u};
}

}  // namespace firesim::functional::csr_bits
