// SPDX-License-Identifier: BSD-3-Clause
// The boundary of a hart: running, state, interrupts, and the slow run for an observer.
#include "hart.h"

#include <algorithm>

#include "core.h"
#include "csr_bits.h"
#include "sim/core/check.h"
#include "translation/translator.h"

namespace firesim::functional {
Core::Core(uint32_t hart_id, Dram memory, Mmio &devices, uint32_t cycles, SharedState &all,
           HartFeatures has)
    : id(hart_id),
      dram(memory),
      mmio(devices),
      cycles_per_instruction(cycles),
      features(has),
      address_top(csr_bits::address_top(has.supervisor, memory.address_bits)),
      shared(all),
      jump_cache(untouched<JumpEntry>(kJumpEntries)),
      blocks_(all.code_bytes()) {
  FIRESIM_CHECK(cycles >= 1, "an instruction takes at least one cycle");
  FIRESIM_CHECK(dram.base % kPageBytes == 0 && dram.size_bytes % kPageBytes == 0,
                "DRAM consists of whole pages");
  shared.add(*this);
  update_context();
}

Core::~Core() { shared.remove(*this); }

uint64_t Core::run(uint64_t from_cycle, uint64_t to_cycle) {
  FIRESIM_CHECK(from_cycle >= cycle_, "a hart does not run in cycles it has passed");
  stop_requested = false;
  cycle_ = end_cycle_ = from_cycle;
  if (held || (waiting && pending() == 0)) return from_cycle;
  waiting = false;
  if (from_cycle >= to_cycle) return from_cycle;
  shared.begin_run();
  shared.drop_reserved_pages(*this);
  run_begin_ = from_cycle;
  begin_host_float();
  if (observer == nullptr) {
    const uint64_t cycles = to_cycle - from_cycle;
    run_slots(static_cast<int64_t>((cycles + cycles_per_instruction - 1) / cycles_per_instruction));
  } else {
    while (cycle_ < to_cycle && !stop_requested && !waiting) step_observed();
  }
  end_host_float();
  if (flow != nullptr) flow->ran(from_cycle, cycle_);
  return cycle_;
}

void Core::run_slots(int64_t slots) {
  end_cycle_ = cycle_ + static_cast<uint64_t>(slots) * cycles_per_instruction;
  retired_at_end += static_cast<uint64_t>(slots);
  slots_left = slots;
  const int64_t unused = flow != nullptr ? execute<Loop::kTold>(this, slots, nullptr)
                         : l1 != nullptr ? execute<Loop::kCached>(this, slots, nullptr)
                                         : execute<Loop::kPlain>(this, slots, nullptr);
  retired_at_end -= static_cast<uint64_t>(unused);
  end_cycle_ -= static_cast<uint64_t>(unused) * cycles_per_instruction;
  cycle_ = end_cycle_;
  slots_left = 0;
}

void Core::report_trap(uint32_t instruction, uint64_t cycle) {
  const bool interrupt = (last_trap.cause & cause::kInterrupt) != 0;
  report({cycle, last_trap.at, instruction, last_trap.privilege, true, interrupt,
          last_trap.cause & ~cause::kInterrupt, last_trap.tval});
}

// What an observer calculates leaves no trace in our flags.
void Core::report(const Retired &event) {
  if (!observer->uses_floats()) {
    observer->retired(event);
    return;
  }
  end_host_float();
  observer->retired(event);
  begin_host_float();
}

void Core::step_observed() {
  last_trap.taken = false;
  take_interrupts();
  if (flow != nullptr) tell_trap();
  if (last_trap.taken) report_trap(0, cycle_);
  const uint8_t from = privilege;
  last_trap.taken = false;
  const uint64_t at = pc, cycle = cycle_;
  const uint32_t instruction = instruction_at(at);
  run_slots(1);
  if (last_trap.taken) {
    report_trap(instruction, cycle);
  } else if (!held) {
    report({cycle, at, instruction, from, false, false, 0, 0});
  }
}

ArchitecturalState Core::state() const {
  ArchitecturalState s;
  s.cycle = cycle_;
  s.pc = pc;
  std::copy_n(x.begin(), 32, s.x.begin());
  s.f = f;
  s.fcsr = frm << 5 | fflags;
  s.privilege = privilege;
  s.waiting = waiting;
  s.reservation_valid = reservation_valid;
  s.reservation_address = reservation;
  csr_read(0x300, s.mstatus);
  s.medeleg = medeleg, s.mideleg = mideleg, s.mie = mie, s.mip = mip;
  s.mtvec = mtvec, s.mscratch = mscratch, s.mepc = mepc, s.mcause = mcause, s.mtval = mtval;
  s.mcounteren = mcounteren, s.stvec = stvec, s.sscratch = sscratch, s.sepc = sepc;
  s.scause = scause, s.stval = stval, s.satp = satp, s.scounteren = scounteren;
  s.mcycle = cycle_ + mcycle_offset;
  s.minstret = retired_at_end;
  s.interrupt_lines = lines;
  s.pmpcfg = pmpcfg;
  s.pmpaddr = pmpaddr;
  csr_read(0x7a1, s.tdata1);
  s.tdata2 = tdata2;
  s.chicken = custom;
  return s;
}

void Core::set_state(const ArchitecturalState &s) {
  cycle_ = end_cycle_ = s.cycle;
  slots_left = 0;
  pc = s.pc;
  std::copy_n(s.x.begin(), 32, x.begin());
  x[0] = 0;
  f = s.f;
  fflags = s.fcsr & 31;
  frm = s.fcsr >> 5 & 7;
  privilege = s.privilege;
  waiting = s.waiting;
  reservation_valid = s.reservation_valid;
  reservation = s.reservation_address;
  satp = s.satp;
  pmpcfg = s.pmpcfg;
  pmpaddr = s.pmpaddr;
  csr_write(0x300, s.mstatus);
  medeleg = s.medeleg, mideleg = s.mideleg, mie = s.mie, mip = s.mip, lines = s.interrupt_lines;
  mtvec = s.mtvec, mscratch = s.mscratch, mepc = s.mepc, mcause = s.mcause, mtval = s.mtval;
  mcounteren = s.mcounteren, stvec = s.stvec, sscratch = s.sscratch, sepc = s.sepc;
  scause = s.scause, stval = s.stval, scounteren = s.scounteren;
  mcycle_offset = s.mcycle - s.cycle;
  retired_at_end = s.minstret;
  csr_write(0x7a1, s.tdata1);
  tdata2 = s.tdata2;
  custom = s.chicken;
  flush_tlbs();
  shared.forget_code();
}

void Core::set_interrupt(uint32_t number, bool level) {
  const uint64_t bit = uint64_t{1} << number;
  FIRESIM_CHECK((bit & csr_bits::kInterruptLines) != 0, "interrupt lines are 3, 7, 9 and 11");
  lines = level ? lines | bit : lines & ~bit;
  leave_requested = true;
}

void Core::write_by_device(uint64_t address, uint64_t bytes) {
  const uint64_t offset = address - dram.base;
  FIRESIM_CHECK(offset <= dram.size_bytes && bytes <= dram.size_bytes - offset,
                "a device writes within DRAM");
  if (bytes != 0) shared.written(offset, bytes, nullptr);
  leave_requested = true;
}

Hart::Hart(uint32_t id, Dram dram, Mmio &mmio, uint32_t cycles_per_instruction, SharedState &shared,
           HartFeatures features)
    : core_(std::make_unique<Core>(id, dram, mmio, cycles_per_instruction, shared, features)) {}

Hart::~Hart() = default;

uint64_t Hart::run(uint64_t from_cycle, uint64_t to_cycle) {
  return core_->run(from_cycle, to_cycle);
}

void Hart::hold() { core_->held = true; }
void Hart::go_on() { core_->held = false; }

void Hart::stop() {
  core_->stop_requested = true;
  core_->leave_requested = true;
}

bool Hart::waiting() const { return core_->held || (core_->waiting && core_->pending() == 0); }

void Hart::set_interrupt(uint32_t cause, bool level) { core_->set_interrupt(cause, level); }

void Hart::write_by_device(uint64_t address, uint64_t bytes) {
  core_->write_by_device(address, bytes);
}

ArchitecturalState Hart::state() const { return core_->state(); }
void Hart::set_state(const ArchitecturalState &state) { core_->set_state(state); }
void Hart::set_observer(RetireObserver *observer) {
  // Code that was decoded for an observer is in blocks of single instructions.
  if (core_->observer != nullptr && observer == nullptr) core_->drop_code();
  core_->observer = observer;
  core_->code_tlb.fill({});
}
void Hart::set_flow(FlowObserver *flow) { core_->set_flow(flow); }
void Hart::set_l1(L1Caches *caches) { core_->set_l1(caches); }
uint64_t Hart::pc() const { return core_->pc; }
uint64_t Hart::x(uint32_t number) const { return core_->x[number]; }

std::optional<uint64_t> Hart::csr(uint32_t number) const {
  uint64_t value = 0;
  if (!core_->csr_read(number, value)) return std::nullopt;
  return value;
}

}  // namespace firesim::functional
