// SPDX-License-Identifier: BSD-3-Clause
// The restore program, run on functional harts with the blade's devices: the machine it leaves is
// the one it was made for.
#include "functional/warm_start/restore_program.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <random>

#include "core/tests/random_seed.h"
#include "devices/warm_start.h"
#include "functional/blade/blade_model.h"

namespace firesim::functional {
namespace {

constexpr uint64_t kMemoryBytes = 4 << 20;
constexpr uint64_t kMostProgramLines = 1024;  // of the cache
constexpr uint64_t kMpie = 1 << 7, kMie = 1 << 3, kMpp = 3 << 11, kMprv = 1 << 17;
constexpr uint64_t kEntryContent = 0x1234'5678'9abc'def0;
constexpr uint32_t kTake = 0x0000'006f;  // jal x0, 0: where a hart that has left the program stays

// A blade whose harts have random states that instructions can give them.
class Machine {
 public:
  static uint64_t nic_base(uint32_t port) {
    return port == 0 ? kNicBase : kDevicesBase + 0x8000 + kPageBytes * port;
  }

  explicit Machine(uint32_t harts, HartFeatures features = {}, uint32_t nics = 1)
      : settings_(description(harts, nics), context()),
        harts_(harts, 1, kResetCycles, features),
        memory_(
            dram(), [this](uint64_t address, uint64_t bytes) { harts_.written(address, bytes); },
            end_),
        bus_({harts, features.supervisor, 1024, settings_.parts, settings_.nics, *settings_.disk,
              *settings_.console},
             memory_, harts_, end_) {
    harts_.make(dram(), bus_);
  }

  Dram dram() { return {kDramBase, kMemoryBytes, settings_.memory->data()}; }
  HartGroup &harts() { return harts_; }
  Bus &bus() { return bus_; }
  uint8_t *at(uint64_t address) { return settings_.memory->at(address); }
  devices::BladeEnd &end() { return end_; }

  // All harts, in turns of a few cycles.
  void run_to(uint64_t cycle) {
    for (uint64_t at = harts_.cycle(0); at < cycle && !end_.ended(); at += 50) {
      for (uint32_t i = 0; i < harts_.size() && !end_.ended(); ++i) {
        bus_.advance(i, at);
        bus_.begin_run(i, at + 50);
        uint64_t reached = std::max(at, harts_.cycle(i));
        while (reached < at + 50 && !end_.ended()) reached = harts_[i].run(reached, at + 50);
        harts_.set_cycle(i, reached);
      }
    }
  }

 private:
  // The usual parts, and further NICs.
  static nlohmann::json description(uint32_t harts, uint32_t nics) {
    nlohmann::json parts = nlohmann::json::array(), told = nlohmann::json::array();
    for (const PartEntry &part : usual_parts()) {
      parts.push_back({{"kind", part.kind}, {"at", part.base}, {"interrupt", part.interrupt}});
    }
    for (uint32_t port = 0; port < nics; ++port) {
      told.push_back({{"mac", fmt::format("00:12:6D:{:02X}:00:02", port)}});
      if (port == 0) continue;
      parts.push_back({{"kind", "nic"},
                       {"name", fmt::format("nic{}", port)},
                       {"at", nic_base(port)},
                       {"interrupt", 8 - port}});
    }
    return {{"name", "node0"},
            {"kind", "functional"},
            {"cores", harts},
            {"parts", parts},
            {"bridges",
             {{"nic", nics == 1 ? told[0] : told},
              {"memory", {{"base", kDramBase}, {"size_bytes", kMemoryBytes}}}}}};
  }
  static SimulationContext context() {
    SimulationContext context;
    context.results_directory = std::filesystem::temp_directory_path();
    return context;
  }

  Settings settings_;
  devices::BladeEnd end_;
  HartGroup harts_;
  DeviceMemory memory_;
  Bus bus_;
};

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  uint64_t operator()() { return engine_(); }
  uint64_t below(uint64_t limit) { return engine_() % limit; }

 private:
  std::mt19937_64 engine_;
};

// Legal values of each register: what a hart keeps of random ones, by writing them through it.
ArchitecturalState random_hart(Random &random, uint32_t index) {
  ArchitecturalState state;
  for (uint32_t i = 1; i < 32; ++i) state.x[i] = random();
  for (auto &value : state.f) value = random();
  state.fcsr = static_cast<uint32_t>(random.below(5) << 5 | random.below(32));
  constexpr uint8_t kPrivileges[] = {0, 1, 3};
  state.privilege = kPrivileges[random.below(3)];
  state.pc = kDramBase + 0x10'0000 + 0x1000 * index;
  if (state.privilege == 3) state.x[1 + random.below(31)] = state.pc - 1000 + random.below(1900);
  state.mstatus = random() & 0x7e'79aa & ~kMprv & ~kMie;
  if ((state.mstatus & 3 << 13) != 0) state.mstatus |= 3 << 13;
  if ((state.mstatus & kMpp) == 2 << 11) state.mstatus &= ~kMpp;
  state.mstatus &= ~uint64_t{2};  // SIE: interrupts are not what is tested
  state.medeleg = random() & 0xb15d;
  state.mideleg = random() & 0x222;
  state.mie = 0;
  state.mip = random() & 0x222;
  state.mtvec = random() & 0xffff'ff00;
  state.mscratch = random();
  state.mepc = random() & 0x7f'ffff'fffe;
  state.mcause = random.below(16);
  state.mtval = random() & 0x7f'ffff'ffff;
  state.mcounteren = random.below(8);
  state.stvec = random() & 0x3f'ffff'ff00;
  state.sscratch = random();
  state.sepc = random() & 0x7f'ffff'fffe;
  state.scause = random.below(32);
  state.stval = random() & 0x7f'ffff'ffff;
  state.scounteren = random.below(8);
  state.tdata2 = random() & 0x3f'ffff'ffff;
  // All of memory is open to all modes; the others are off, whatever their addresses.
  for (auto &value : state.pmpaddr) value = random() & 0x3fff'ffff;
  state.pmpaddr[0] = 0x3fff'ffff;
  state.pmpcfg[0] = 0x1f;
  state.satp = state.privilege == 3 ? uint64_t{8} << 60 | random.below(1 << 20) : 0;
  return state;
}

// The same for harts that have not all features.
ArchitecturalState random_hart(Random &random, uint32_t index, HartFeatures features) {
  ArchitecturalState state = random_hart(random, index);
  if (!features.floats) state.f = {}, state.fcsr = 0;
  if (features.supervisor) return state;
  state.privilege = 3;
  state.x[1 + random.below(31)] = state.pc - 1000 + random.below(1900);
  state.mstatus = kMpp | (random() & (features.floats ? kMpie | 3 << 13 : kMpie));
  state.mepc = random() & 0x1'ffff'fffe;
  state.mtval = random() & 0x1'ffff'ffff;
  state.tdata2 = random() & 0xffff'ffff;
  state.medeleg = state.mideleg = state.mip = state.mcounteren = state.scounteren = 0;
  state.stvec = state.sscratch = state.sepc = state.scause = state.stval = state.satp = 0;
  return state;
}

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
