// SPDX-License-Identifier: BSD-3-Clause
// One RV64IMAFDC hart with M, S and U mode, Sv39 and PMP, or what is left of it without some
// features, which behaves as the blade's Rocket does where software can see it, but for time: every
// instruction takes the same number of cycles.
// docs/explanation/functional-blade.md says how it works.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "memory_map.h"

namespace firesim::functional {

class Core;
class L1Caches;
class SharedState;

inline constexpr uint32_t kPmpRegions = 8;

// What a hart has beyond RV64IMAC with M mode alone.
struct HartFeatures {
  bool floats = true;      // F and D
  bool supervisor = true;  // S and U mode with Sv39

  bool operator==(const HartFeatures &) const = default;
};

// All of a hart that an instruction can observe. The CSRs hold what a read of them gives, but for:
// `mip` holds only the bits software has set (SSIP, STIP, SEIP), `interrupt_lines` the levels of
// the device's lines (bits 3, 7, 9, 11); `mcycle` is the value in cycle `cycle`.
struct ArchitecturalState {
  uint64_t cycle = 0;  // the target cycle the hart has reached
  uint64_t pc = kBootRomBase;
  std::array<uint64_t, 32> x{};
  std::array<uint64_t, 32> f{};
  uint32_t fcsr = 0;
  uint8_t privilege = 3;  // 0 user, 1 supervisor, 3 machine
  bool waiting = false;   // in WFI
  bool reservation_valid = false;
  uint64_t reservation_address = 0;  // physical
  uint64_t mstatus = 0, medeleg = 0, mideleg = 0, mie = 0, mip = 0, mtvec = 0, mscratch = 0;
  uint64_t mepc = 0, mcause = 0, mtval = 0, mcounteren = 0;
  uint64_t stvec = 0, sscratch = 0, sepc = 0, scause = 0, stval = 0, satp = 0, scounteren = 0;
  uint64_t mcycle = 0, minstret = 0;
  uint64_t interrupt_lines = 0;
  std::array<uint8_t, kPmpRegions> pmpcfg{};
  std::array<uint64_t, kPmpRegions> pmpaddr{};
  uint64_t tdata1 = 0, tdata2 = 0;
  uint64_t chicken = 0x208;  // CSR 0x7c1: Rocket's own switches, which only keep their bits

  bool operator==(const ArchitecturalState &) const = default;
};

// What one instruction did: reported in order to a RetireObserver, as FireSimTraceRVBridge reports
// it (docs/reference/interfaces/bridges.md). With `exception` nothing committed at `pc`;
// `interrupt` says that the trap is an interrupt.
struct Retired {
  uint64_t cycle;
  uint64_t pc;
  uint32_t instruction;  // as in memory; the upper half of a compressed one is 0
  uint8_t privilege;
  bool exception;
  bool interrupt;
  uint64_t cause;
  uint64_t tval;
};

class RetireObserver {
 public:
  virtual ~RetireObserver() = default;
  virtual void retired(const Retired &event) = 0;
  // Whether `retired` calculates in floating point: the host's flags are then its own, which takes
  // longer than all else.
  virtual bool uses_floats() const { return true; }
};

// Is told where a hart's instructions lead, and not of each of them: what call stacks need, at a
// fraction of the cost of a RetireObserver.
class FlowObserver {
 public:
  // Addresses low <= pc < high in which the hart may go on without a word, but for jumps that link
  // or go through a register, returns of traps, and traps.
  struct Range {
    uint64_t low = 0;
    uint64_t high = 0;
  };

  virtual ~FlowObserver() = default;
  // Each gets what happens now, by the cycle in which the instruction begins, and whether it is the
  // first of this run(); each returns the range from now on.
  //
  // The instruction at `next.pc`, outside of the range, is about to be done; of `next`, only cycle,
  // pc and privilege are known.
  virtual Range arrives(const Retired &next, bool is_first) = 0;
  // Such a jump, in the form of 4 or 2 bytes that it has, or a trap.
  virtual Range happened(const Retired &event, bool is_first) = 0;
  // run() is over; it has run in the cycles from <= cycle < to.
  virtual void ran(uint64_t from_cycle, uint64_t to_cycle) = 0;
};

class Hart {
 public:
  // `mmio`, `shared` and the DRAM must outlive the hart. All harts of one blade share one
  // SharedState, made before them, and run on one thread at a time.
  Hart(uint32_t id, Dram dram, Mmio &mmio, uint32_t cycles_per_instruction, SharedState &shared,
       HartFeatures features = {});
  ~Hart();
  Hart(const Hart &) = delete;
  Hart &operator=(const Hart &) = delete;

  // Runs from `from_cycle` until the first cycle >= `to_cycle`, or less when it waits (WFI with
  // nothing pending) or stop() was called; returns the cycle reached (`from_cycle` at once when it
  // waits already). An instruction begun in cycle c ends in c + cycles_per_instruction, also when
  // it traps; taking an interrupt takes no time. The result is the same however time is cut.
  uint64_t run(uint64_t from_cycle, uint64_t to_cycle);

  // From Mmio callbacks: the instruction is not done, and run() returns. The hart waits, whatever
  // interrupts are pending, and does the instruction again after go_on().
  void hold();
  void go_on();
  // From Mmio callbacks: return from run() after this instruction.
  void stop();

  // In WFI with no enabled interrupt pending: run() would do nothing.
  bool waiting() const;

  // Sets the level of an interrupt line: cause 3, 7, 11 or 9 (MSIP, MTIP, MEIP, SEIP).
  void set_interrupt(uint32_t cause, bool level);

  // DRAM [address, address + bytes) was changed by a device: drops decoded code and reservations
  // there. One call on any hart serves all harts of the SharedState.
  void write_by_device(uint64_t address, uint64_t bytes);

  // Everything; also the form a snapshot and a warm start use. After set_state, run() must be
  // called with from_cycle >= state.cycle. set_state also forgets everything derived from DRAM.
  ArchitecturalState state() const;
  void set_state(const ArchitecturalState &state);

  // Reports every instruction and trap to `observer`, slowly; nullptr ends that.
  void set_observer(RetireObserver *observer);
  // Tells `flow` where instructions lead; nullptr ends that. A change drops all decoded code.
  void set_flow(FlowObserver *flow);
  // Follows in `caches` what the hart's first-level caches hold; nullptr ends that. A change drops
  // all decoded code. Not beside a FlowObserver.
  void set_l1(L1Caches *caches);

  // For a debugger, which changes nothing; also within a call of the observer. A CSR is what the
  // hart would read, whatever its privilege; nothing if there is none of this number.
  uint64_t pc() const;
  uint64_t x(uint32_t number) const;  // an integer register
  std::optional<uint64_t> csr(uint32_t number) const;

 private:
  std::unique_ptr<Core> core_;
};

}  // namespace firesim::functional
