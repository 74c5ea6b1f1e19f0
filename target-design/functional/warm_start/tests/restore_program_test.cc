// SPDX-License-Identifier: BSD-3-Clause
// The restore program, run on functional harts with the blade's devices: the machine it leaves is
// the one it was made for.
#include "functional/warm_start/restore_program.h"

#include <gtest/gtest.h>

#include <cstring>

#include "core/tests/random_seed.h"
#include "devices/warm_start.h"
#include "functional/warm_start/tests/machine_rig.h"

namespace firesim::functional {
namespace {

constexpr uint64_t kMostProgramLines = 1024;  // of the cache
constexpr uint32_t kTake = 0x0000'006f;  // jal x0, 0: where a hart that has left the program stays

// The fields that a warm start promises, as they are when the hart stands at its pc.
ArchitecturalState promised(ArchitecturalState state) {
  state.cycle = state.mcycle = state.minstret = 0;
  state.reservation_valid = false;
  state.reservation_address = 0;
  state.interrupt_lines = 0;
  if (state.privilege != 3) {
    state.mepc = 0;
    state.mstatus &= ~(kMpp | kMpie);
  }
  return state;
}

void random_devices(Machine &machine, Random &random) {
  const uint32_t harts = machine.harts().size();
  const auto write = [&](uint64_t address, uint32_t bytes, uint64_t value) {
    EXPECT_TRUE(machine.bus().write(address, bytes, kResetCycles, value));
  };
  write(kUartBase + 0x18, 4, random.below(65536));
  write(kUartBase + 0x08, 4, random.below(4) | random.below(8) << 16);
  write(kUartBase + 0x0c, 4, random.below(2) | random.below(8) << 16);
  write(kUartBase + 0x10, 4, random.below(4));
  write(kBlockDeviceBase, 8, random() & 0xffff'ffff'fff8);
  write(kBlockDeviceBase + 0x08, 4, random() & 0xffff'ffff);
  write(kBlockDeviceBase + 0x50, 4, random.below(2));
  for (uint32_t port = 0; port < machine.bus().nics(); ++port) {
    const uint64_t nic = Machine::nic_base(port);
    write(nic + 0x30, 4, random.below(4));
    for (uint64_t left = random.below(6); left > 0; --left) {
      write(nic, 8, (kDramBase + random.below(4096)) | (1 + random.below(100)) << 48);
    }
    for (uint64_t left = random.below(17); left > 0; --left) {
      write(nic + 0x08, 8, (kDramBase + random.below(kMemoryBytes)) & ~uint64_t{7});
    }
  }
  for (uint32_t i = 1; i <= Plic::kSources; ++i) write(kPlicBase + 4 * i, 4, random.below(8));
  for (uint32_t i = 0; i < machine.bus().plic().contexts(); ++i) {
    write(kPlicBase + 0x2000 + 0x80 * i, 4, random() & 0x1fe);
    write(kPlicBase + 0x20'0000 + 0x1000 * i, 4, random.below(8));
  }
  for (uint32_t i = 0; i < harts; ++i) {
    write(kClintBase + 4 * i, 4, random.below(2));
    write(kClintBase + 0x4000 + 8 * i, 8, random());
  }
  write(kClintBase + 0xbff8, 8, random());
  machine.bus().advance(0, 10'000);  // what was sent is on the link
}

struct Harts {
  uint32_t count;
  HartFeatures features;
  uint32_t nics = 1;
};
class RestoreProgramTest : public testing::TestWithParam<Harts> {};

TEST_P(RestoreProgramTest, MachineIsAsItWas) {
  const uint64_t seed = random_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  for (int round = 0; round < 10; ++round) {
    const auto [harts, features, nics] = GetParam();
    Machine before(harts, features, nics);
    random_devices(before, random);
    for (uint32_t i = 0; i < harts; ++i) {
      ArchitecturalState state = random_hart(random, i, features);
      state.cycle = 10'000;
      before.harts()[i].set_state(state);
    }
    ASSERT_EQ(obstacle(before.harts(), before.bus(), 10'000), "");
    const MachineState saved = machine_state(before.harts(), before.bus(), 10'000);
    const RestoreProgram program = restore_program(saved, kEntryContent);

    Machine after(harts, features, nics);
    std::memcpy(after.at(kDramBase), program.entry.data(), kEntryBytes);
    std::memcpy(after.at(kRestoreBase), program.image.data(), program.image.size());
    for (uint32_t i = 0; i < harts; ++i) std::memcpy(after.at(saved.harts[i].pc), &kTake, 4);
    after.run_to(100'000);
    ASSERT_TRUE(after.end().ended()) << "the host is told";
    EXPECT_EQ(after.end().exit_code, int{devices::kRestoreDone >> 16});
    uint64_t entry = 0;
    std::memcpy(&entry, after.at(kDramBase), sizeof entry);
    EXPECT_EQ(entry, kEntryContent);

    after.end() = {};
    const uint64_t done = after.harts().cycle(0);
    after.run_to(done + 3000);
    const uint64_t end = after.harts().cycle(0);
    const MachineState restored = machine_state(after.harts(), after.bus(), end);
    for (uint32_t i = 0; i < harts; ++i) {
      const ArchitecturalState &is = restored.harts[i], &was = saved.harts[i];
      EXPECT_TRUE(promised(is) == promised(was)) << "hart " << i << " of " << harts;
      EXPECT_EQ(is.pc, was.pc);
      EXPECT_EQ(is.mstatus & ~(kMpp | kMpie), was.mstatus & ~(kMpp | kMpie));
      EXPECT_GE(is.mcycle - was.mcycle, 30u);
      EXPECT_LE(is.mcycle - was.mcycle, 3200u);
    }
    EXPECT_EQ(restored.registers, saved.registers);
    EXPECT_EQ(restored.receive_requests, saved.receive_requests);
    EXPECT_EQ(restored.nics, saved.nics);
    EXPECT_LE(restored.time_ticks - saved.time_ticks, (end - done) / kCyclesPerTick + 2);
  }
}

// Lines of random places, some of them dirty, in data caches of several harts at a time. In a cache
// of kMostCacheSets none drives out another, nor does a line of the program.
void random_caches(Machine &machine, Random &random, uint32_t harts) {
  machine.harts().follow_l1({});
  constexpr uint64_t kProgram = (kRestoreBase - kDramBase) / kLineBytes % kMostCacheSets;
  std::vector<uint64_t> in_set(kMostCacheSets);
  for (uint64_t set = 0; set < kMostCacheSets; ++set) {
    in_set[set] = set + kMostCacheSets * random.below(kMemoryBytes / kLineBytes / kMostCacheSets);
  }
  const auto line = [&] {
    uint64_t set = 0;
    do {
      set = random.below(kMostCacheSets);
    } while (set == 0 || (set - kProgram) % kMostCacheSets < kMostProgramLines);
    return in_set[set];
  };
  for (int n = 0; n < 2000; ++n) {
    L1Caches &hart = (*machine.harts().l1())[random.below(harts)];
    hart.fetch(line());
    hart.load(line());
    if (random.below(3) == 0) hart.store(line());
  }
}

// Each line is where it was, and as dirty. Those of the program are not looked for.
void expect_held(const HeldCache &before, LineStore &after) {
  size_t missing = 0, otherwise = 0;
  for (const HeldLine &line : before.lines) {
    const uint64_t *entry = after.find((line.address - kDramBase) / kLineBytes);
    missing += entry == nullptr;
    otherwise += entry != nullptr && (LineStore::state(*entry) == LineStore::kDirty) != line.dirty;
  }
  EXPECT_EQ(missing, 0u);
  EXPECT_EQ(otherwise, 0u);
}

// In caches with so many sets that no line drives out another: a functional hart does not see by
// the time that one is missing, and touches each but once. It takes an interrupt before it fetches,
// so its instruction cache stays as it is.
TEST_P(RestoreProgramTest, FillsCaches) {
  const uint64_t seed = random_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  const auto [harts, features, nics] = GetParam();
  Machine before(harts, features, nics), after(harts, features, nics);
  for (uint32_t i = 0; i < harts; ++i) {
    ArchitecturalState state = random_hart(random, i, features);
    state.cycle = 10'000;
    before.harts()[i].set_state(state);
    before.bus().write(kClintBase + 4 * i, 4, random.below(2), 10'000);
  }
  random_caches(before, random, harts);
  const MachineState saved = machine_state(before.harts(), before.bus(), 10'000);
  ASSERT_EQ(saved.caches.size(), harts);
  const RestoreProgram program = restore_program(saved, kEntryContent);
  ASSERT_LE(program.image.size(), kMostProgramLines * kLineBytes);

  after.harts().follow_l1({{kMostCacheSets, kMostCacheWays}, {kMostCacheSets, kMostCacheWays}});
  std::memcpy(after.at(kDramBase), program.entry.data(), kEntryBytes);
  std::memcpy(after.at(kRestoreBase), program.image.data(), program.image.size());
  for (uint32_t i = 0; i < harts; ++i) std::memcpy(after.at(saved.harts[i].pc), &kTake, 4);
  after.run_to(200'000);
  ASSERT_TRUE(after.end().ended()) << "the host is told";
  for (uint32_t i = 0; i < harts; ++i) {
    // What another hart stores is taken away again.
    if (harts == 1) expect_held(saved.caches[i].data, (*after.harts().l1())[i].data());
  }
  after.end() = {};
  after.run_to(after.harts().cycle(0) + 3000);
  const MachineState restored = machine_state(after.harts(), after.bus(), after.harts().cycle(0));
  for (uint32_t i = 0; i < harts; ++i) {
    EXPECT_TRUE(promised(restored.harts[i]) == promised(saved.harts[i])) << "hart " << i;
    EXPECT_EQ(restored.harts[i].pc, saved.harts[i].pc);
  }
  EXPECT_EQ(restored.registers, saved.registers);
}

INSTANTIATE_TEST_SUITE_P(Harts, RestoreProgramTest,
                         testing::Values(Harts{1, {}}, Harts{2, {}}, Harts{8, {}},
                                         Harts{2, {.floats = false}},
                                         Harts{1, {.supervisor = false}}, Harts{1, {}, 2},
                                         Harts{2, {}, 4},
                                         Harts{2, {.floats = false, .supervisor = false}}));

}  // namespace
}  // namespace firesim::functional
