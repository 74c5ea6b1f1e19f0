// SPDX-License-Identifier: BSD-3-Clause
// Order of things in the restore program; see restore_program.h.
//
// Every hart jumps to its section, which sets its CSRs and floating-point registers. Then it says
// so and waits. Hart 0 waits for all others, puts back what lay where the harts began, sets the
// devices, the time, and tells the host; then all of them load their registers and leave. Where
// caches are filled, that is done behind the devices, by all harts, and CSRs are set behind that:
// what runs then takes as few of the lines out again as it can.
#include "functional/warm_start/restore_program.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "core/check.h"
#include "devices/warm_start.h"
#include "functional/warm_start/encoder.h"
#include "functional/warm_start/part_steps.h"

namespace firesim::functional {
namespace {

constexpr uint32_t kMstatus = 0x300, kMepc = 0x341, kHartId = 0xf14;
constexpr uint64_t kMie = 1 << 3, kMpie = 1 << 7, kMpp = 3 << 11, kFloatOn = 3 << 13;
constexpr uint8_t kMachine = 3;
constexpr uint64_t kFlagStride = 64;  // a cache line for each flag
constexpr uint32_t kJump = 2;         // instructions a hart's jump to its section takes, less one

// Offsets in a NIC.
constexpr uint64_t kNicSend = 0, kNicCounts = 0x20, kNicFeatures = 0x50;
constexpr uint64_t kDummyBytes = 8;

// Of the program, for the lines of caches: those of 128 KiB each for one hart, 16 KiB for each
// of 8.
constexpr uint64_t kTableBytes = 32 << 10;

// What harts other than 0 say of themselves, and what hart 0 tells all of them: a number of its own
// for each time that they wait.
struct Flags {
  uint64_t base;
  uint64_t ready(uint32_t hart) const { return base + kFlagStride * (1 + hart); }
  uint64_t go() const { return base; }
};

uint64_t pmp_configuration(const ArchitecturalState &hart) {
  uint64_t value = 0;
  for (uint32_t i = 0; i < kPmpRegions; ++i) value |= uint64_t{hart.pmpcfg[i]} << 8 * i;
  return value;
}

// Whether a register is there for the sake of S and U mode: medeleg, mideleg, mcounteren, the bits
// of mip that can be written, and all of S mode.
bool is_for_supervisor(uint32_t number) {
  constexpr uint32_t kOfMachine[] = {0x302, 0x303, 0x306, 0x344};
  return (number >> 8 & 3) == 1 || std::ranges::find(kOfMachine, number) != std::end(kOfMachine);
}

void write_csrs(Section &section, std::span<const std::pair<uint32_t, uint64_t>> csrs,
                HartFeatures features) {
  for (const auto &[number, value] : csrs) {
    if (features.supervisor || !is_for_supervisor(number)) section.write_csr(number, value);
  }
}

// What nothing of the program depends on, and no trap of it changes.
void restore_quiet_csrs(Section &section, const ArchitecturalState &hart, HartFeatures features) {
  const std::pair<uint32_t, uint64_t> csrs[] = {
      {0x302, hart.medeleg},    {0x303, hart.mideleg},  {0x306, hart.mcounteren},
      {0x340, hart.mscratch},   {0x344, hart.mip},      {0x105, hart.stvec},
      {0x106, hart.scounteren}, {0x140, hart.sscratch}, {0x141, hart.sepc},
      {0x142, hart.scause},     {0x143, hart.stval},    {0x7c1, hart.chicken},
      {0x180, hart.satp},
  };
  write_csrs(section, csrs, features);
  if (features.supervisor) section.word(encode::kFlushTlb);
}

// All others: what may be accessed, triggers, and what traps of the program have changed.
void restore_late_csrs(Section &section, const ArchitecturalState &hart) {
  for (uint32_t i = 0; i < kPmpRegions; ++i) section.write_csr(0x3b0 + i, hart.pmpaddr[i]);
  const std::pair<uint32_t, uint64_t> csrs[] = {
      {0x3a0, pmp_configuration(hart)},
      {0x304, hart.mie},
      {0x305, hart.mtvec},
      {0x342, hart.mcause},
      {0x343, hart.mtval},
      {0x7a2, hart.tdata2},
      {0x7a1, hart.tdata1},
  };
  for (const auto &[number, value] : csrs) section.write_csr(number, value);
}

void restore_csrs(Section &section, const ArchitecturalState &hart, HartFeatures features) {
  for (uint32_t i = 0; i < kPmpRegions; ++i) section.write_csr(0x3b0 + i, hart.pmpaddr[i]);
  const std::pair<uint32_t, uint64_t> csrs[] = {
      {0x3a0, pmp_configuration(hart)},
      {0x302, hart.medeleg},
      {0x303, hart.mideleg},
      {0x304, hart.mie},
      {0x305, hart.mtvec},
      {0x306, hart.mcounteren},
      {0x340, hart.mscratch},
      {0x342, hart.mcause},
      {0x343, hart.mtval},
      {0x344, hart.mip},
      {0x105, hart.stvec},
      {0x106, hart.scounteren},
      {0x140, hart.sscratch},
      {0x141, hart.sepc},
      {0x142, hart.scause},
      {0x143, hart.stval},
      {0x7a2, hart.tdata2},
      {0x7a1, hart.tdata1},
      {0x7c1, hart.chicken},
      {0x180, hart.satp},
  };
  write_csrs(section, csrs, features);
  if (features.supervisor) section.word(encode::kFlushTlb);
}

void restore_floats(Section &section, const ArchitecturalState &hart, HartFeatures features) {
  if (!features.floats) return;
  section.write_csr(kMstatus, kFloatOn | kMpp);
  for (uint32_t i = 0; i < 32; ++i) section.load_float(i, hart.f[i]);
  section.write_csr(0x003, hart.fcsr);
}

// Completions of sends that software has not taken: as many small packets, which leave before the
// tokens begin to count.
void restore_send_completions(Section &section, const NicState &nic) {
  if (nic.send_completions == 0) return;
  for (uint32_t i = 0; i < nic.send_completions; ++i) {
    section.store(nic.base + kNicSend, 8, kDramBase | kDummyBytes << 48);
  }
  section.wait_for(nic.base + kNicCounts, 4, 16, nic.send_completions);
}

// Memory and devices as hart 0 finds them.
struct Begin {
  uint64_t entry_content;
  uint64_t table;  // of the parts' steps
};

// Parts come behind what is sent: where they stand in the stream socket, they see it.
void restore_devices(Section &section, const MachineState &state, const Begin &begin) {
  for (const NicState &nic : state.nics) restore_send_completions(section, nic);
  if (const size_t steps = state.parts.first.size()) follow_steps(section, begin.table, steps);
  for (const auto *stored : {&state.receive_requests, &state.registers}) {
    for (const RegisterValue &one : *stored) section.store(one.address, one.bytes, one.value);
  }
}

// The software interrupt of a hart, as its register is to be.
uint64_t software_interrupt(const MachineState &state, uint64_t address) {
  for (const RegisterValue &one : state.registers) {
    if (one.address == address) return one.value;
  }
  return 0;
}

void fill_caches(Section &section, const MachineState &state, uint32_t index,
                 const FillTables &tables) {
  const uint64_t address = kClintBase + 4 * uint64_t{index};
  section.fence_instructions();
  tables.fill(section, address, software_interrupt(state, address));
  section.make_values_by_code();
  restore_late_csrs(section, state.harts[index]);
}

// The last instructions, which every hart runs alone.
void leave(Section &section, const ArchitecturalState &hart) {
  const bool machine = hart.privilege == kMachine;
  uint64_t status = hart.mstatus;
  if (!machine) {
    status &= ~(kMpp | kMpie | kMie);
    status |= uint64_t{hart.privilege} << 11 | ((hart.mstatus & kMie) != 0 ? kMpie : 0);
  }
  section.write_csr(kMepc, machine ? hart.mepc : hart.pc);
  section.write_csr(0xb00, hart.mcycle);
  section.write_csr(0xb02, hart.minstret);
  section.write_csr(kMstatus, status);
  section.load_registers(hart.x.data());
  if (machine) {
    const uint32_t from = jump_register(hart);
    FIRESIM_CHECK(from != 0, "a hart in M mode has a register to jump from");
    section.word(encode::jalr(0, from, static_cast<int32_t>(hart.pc - hart.x[from])));
  } else {
    section.word(encode::kMret);
  }
}

void wait_for_others(Section &section, uint32_t harts, const Flags &flags, uint64_t value) {
  for (uint32_t i = 1; i < harts; ++i) section.wait_for(flags.ready(i), 8, 0, value);
}

// What hart 0 does for the whole machine; `prepare` is between the devices and the time.
template <typename Prepare>
void restore_machine(Section &section, const MachineState &state, const Begin &begin,
                     Prepare prepare) {
  section.store(kDramBase, 8, begin.entry_content);
  restore_devices(section, state, begin);
  prepare();
  for (const PartSteps::Step &step : state.parts.late) {
    section.store(step.address, step.kind == PartSteps::Kind::kWriteEight ? 8 : 4, step.value);
  }
  section.store(kClintBase + 0xbff8, 8, state.time_ticks);
  section.fence();
  std::vector<Section::Expected> features;
  for (const NicState &nic : state.nics)
    features.push_back({nic.base + kNicFeatures, nic.features});
  section.store_with_differences(kFinisherBase, devices::kRestoreDone, features,
                                 devices::kRestoreNicShift);
  section.fence();
}

Section cold_section(const MachineState &state, uint32_t index, const Begin &begin,
                     const Flags &flags) {
  const ArchitecturalState &hart = state.harts[index];
  Section section;
  restore_floats(section, hart, state.features);
  restore_csrs(section, hart, state.features);
  if (index != 0) {
    section.store(flags.ready(index), 8, 1);
    section.wait_for(flags.go(), 8, 0, 1);
  } else {
    wait_for_others(section, state.harts.size(), flags, 1);
    restore_machine(section, state, begin, [] {});
    section.store(flags.go(), 8, 1);
  }
  section.fence_instructions();
  leave(section, hart);
  return section;
}

Section warm_section(const MachineState &state, uint32_t index, const Begin &begin,
                     const Flags &flags, const FillTables &tables) {
  const ArchitecturalState &hart = state.harts[index];
  const auto harts = static_cast<uint32_t>(state.harts.size());
  Section section;
  restore_floats(section, hart, state.features);
  restore_quiet_csrs(section, hart, state.features);
  const auto fill = [&] { fill_caches(section, state, index, tables); };
  if (index != 0) {
    section.store(flags.ready(index), 8, 1);
    section.wait_for(flags.go(), 8, 0, 1);
    fill();
    section.store(flags.ready(index), 8, 2);
    section.wait_for(flags.go(), 8, 0, 2);
  } else {
    wait_for_others(section, harts, flags, 1);
    restore_machine(section, state, begin, [&] {
      section.fence();
      if (harts > 1) section.store(flags.go(), 8, 1);
      fill();
      wait_for_others(section, harts, flags, 2);
    });
    if (harts > 1) section.store(flags.go(), 8, 2);
  }
  leave(section, hart);
  return section;
}

// The tables of all harts lie one behind the other, up to `end`.
std::vector<FillTables> tables_of(const MachineState &state, uint64_t end) {
  const size_t each = kTableBytes / 2 / std::max<size_t>(state.caches.size(), 1);
  const auto most_lines = static_cast<uint32_t>(each / kLineBytes * kLineBytes / sizeof(uint64_t));
  std::vector<FillTables> tables;
  uint64_t at = end - kTableBytes;
  for (const HeldLines &held : state.caches) {
    tables.emplace_back(held, at, most_lines);
    at += tables.back().bytes();
  }
  FIRESIM_CHECK(at <= end, "the tables fit");
  return tables;
}

}  // namespace

uint64_t table_bytes(const MachineState &state) {
  return step_table(state.parts.first).size() * sizeof(uint64_t);
}

RestoreProgram restore_program(const MachineState &state, uint64_t entry_content, uint64_t table) {
  const Begin begin{entry_content, table};
  RestoreProgram program;
  program.table = step_table(state.parts.first);
  program.entry = encode::address(Section::kLiterals, kRestoreBase - kDramBase);
  program.entry[1] = encode::jalr(0, Section::kLiterals, 0);
  static_assert((kRestoreBase - kDramBase) % 4096 == 0 && kEntryBytes == 2 * sizeof(uint32_t));

  const auto harts = static_cast<uint32_t>(state.harts.size());
  const Flags flags{kRestoreBase + kRestoreBytes - kFlagStride * (1 + harts)};
  const std::vector<FillTables> tables = tables_of(state, flags.base);
  const uint64_t end = tables.empty() ? flags.base : flags.base - kTableBytes;
  std::vector<Section> sections;
  for (uint32_t i = 0; i < harts; ++i) {
    sections.push_back(tables.empty() ? cold_section(state, i, begin, flags)
                                      : warm_section(state, i, begin, flags, tables[i]));
  }
  // Who am I: for each hart `addi; bne +8; jal section`.
  uint64_t at = 4 + 4 * (kJump + 1) * harts;
  std::vector<uint32_t> code{encode::csrr(Section::kValue, kHartId)};
  for (uint32_t i = 0; i < harts; ++i) {
    code.push_back(encode::addi(Section::kAddress, 0, static_cast<int32_t>(i)));
    code.push_back(encode::bne(Section::kValue, Section::kAddress, 8));
    code.push_back(encode::jal(0, static_cast<int32_t>(at - 4 * code.size())));
    at += sections[i].code_bytes();
  }
  uint64_t code_at = 4 * code.size(), literals_at = (at + 63) / 64 * 64;
  program.image.resize(kRestoreBytes);
  for (Section &section : sections) {
    section.place(kRestoreBase + code_at, kRestoreBase + literals_at);
    program.fits = kRestoreBase + literals_at + section.literal_bytes() <= end;
    if (!program.fits) return program;
    std::memcpy(program.image.data() + code_at, section.code().data(), section.code_bytes());
    std::memcpy(program.image.data() + literals_at, section.literals().data(),
                section.literal_bytes());
    code_at += section.code_bytes();
    literals_at += section.literal_bytes();
  }
  std::memcpy(program.image.data(), code.data(), code.size() * 4);
  for (uint64_t at = end - kRestoreBase; const FillTables &one : tables) {
    std::memcpy(program.image.data() + at, one.words().data(), one.bytes());
    at += one.bytes();
  }
  return program;
}

}  // namespace firesim::functional
