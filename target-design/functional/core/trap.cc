// SPDX-License-Identifier: BSD-3-Clause
// Traps: where they go, what they save, and which interrupt comes first.
#include <array>

#include "core.h"
#include "csr_bits.h"

namespace firesim::functional {
namespace {

// As mtval of Rocket, whose bits end at `top`: that one tells a good address from a bad one.
uint64_t in_bits_to(uint32_t top, uint64_t value) {
  const int64_t upper = static_cast<int64_t>(value) >> top;
  const uint64_t sign = upper == 0 || upper == -1 ? value >> top & 1 : ~value >> (top - 1) & 1;
  const uint64_t kept = (value & csr_bits::ones(top)) | sign << top;
  const uint32_t shift = 63 - top;
  return static_cast<uint64_t>(static_cast<int64_t>(kept << shift) >> shift);
}

uint64_t vector(uint64_t base, uint64_t which) {
  const bool vectored = (base & 1) != 0 && (which & cause::kInterrupt) != 0;
  return (base & ~uint64_t{3}) + (vectored ? 4 * (which & 63) : 0);
}

}  // namespace

Next Core::illegal() { return memory_trap(cause::kIllegal, 0); }

void Core::take_trap(uint64_t at, uint64_t which, uint64_t value) {
  const bool interrupt = (which & cause::kInterrupt) != 0;
  if (which == cause::kHeld) {
    // It has taken a slot, as a trap does, and is done again.
    --retired_at_end;
    stop_requested = true;
    pc = at;
    return;
  }
  const uint64_t delegated = interrupt ? mideleg : medeleg;
  const bool to_supervisor = privilege != kMachine && (delegated >> (which & 63) & 1) != 0;
  // An exception takes a slot, as every instruction, but retires none.
  if (!interrupt) --retired_at_end;
  last_trap = {at, which, in_bits_to(address_top, value), privilege, true, false};
  if (to_supervisor) {
    scause = which;
    sepc = at;
    stval = in_bits_to(address_top, value);
    mstatus = (mstatus & ~(status::kSpp | status::kSpie | status::kSie)) |
              (privilege == kSupervisor ? status::kSpp : 0) |
              ((mstatus & status::kSie) != 0 ? status::kSpie : 0);
    privilege = kSupervisor;
    pc = vector(stvec, which);
  } else {
    mcause = which;
    mepc = at;
    mtval = in_bits_to(address_top, value);
    mstatus = (mstatus & ~(status::kMpp | status::kMpie | status::kMie)) |
              uint64_t{privilege} << 11 | ((mstatus & status::kMie) != 0 ? status::kMpie : 0);
    privilege = kMachine;
    pc = vector(mtvec, which);
  }
  update_context();
}

bool Core::interrupt_ready(uint64_t &which) const {
  const uint64_t waiting_ones = pending();
  if (waiting_ones == 0) return false;
  const bool machine_on = privilege != kMachine || (mstatus & status::kMie) != 0;
  const bool supervisor_on =
      privilege == kUser || (privilege == kSupervisor && (mstatus & status::kSie) != 0);
  const uint64_t machine = machine_on ? waiting_ones & ~mideleg : 0;
  const uint64_t supervisor = supervisor_on ? waiting_ones & mideleg : 0;
  const uint64_t candidates = machine != 0 ? machine : supervisor;
  for (const uint32_t number : std::array{11, 3, 7, 9, 1, 5}) {
    if ((candidates >> number & 1) != 0) {
      which = number;
      return true;
    }
  }
  return false;
}

void Core::take_interrupts() {
  uint64_t which = 0;
  if (interrupt_ready(which)) take_trap(pc, which | cause::kInterrupt, 0);
}

namespace {

Next op_mret(Core &core, const Op &) {
  if (core.privilege != kMachine) return core.illegal();
  core.privilege = static_cast<uint8_t>((core.mstatus & status::kMpp) >> 11);
  const uint64_t enable = (core.mstatus & status::kMpie) != 0 ? status::kMie : 0;
  const uint64_t least = core.features.supervisor ? 0 : status::kMpp;  // of the modes there are
  core.mstatus = (core.mstatus & ~(status::kMpp | status::kMie)) | status::kMpie | enable | least;
  core.pc = core.mepc;
  core.update_context();
  return Next::kJump;
}

Next op_sret(Core &core, const Op &) {
  if (core.privilege == kUser || !core.features.supervisor) return core.illegal();
  if (core.privilege == kSupervisor && (core.mstatus & status::kTsr) != 0) return core.illegal();
  core.privilege = (core.mstatus & status::kSpp) != 0 ? kSupervisor : kUser;
  const uint64_t enable = (core.mstatus & status::kSpie) != 0 ? status::kSie : 0;
  core.mstatus = (core.mstatus & ~(status::kSpp | status::kSie)) | status::kSpie | enable;
  core.pc = core.sepc;
  core.update_context();
  return Next::kJump;
}

Next op_wfi(Core &core, const Op &) {
  if (core.privilege == kUser) return core.illegal();
  if (core.privilege == kSupervisor && (core.mstatus & status::kTw) != 0) return core.illegal();
  core.waiting = core.pending() == 0;
  return Next::kLeave;
}

Next op_sfence_vma(Core &core, const Op &op) {
  if (core.privilege == kUser || !core.features.supervisor) return core.illegal();
  if (core.privilege == kSupervisor && (core.mstatus & status::kTvm) != 0) return core.illegal();
  if (op.rs1 == 0) {
    core.flush_tlbs();
  } else {
    core.flush_tlb_page(core.x[op.rs1]);
  }
  return Next::kLeave;
}

}  // namespace

Helper system_helper(Opcode opcode) {
  switch (opcode) {
    case Opcode::ecall:
      return [](Core &core, const Op &) {
        return core.memory_trap(cause::kUserCall + core.privilege, 0);
      };
    case Opcode::ebreak:
      return [](Core &core, const Op &) { return core.memory_trap(cause::kBreakpoint, 0); };
    case Opcode::mret:
      return op_mret;
    case Opcode::sret:
      return op_sret;
    case Opcode::wfi:
      return op_wfi;
    case Opcode::sfence_vma:
      return op_sfence_vma;
    case Opcode::fence_i:
      return [](Core &core, const Op &) {
        if (FenceCheck *check = core.shared.fence_check()) check->fenced(core.id);
        if (core.l1 != nullptr) core.l1->fence_instructions();
        return Next::kContinue;
      };
    case Opcode::region_start:
      return [](Core &core, const Op &) {
        core.shared.note_region_start(core.cycle_now());
        return Next::kContinue;
      };
    default:
      return [](Core &core, const Op &) { return core.illegal(); };
  }
}

}  // namespace firesim::functional
