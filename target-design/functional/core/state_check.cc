// SPDX-License-Identifier: BSD-3-Clause
// Every register against the bits that it has; see state_check.h.
#include "state_check.h"

#include <fmt/format.h>

#include "core.h"
#include "csr_bits.h"

namespace firesim::functional {
namespace {

constexpr uint64_t kEven = ~uint64_t{1};
constexpr uint64_t kLine = ~uint64_t{63};
constexpr uint64_t kReservedMpp = uint64_t{2} << 11;
constexpr uint8_t kReservedPrivilege = 2;
constexpr uint64_t kCauses = cause::kInterrupt | 31;

struct Register {
  const char *name;
  uint64_t value;
  uint64_t bits;  // that it can have
};

std::string cannot_hold(const std::string &name, uint64_t value) {
  return fmt::format("{} is 0x{:x}, which no hart can hold", name, value);
}

// Of one PMP region: the lowest bits are R and W; writable but not readable is reserved.
bool is_pmp_config(uint8_t byte) {
  return (byte & ~csr_bits::kPmpConfig) == 0 && ((byte & 2) == 0 || (byte & 1) != 0);
}

// Bare or Sv39.
bool is_satp(uint64_t value) { return value >> 60 == 0 || value >> 60 == 8; }

std::optional<std::string> impossible_pmp(const ArchitecturalState &s) {
  for (uint32_t i = 0; i < kPmpRegions; ++i) {
    if (!is_pmp_config(s.pmpcfg[i])) return cannot_hold(fmt::format("pmp{}cfg", i), s.pmpcfg[i]);
    if ((s.pmpaddr[i] & ~csr_bits::pmp_address(csr_bits::kMostAddressBits)) != 0) {
      return cannot_hold(fmt::format("pmpaddr{}", i), s.pmpaddr[i]);
    }
  }
  return std::nullopt;
}

// What a hart with M mode alone has not: registers of S mode, and those that speak of other modes.
std::optional<std::string> impossible_beside_machine(const ArchitecturalState &s, bool floats) {
  const Register registers[] = {
      {"mstatus", s.mstatus,
       csr_bits::mstatus(false, floats) | status::kMpp | (floats ? status::kSd : 0)},
      {"medeleg", s.medeleg, 0},
      {"mideleg", s.mideleg, 0},
      {"mie", s.mie, csr_bits::interrupts(false)},
      {"mip", s.mip, 0},
      {"the interrupt lines", s.interrupt_lines, csr_bits::interrupts(false)},
      {"mcounteren", s.mcounteren, 0},
      {"stvec", s.stvec, 0},
      {"sscratch", s.sscratch, 0},
      {"sepc", s.sepc, 0},
      {"scause", s.scause, 0},
      {"stval", s.stval, 0},
      {"satp", s.satp, 0},
      {"scounteren", s.scounteren, 0},
      {"tdata1", s.tdata1,
       csr_bits::tdata1(false) | csr_bits::kTdata1Machine | csr_bits::kTdata1Fixed},
  };
  for (const Register &one : registers) {
    if ((one.value & ~one.bits) != 0) return cannot_hold(one.name, one.value);
  }
  if (s.privilege != kMachine) return cannot_hold("the privilege", s.privilege);
  if ((s.mstatus & status::kMpp) != status::kMpp) return cannot_hold("mstatus", s.mstatus);
  return std::nullopt;
}

std::optional<std::string> impossible_floats(const ArchitecturalState &s) {
  for (uint32_t i = 0; i < s.f.size(); ++i) {
    if (s.f[i] != 0) return cannot_hold(fmt::format("f{}", i), s.f[i]);
  }
  if (s.fcsr != 0) return cannot_hold("fcsr", s.fcsr);
  return std::nullopt;
}

std::optional<std::string> impossible_without(const ArchitecturalState &s, HartFeatures features) {
  if (!features.supervisor) {
    if (auto wrong = impossible_beside_machine(s, features.floats)) return wrong;
  }
  return features.floats ? std::nullopt : impossible_floats(s);
}

}  // namespace

std::optional<std::string> impossible(const ArchitecturalState &s, HartFeatures features) {
  const Register registers[] = {
      {"x0", s.x[0], 0},
      {"pc", s.pc, kEven},
      {"the reserved address", s.reservation_address, kLine},
      {"mstatus", s.mstatus, csr_bits::kMstatus | status::kSxlUxl | status::kSd},
      {"medeleg", s.medeleg, csr_bits::kExceptions},
      {"mideleg", s.mideleg, csr_bits::kSupervisorInterrupts},
      {"mie", s.mie, csr_bits::kInterrupts},
      {"mip", s.mip, csr_bits::kSoftwareMip},
      {"the interrupt lines", s.interrupt_lines, csr_bits::kInterruptLines},
      {"mtvec", s.mtvec,
       csr_bits::vector_base(s.mtvec) & csr_bits::mtvec(csr_bits::kMostAddressBits)},
      {"stvec", s.stvec, csr_bits::vector_base(s.stvec)},
      {"mepc", s.mepc, kEven},
      {"sepc", s.sepc, kEven},
      {"mcause", s.mcause, kCauses},
      {"scause", s.scause, kCauses},
      {"mcounteren", s.mcounteren, csr_bits::kCounterEnable},
      {"scounteren", s.scounteren, csr_bits::kCounterEnable},
      {"satp", s.satp, csr_bits::satp(csr_bits::kMostAddressBits)},
      {"tdata1", s.tdata1, csr_bits::kTdata1 | csr_bits::kTdata1Fixed},
      {"CSR 0x7c1", s.chicken, csr_bits::kCustom},
  };
  for (const Register &one : registers) {
    if ((one.value & ~one.bits) != 0) return cannot_hold(one.name, one.value);
  }
  if (s.privilege == kReservedPrivilege) return cannot_hold("the privilege", s.privilege);
  if ((s.mstatus & status::kMpp) == kReservedMpp) return cannot_hold("mstatus", s.mstatus);
  if (!is_satp(s.satp)) return cannot_hold("satp", s.satp);
  if (auto wrong = impossible_pmp(s)) return wrong;
  return impossible_without(s, features);
}

}  // namespace firesim::functional
