// SPDX-License-Identifier: BSD-3-Clause
// The blade as a whole: what it does must not depend on how time is cut, nor on being saved and
// loaded on the way.
#include <functional>

#include "blade_rig.h"
#include "core/tests/random_seed.h"
#include "functional/blade/blade_model.h"
#include "functional/blade/hart_group.h"

namespace firesim::functional {
namespace {

constexpr uint64_t kEndCycle = 700'000;

RigParameters random_parameters(std::mt19937_64 &random) {
  RigParameters parameters;
  parameters.cores = 1 + random() % 3;
  parameters.cycles_per_instruction = 1 + random() % 3;
  parameters.quantum_cycles = 1 + random() % 600;
  parameters.latency_cycles = 1 + random() % 2000;
  return parameters;
}

Outcome run_at_once(const RigParameters &parameters) {
  BladeRig rig("functional-blade", parameters);
  std::mt19937_64 random(1);
  rig.run(kEndCycle, random, UINT32_MAX);
  return rig.outcome();
}

TEST(FunctionalBlade, GuestEndsAndTalks) {
  BladeRig rig("functional-guest", {});
  std::mt19937_64 random(1);
  rig.run(kEndCycle, random, UINT32_MAX);
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(rig.blade(i).end().has_value());
    EXPECT_EQ(rig.blade(i).end()->exit_code, 0);
    const nlohmann::json facts = rig.blade(i).statistics();
    EXPECT_EQ(facts["finished_at_cycle"], rig.blade(i).end()->cycle - 256);
    EXPECT_GT(facts["nic"]["packets_in"], 20);
    EXPECT_GT(facts["nic"]["packets_out"], 20);
    EXPECT_GT(facts["block_device"]["reads"], 5);
    EXPECT_GT(facts["block_device"]["writes"], 5);
  }
  EXPECT_NE(rig.console("node0"), rig.console("node1"));
  EXPECT_EQ(rig.console("node0").back(), '\n');
}

TEST(FunctionalBlade, HowTimeIsCutChangesNothing) {
  const uint64_t seed = random_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 4; ++round) {
    const RigParameters parameters = random_parameters(random);
    const Outcome expected = run_at_once(parameters);
    BladeRig rig("functional-cuts", parameters);
    rig.run(kEndCycle, random, 1 + random() % 1000);
    EXPECT_EQ(rig.outcome(), expected);
  }
}

void save_and_load(uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 4; ++round) {
    const RigParameters parameters = random_parameters(random);
    Outcome expected = run_at_once(parameters);
    BladeRig rig("functional-saved", parameters);
    for (int i = 0; i < 5; ++i) {
      rig.run(rig.cycle() + random() % 120'000, random, 1000);
      rig.replace();
    }
    rig.run(kEndCycle, random, 1000);
    Outcome outcome = rig.outcome();
    expected.console = outcome.console = "";  // each load begins its log anew
    EXPECT_EQ(outcome, expected);
  }
}

TEST(FunctionalBlade, SavedAndLoadedItGoesOn) { save_and_load(random_seed()); }

// A timer due between the quantum that was saved and its hart's next turn was taken as delivered.
TEST(FunctionalBlade, ATimerDueAtTheSaveIsNotLost) { save_and_load(669797927); }

// What was due under an instruction that reached beyond the quantum was met by the NIC's sending.
TEST(FunctionalBlade, AnInterruptDueWhereTimeIsCutIsNotLost) { save_and_load(3507054643); }

TEST(FunctionalBlade, SavedInResetItGoesOn) {
  std::mt19937_64 random(1);
  BladeRig whole("functional-whole", {}), rig("functional-reset", {});
  whole.run(5'000, random, 1000);
  rig.replace();
  for (uint64_t cycle = 1; cycle <= 20; ++cycle) {
    rig.run(cycle, random, 1);
    rig.replace();
  }
  rig.run(5'000, random, 1000);
  EXPECT_EQ(rig.outcome(), whole.outcome());
}

TEST(FunctionalBlade, StateOfAnotherShapeIsRefused) {
  BladeRig one("functional-one", {});
  RigParameters two_cores;
  two_cores.cores = 2;
  BladeRig two("functional-two", two_cores);
  EXPECT_NE(one.blade(0).fingerprint(), two.blade(0).fingerprint());
  StateWriter writer;
  one.blade(0).save(writer);
  StateReader reader("test", writer);
  EXPECT_THROW(two.blade(0).load(reader, 0), DescriptionError);
}

// A warm start makes a blade like it.
TEST(FunctionalBlade, AStateSaysWhatItsBladeWasMadeWith) {
  const nlohmann::json memory = {{"base", kDramBase}, {"size_bytes", 1 << 20}};
  FunctionalBlade blade(
      {{"name", "n"},
       {"kind", "functional"},
       {"cores", 2},
       {"floating_point", false},
       {"supervisor_mode", false},
       {"address_bits", 35},
       {"cycles_per_instruction", 3},
       {"quantum_cycles", 100},
       {"bridges", {{"memory", memory}, {"nic", {{"mac", "00:12:6D:00:00:02"}}}}}},
      SimulationContext{});
  StateWriter writer;
  blade.save(writer);
  StateReader reader("test", writer);
  const Shape shape = Shape::load(reader);
  EXPECT_EQ(shape.harts, 2u);
  EXPECT_EQ(shape.features, (HartFeatures{.floats = false, .supervisor = false}));
  EXPECT_EQ(shape.address_bits, 35u);
  EXPECT_EQ(shape.cycles_per_instruction, 3u);
  EXPECT_EQ(shape.quantum_cycles, 100u);
  EXPECT_EQ(shape.parts, "");
}

// What is said of a hart's state that was changed so.
std::string refused_hart(const std::function<void(ArchitecturalState &)> &change) {
  ArchitecturalState state;
  change(state);
  StateWriter writer;
  save_hart(writer, state);
  StateReader reader("evil", writer);
  try {
    load_hart(reader);
  } catch (const DescriptionError &error) {
    return error.what();
  }
  return "accepted";
}

TEST(FunctionalBlade, AStateNoHartCanBeInIsRefused) {
  using State = ArchitecturalState;
  EXPECT_EQ(refused_hart([](State &) {}), "accepted");
  const std::pair<std::function<void(State &)>, const char *> cases[] = {
      {[](State &s) { s.x[0] = 1; }, "x0 is 0x1"},
      {[](State &s) { s.pc = 0x80000001; }, "pc is 0x80000001"},
      {[](State &s) { s.privilege = 2; }, "the privilege is 0x2"},
      {[](State &s) { s.mstatus = 2 << 11; }, "mstatus is 0x1000"},
      {[](State &s) { s.mstatus = 1; }, "mstatus is 0x1"},
      {[](State &s) { s.satp = uint64_t{9} << 60; }, "satp is 0x9000000000000000"},
      {[](State &s) { s.mtvec = 0x3; }, "mtvec is 0x3"},
      {[](State &s) { s.stvec = 0x105; }, "stvec is 0x105"},
      {[](State &s) { s.sepc = 7; }, "sepc is 0x7"},
      {[](State &s) { s.mip = 1 << 11; }, "mip is 0x800"},
      {[](State &s) { s.interrupt_lines = 1; }, "the interrupt lines is 0x1"},
      {[](State &s) { s.pmpcfg[3] = 2; }, "pmp3cfg is 0x2"},
      {[](State &s) { s.pmpaddr[7] = UINT64_MAX; }, "pmpaddr7 is 0xffffffffffffffff"},
      {[](State &s) { s.reservation_address = 8; }, "the reserved address is 0x8"},
      {[](State &s) { s.mcause = 32; }, "mcause is 0x20"},
  };
  for (const auto &[change, expected] : cases) {
    EXPECT_EQ(refused_hart(change),
              std::string("evil: section \"hart\": ") + expected + ", which no hart can hold");
  }
}

// Behind the devices, in front of the link, or in a cycle of its own.
TEST(FunctionalBlade, TimeThatDoesNotFitIsRefused) {
  BladeRig rig("functional-time", {});
  std::mt19937_64 random(1);
  rig.run(20'000, random, 1000);
  StateWriter writer;
  rig.blade(0).save(writer);
  for (const uint64_t cycle : {uint64_t{0}, uint64_t{5'000}, uint64_t{40'000}}) {
    BladeRig other("functional-time-other", {});
    StateReader reader("evil", writer);
    EXPECT_THROW(other.blade(0).load(reader, cycle), DescriptionError) << cycle;
  }
}

TEST(FunctionalBlade, IdentityFrameComesFirst) {
  RigParameters parameters;
  parameters.announce = {{"ip", "172.16.0.9/16"},
                         {"name", "node1"},
                         {"index", 1},
                         {"nodes", 2},
                         {"seed", "00112233445566778899aabbccddeeff"}};
  std::mt19937_64 random(1);
  BladeRig rig("functional-announce", parameters);
  rig.run(1000, random, 100);
  rig.blade(1).finish(1000);
  EXPECT_EQ(rig.blade(1).statistics()["nic"]["packets_in"], 1);
  EXPECT_EQ(rig.blade(0).statistics()["nic"]["packets_in"], 0);
}

}  // namespace
}  // namespace firesim::functional
