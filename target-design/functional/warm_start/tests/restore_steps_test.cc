// SPDX-License-Identifier: BSD-3-Clause
// What a restore program tells its host, the steps of parts in it, and what is in the way of one.
#include <gtest/gtest.h>

#include <cstring>

#include "core/tests/random_seed.h"
#include "devices/warm_start.h"
#include "functional/warm_start/restore_program.h"
#include "functional/warm_start/tests/machine_rig.h"

namespace firesim::functional {
namespace {

TEST(RestoreProgram, AnotherNicThanTheSavedOneIsTold) {
  for (const uint32_t features : {0u, 1u, 2u, 3u, 0x400u, 0x203u}) {
    for (uint32_t port = 0; port < 3; ++port) {
      Machine before(1, {}, 3), after(1, {}, 3);
      ArchitecturalState state;
      state.cycle = kResetCycles;
      state.pc = kDramBase + 0x10'0000;
      state.x[1] = state.pc;
      before.harts()[0].set_state(state);
      MachineState saved = machine_state(before.harts(), before.bus(), kResetCycles);
      ASSERT_EQ(saved.nics.at(port).features, 0u);
      saved.nics[port].features = features;  // not those of the NIC in `after`
      const RestoreProgram program = restore_program(saved, kEntryContent);
      std::memcpy(after.at(kDramBase), program.entry.data(), kEntryBytes);
      std::memcpy(after.at(kRestoreBase), program.image.data(), program.image.size());
      after.run_to(100'000);
      ASSERT_TRUE(after.end().ended());
      const uint32_t word = devices::kRestoreDone ^ features << devices::kRestoreNicShift;
      EXPECT_EQ(after.end().exit_code, static_cast<int>(word >> 16)) << "port " << port;
    }
  }
}

TEST(RestoreProgram, SaysWhenRegistersAreTooMany) {
  Machine machine(1);
  ArchitecturalState hart;
  hart.pc = hart.x[1] = kDramBase + 0x1000;
  machine.harts()[0].set_state(hart);
  MachineState state = machine_state(machine.harts(), machine.bus(), kResetCycles);
  EXPECT_TRUE(restore_program(state, kEntryContent).fits);
  state.registers.resize(kRestoreBytes / 16, state.registers.front());
  EXPECT_FALSE(restore_program(state, kEntryContent).fits);
}

// Memory stands for registers here. Each word is written twice, and the second time is waited for.
TEST(RestoreProgram, StepsOfPartsAreMadeInTheirOrder) {
  const uint64_t seed = random_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  constexpr uint64_t kPlace = kDramBase + 0x20'0000, kTable = kDramBase + 0x30'0000;
  constexpr uint32_t kWords = 50, kPart = 0x0ff0;
  Machine before(1), after(1);
  ArchitecturalState state = random_hart(random, 0);
  state.cycle = kResetCycles;
  before.harts()[0].set_state(state);
  MachineState saved = machine_state(before.harts(), before.bus(), kResetCycles);
  RegisterSteps steps(kPlace, saved.parts);
  std::vector<uint64_t> wanted(kWords);
  for (uint32_t i = 0; i < kWords; ++i) {
    const bool is_wide = random.below(2) != 0;
    wanted[i] = is_wide ? random() : random() & 0xffff'ffff;
    steps.write(8 * i, 8, random() & 0xffff'ffff);
    steps.write(8 * i, is_wide ? 8 : 4, wanted[i]);
    steps.wait(8 * i, kPart, static_cast<uint32_t>(wanted[i]) & kPart);
  }
  wanted[0] = random();
  steps.write_late(0, 8, wanted[0]);
  const RestoreProgram program = restore_program(saved, kEntryContent, kTable);
  ASSERT_EQ(program.table.size(), 2u * 3 * kWords);
  EXPECT_EQ(table_bytes(saved), program.table.size() * sizeof(uint64_t));
  std::memcpy(after.at(kDramBase), program.entry.data(), kEntryBytes);
  std::memcpy(after.at(kRestoreBase), program.image.data(), program.image.size());
  std::memcpy(after.at(kTable), program.table.data(), table_bytes(saved));
  after.run_to(100'000);
  ASSERT_TRUE(after.end().ended());
  EXPECT_EQ(after.end().exit_code, int{devices::kRestoreDone >> 16});
  EXPECT_EQ(std::memcmp(after.at(kPlace), wanted.data(), 8 * kWords), 0);
  const std::vector<uint8_t> zeros(table_bytes(saved));
  EXPECT_EQ(std::memcmp(after.at(kTable), zeros.data(), zeros.size()), 0);
}

TEST(RestoreProgram, HartThatCannotBeLeftIsNamed) {
  Machine machine(1);
  ArchitecturalState state;
  state.cycle = kResetCycles;
  state.pc = kDramBase + 0x1000;
  machine.harts()[0].set_state(state);
  EXPECT_EQ(obstacle(machine.harts(), machine.bus(), kResetCycles),
            "hart 0 is in M mode at 0x80001000, which no register points to");
  state.x[1] = state.pc + 2048;
  machine.harts()[0].set_state(state);
  EXPECT_EQ(obstacle(machine.harts(), machine.bus(), kResetCycles), "");
}

}  // namespace
}  // namespace firesim::functional
