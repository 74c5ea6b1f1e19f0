// SPDX-License-Identifier: BSD-3-Clause
// Control and status registers: those Rocket has, with the bits it keeps. There is no time CSR and
// no mcountinhibit; event counters read 0; misa cannot be changed; the one trigger keeps what is
// written to it and never fires.
#include "block_builder.h"
#include "core.h"
#include "csr_bits.h"

namespace firesim::functional {
namespace {

constexpr uint64_t kMisa = 0x8000'0000'0080'1105;
constexpr uint64_t kMisaFloats = 0x28, kMisaSupervisor = 0x14'0000;
constexpr uint64_t kSstatusWritable =
    status::kSie | status::kSpie | status::kSpp | status::kFs | status::kSum | status::kMxr;

uint64_t sign_extend(uint64_t value, uint64_t top_bit) {
  const auto shift = static_cast<int>(63 - top_bit);
  return static_cast<uint64_t>(static_cast<int64_t>(value << shift) >> shift);
}

// Of counters, the read-only copies for modes below M.
bool is_user_counter(uint32_t number) { return number >= 0xc00 && number < 0xc20; }

bool is_event_counter(uint32_t number) {
  return (number >= 0x323 && number <= 0x33f) || (number >= 0xb03 && number <= 0xb1f) ||
         (number >= 0xc03 && number <= 0xc1f);
}

bool reads_zero(uint32_t number) {
  return number == 0x3a2 || (number >= 0x3b8 && number <= 0x3bf) || number == 0x7a0 ||
         number == 0xf11 || is_event_counter(number);
}

}  // namespace

uint64_t Core::cycle_now() const {
  return end_cycle_ - static_cast<uint64_t>(slots_left) * cycles_per_instruction;
}

uint64_t Core::retired_now() const { return retired_at_end - static_cast<uint64_t>(slots_left); }

bool Core::csr_read_supervisor(uint32_t number, uint64_t &value) const {
  if (!features.supervisor) return false;
  const uint64_t fs_dirty = (mstatus & status::kFs) != 0 ? status::kSd : 0;
  switch (number) {
    case 0x100:
      value = (mstatus & kSstatusWritable) | status::kUxl | fs_dirty;
      return true;
    case 0x104:
      value = mie & mideleg;
      return true;
    case 0x105:
      value = stvec;
      return true;
    case 0x106:
      value = scounteren;
      return true;
    case 0x140:
      value = sscratch;
      return true;
    case 0x141:
      value = sepc;
      return true;
    case 0x142:
      value = scause;
      return true;
    case 0x143:
      value = stval;
      return true;
    case 0x144:
      value = (mip | lines) & mideleg;
      return true;
    case 0x180:
      value = satp;
      return true;
    default:
      return false;
  }
}

// The registers of M mode that say what others may do are only there with others.
bool Core::csr_read_delegation(uint32_t number, uint64_t &value) const {
  if (!features.supervisor) return false;
  switch (number) {
    case 0x302:
      value = medeleg;
      return true;
    case 0x303:
      value = mideleg;
      return true;
    case 0x306:
      value = mcounteren;
      return true;
    default:
      return false;
  }
}

bool Core::csr_read_machine(uint32_t number, uint64_t &value) const {
  const uint64_t fs_dirty = (mstatus & status::kFs) != 0 ? status::kSd : 0;
  if (number >= 0x3b0 && number < 0x3b0 + kPmpRegions) {
    value = pmpaddr[number - 0x3b0];
    return true;
  }
  switch (number) {
    case 0x300:
      value = mstatus | (features.supervisor ? status::kSxlUxl : 0) | fs_dirty;
      return true;
    case 0x301:
      value =
          kMisa | (features.floats ? kMisaFloats : 0) | (features.supervisor ? kMisaSupervisor : 0);
      return true;
    case 0x304:
      value = mie;
      return true;
    case 0x305:
      value = mtvec;
      return true;
    case 0x340:
      value = mscratch;
      return true;
    case 0x341:
      value = mepc;
      return true;
    case 0x342:
      value = mcause;
      return true;
    case 0x343:
      value = mtval;
      return true;
    case 0x344:
      value = mip | lines;
      return true;
    case 0x3a0:
      value = 0;
      for (uint32_t i = 0; i < kPmpRegions; ++i) value |= uint64_t{pmpcfg[i]} << 8 * i;
      return true;
    default:
      return csr_read_delegation(number, value);
  }
}

bool Core::csr_read_float(uint32_t number, uint64_t &value) const {
  if (!features.floats) return false;
  switch (number) {
    case 0x001:
      value = float_flags();
      return true;
    case 0x002:
      value = frm;
      return true;
    case 0x003:
      value = frm << 5 | float_flags();
      return true;
    default:
      return false;
  }
}

bool Core::csr_read(uint32_t number, uint64_t &value) const {
  value = 0;
  if (csr_read_supervisor(number, value) || csr_read_machine(number, value) ||
      csr_read_float(number, value)) {
    return true;
  }
  if (is_user_counter(number) && !features.supervisor) return false;
  switch (number) {
    case 0x7a1:
      value = tdata1 | csr_bits::kTdata1Fixed;
      return true;
    case 0x7a2:
      value = tdata2;
      return true;
    case 0x7c1:
      value = custom;
      return true;
    case 0xb00:
    case 0xc00:
      value = cycle_now() + mcycle_offset;
      return true;
    case 0xb02:
    case 0xc02:
      value = retired_now();
      return true;
    case 0xf12:
      value = 1;
      return true;
    case 0xf13:
      value = 0x2018'1004;
      return true;
    case 0xf14:
      value = id;
      return true;
    default:
      return reads_zero(number);
  }
}

bool Core::csr_allowed(uint32_t number, bool write) const {
  if (privilege < (number >> 8 & 3)) return false;
  if (write && number >> 10 == 3) return false;
  if (number <= 3 && (mstatus & status::kFs) == 0) return false;
  if (number == 0x180 && privilege == kSupervisor && (mstatus & status::kTvm) != 0) return false;
  if (is_user_counter(number)) {
    const uint32_t bit = number & 31;
    if (privilege != kMachine && (mcounteren >> bit & 1) == 0) return false;
    if (privilege == kUser && (scounteren >> bit & 1) == 0) return false;
  }
  return true;
}

void Core::csr_write_supervisor(uint32_t number, uint64_t value) {
  switch (number) {
    case 0x104:
      mie = (mie & ~mideleg) | (value & mideleg);
      return;
    case 0x105:
      stvec = sign_extend(csr_bits::vector_base(value), address_top - 1);
      return;
    case 0x106:
      scounteren = value & csr_bits::kCounterEnable;
      return;
    case 0x140:
      sscratch = value;
      return;
    case 0x141:
      sepc = sign_extend(value & ~uint64_t{1}, address_top);
      return;
    case 0x142:
      scause = value & (cause::kInterrupt | 31);
      return;
    case 0x143:
      stval = sign_extend(value, address_top);
      return;
    case 0x144:
      mip = (mip & ~(2 & mideleg)) | (value & 2 & mideleg);
      return;
    case 0x180:
      // Other modes are not written at all; there are no address space numbers.
      if (value >> 60 != 0 && value >> 60 != 8) return;
      satp = value & csr_bits::satp(dram.address_bits);
      flush_tlbs();
      return;
    default:
      return;
  }
}

void Core::write_pmp(uint32_t number, uint64_t value) {
  const auto locked_range = [&](uint32_t i) {
    return i < kPmpRegions && (pmpcfg[i] & 0x98) == 0x88;
  };
  if (number == 0x3a0) {
    for (uint32_t i = 0; i < kPmpRegions; ++i) {
      if ((pmpcfg[i] & 0x80) != 0) continue;
      const auto byte = static_cast<uint8_t>(value >> 8 * i & csr_bits::kPmpConfig);
      // Writable but not readable is reserved.
      pmpcfg[i] = (byte & 1) != 0 ? byte : static_cast<uint8_t>(byte & ~2);
    }
  } else {
    const uint32_t i = number - 0x3b0;
    const uint32_t next = i + 1 < kPmpRegions ? i + 1 : i;
    if ((pmpcfg[i] & 0x80) != 0 || locked_range(next)) return;
    pmpaddr[i] = value & csr_bits::pmp_address(dram.address_bits);
  }
  flush_tlbs();
}

void Core::csr_write_machine(uint32_t number, uint64_t value) {
  if (number == 0x3a0 || (number >= 0x3b0 && number < 0x3b0 + kPmpRegions)) {
    return write_pmp(number, value);
  }
  switch (number) {
    case 0x302:
      medeleg = value & csr_bits::kExceptions;
      return;
    case 0x303:
      mideleg = value & csr_bits::kSupervisorInterrupts;
      return;
    case 0x304:
      mie = value & csr_bits::interrupts(features.supervisor);
      return;
    case 0x305:
      mtvec = csr_bits::vector_base(value & csr_bits::mtvec(dram.address_bits));
      return;
    case 0x306:
      mcounteren = value & csr_bits::kCounterEnable;
      return;
    case 0x340:
      mscratch = value;
      return;
    case 0x341:
      mepc = sign_extend(value & ~uint64_t{1}, address_top);
      return;
    case 0x342:
      mcause = value & (cause::kInterrupt | 15);
      return;
    case 0x343:
      mtval = sign_extend(value, address_top);
      return;
    case 0x344:
      mip = features.supervisor ? value & csr_bits::kSoftwareMip : 0;
      return;
    default:
      return csr_write_supervisor(number, value);
  }
}

void Core::write_status(uint64_t writable, uint64_t value) {
  mstatus = (mstatus & ~writable) | (value & writable);
  if ((mstatus & status::kFs) != 0) mstatus |= status::kFs;
  if ((mstatus & status::kMpp) == uint64_t{2} << 11) mstatus &= ~status::kMpp;
  update_context();
}

void Core::csr_write(uint32_t number, uint64_t value) {
  switch (number) {
    case 0x100:
      return write_status(kSstatusWritable, value);
    case 0x300:
      return write_status(csr_bits::mstatus(features.supervisor, features.floats), value);
    case 0x001:
    case 0x003:
      set_float_flags(value & 31);
      if (number == 0x003) frm = value >> 5 & 7;
      return;
    case 0x002:
      frm = value & 7;
      return;
    case 0x7a1:
      tdata1 = (value & csr_bits::tdata1(features.supervisor)) |
               (features.supervisor ? 0 : csr_bits::kTdata1Machine);
      return;
    case 0x7a2:
      tdata2 = sign_extend(value, address_top - 1);
      return;
    case 0x7c1:
      custom = value & csr_bits::kCustom;
      return;
    case 0xb00:
      // The cycle after the write has the value.
      mcycle_offset = value - (cycle_now() + 1);
      return;
    case 0xb02:
      // The instruction after the write sees the value.
      retired_at_end = value + static_cast<uint64_t>(slots_left) - 1;
      return;
    default:
      return csr_write_machine(number, value);
  }
}

namespace {

enum class Kind { kWrite, kSet, kClear };

template <Kind kKind, bool kImmediate>
Next op_csr(Core &core, const Op &op) {
  const uint32_t number = op_csr_number(op);
  const uint64_t operand = kImmediate ? op.rs1 : core.x[op.rs1];
  const bool write = kKind == Kind::kWrite || op.rs1 != 0;
  uint64_t old = 0;
  if (!core.csr_allowed(number, write) || !core.csr_read(number, old)) return core.illegal();
  if (write) {
    // A set or clear of mip works on the bits software has set, not on the devices' lines.
    const uint64_t base = number == 0x344 ? core.mip : old;
    core.csr_write(number, kKind == Kind::kWrite ? operand
                           : kKind == Kind::kSet ? base | operand
                                                 : base & ~operand);
  }
  if (op.rd != 0) core.x[op.rd] = old;
  // Scratch registers and flags change nothing else; all others may change how to go on.
  const bool plain = !write || number <= 3 || number == 0x140 || number == 0x340;
  return plain ? Next::kContinue : Next::kLeave;
}

}  // namespace

Helper csr_helper(Opcode opcode) {
  switch (opcode) {
    case Opcode::csrrw:
      return op_csr<Kind::kWrite, false>;
    case Opcode::csrrs:
      return op_csr<Kind::kSet, false>;
    case Opcode::csrrc:
      return op_csr<Kind::kClear, false>;
    case Opcode::csrrwi:
      return op_csr<Kind::kWrite, true>;
    case Opcode::csrrsi:
      return op_csr<Kind::kSet, true>;
    default:
      return op_csr<Kind::kClear, true>;
  }
}

}  // namespace firesim::functional
