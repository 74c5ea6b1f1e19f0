// SPDX-License-Identifier: BSD-3-Clause
// The RTL blade around a small real device (test_device.cc): exact cycles, every end, files.
#include <random>

#include "core/tests/random_seed.h"
#include "device_rig.h"

namespace firesim::bridges {
namespace {

TEST(RtlBlade, FlitsPassInTheirExactCycle) {
  Rig rig;
  const Batch out = rig.run(200, {{20, 65}, {21, 66}, {50, 10}}, {200});
  const auto tokens = out.dense();
  for (uint32_t cycle = 0; cycle < 200; ++cycle) {
    EXPECT_EQ(tokens[cycle].valid, cycle == 21 || cycle == 22 || cycle == 51) << cycle;
  }
  EXPECT_EQ(tokens[21].flit, (Flit{66, true}));
  rig.blade->finish(200);
  EXPECT_EQ(rig.text("node0/uart.log"), "AB\n");
  EXPECT_EQ(rig.text("node0/counters.csv"), "cycle,flits\n100,3\n200,3\n");
  EXPECT_EQ(rig.text("node0/trace/hart0.log"),
            "core   0: 3 0x0000000000000041 (0x00000013) cycle 21\n"
            "core   0: 3 0x0000000000000042 (0x00000013) cycle 22\n"
            "core   0: 3 0x000000000000000a (0x00000013) cycle 51\n");
  EXPECT_FALSE(rig.blade->end().has_value());
}

TEST(RtlBlade, ResetSwallowsFlits) {
  Rig rig;
  const Batch out = rig.run(40, {{3, 1}, {15, 2}, {16, 3}}, {40});
  EXPECT_EQ(out.flit_count(), 1u);
  EXPECT_TRUE(out.dense()[17].valid);
}

TEST(RtlBlade, CuttingTimeDoesNotMatter) {
  const uint64_t seed = random_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  std::vector<std::pair<uint32_t, uint64_t>> flits;
  for (uint32_t cycle = 0; cycle < 3000; ++cycle) {
    if (random() % 3 == 0) flits.emplace_back(cycle, random() % 1000);
  }
  flits.emplace_back(3000, 0xdead);
  Rig whole;
  const Batch expected = whole.run(4000, flits, {4000});
  whole.blade->finish(4000);
  for (int i = 0; i < 20; ++i) {
    std::vector<uint32_t> pieces;
    for (int k = 0; k < 10; ++k) pieces.push_back(1 + random() % 60);
    Rig rig;
    EXPECT_TRUE(rig.run(4000, flits, pieces).same_tokens(expected));
    rig.blade->finish(4000);
    EXPECT_EQ(rig.blade->end()->cycle, 3001u);
    for (const char *file : {"node0/uart.log", "node0/counters.csv", "node0/trace/hart0.log"}) {
      EXPECT_EQ(rig.text(file), whole.text(file)) << file;
    }
  }
}

TEST(RtlBlade, EndsWhenTheProgramSaysSoAndThenStaysSilent) {
  Rig rig;
  const Batch out = rig.run(300, {{100, 0xdead}, {101, 1}, {150, 2}}, {64});
  ASSERT_TRUE(rig.blade->end().has_value());
  EXPECT_EQ(rig.blade->end()->cycle, 101u);
  EXPECT_EQ(rig.blade->end()->exit_code, 0);
  EXPECT_EQ(out.flit_count(), 1u);  // the one of cycle 101 itself
  EXPECT_EQ(rig.blade->statistics()["cycles_evaluated"], 102);
}

TEST(RtlBlade, FailureCodeAndAssert) {
  Rig failing;
  failing.run(100, {{50, 0xfa11}}, {100});
  EXPECT_EQ(failing.blade->end()->exit_code, 3);
  EXPECT_EQ(failing.blade->end()->message, "failed with code 3");
  Rig asserting;
  asserting.run(100, {{50, 0xbad}}, {100});
  EXPECT_TRUE(asserting.blade->end()->assert_failed);
  EXPECT_EQ(asserting.blade->end()->message, "assert failed in cycle 51: 'bad flit' at a.v:9");
  json without = settings();
  without["assert"] = {{"trigger", {{"kind", "none"}}}};
  Rig quiet(test_manifest(), without);
  quiet.run(100, {{50, 0xbad}}, {100});
  EXPECT_FALSE(quiet.blade->end().has_value());
}

TEST(RtlBlade, AnAssertOutsideItsWindowIsNone) {
  const std::vector<std::pair<uint32_t, uint64_t>> flits{
      {20, 0xbad}, {30, 5}, {40, 0xbad}, {50, 7}, {60, 0xbad}};
  const auto ended = [&](const json &trigger) {
    json bridges = settings();
    bridges["assert"] = {{"trigger", trigger}};
    Rig rig(test_manifest(), bridges);
    rig.run(100, flits, {7});
    return rig.blade->end() ? std::optional(rig.blade->end()->cycle) : std::nullopt;
  };
  EXPECT_EQ(ended({{"kind", "cycle"}, {"start", 21}, {"end", 41}}), 21u);
  EXPECT_EQ(ended({{"kind", "cycle"}, {"start", 22}, {"end", 41}}), std::nullopt);
  EXPECT_EQ(ended({{"kind", "cycle"}, {"start", 22}, {"end", 42}}), 41u);
  // Commits at pc 5 and 7 open and close it, in the cycles after their flits.
  EXPECT_EQ(ended({{"kind", "pc"}, {"start", 5}, {"end", 7}}), 41u);
  EXPECT_EQ(ended({{"kind", "pc"}, {"start", 7}, {"end", 5}}), 61u);
  EXPECT_EQ(ended({{"kind", "pc"}, {"start", 9}, {"end", 7}}), std::nullopt);
}

TEST(RtlBlade, ProfilingChangesNoToken) {
  const std::vector<std::pair<uint32_t, uint64_t>> flits{{20, 1}, {21, 2}, {90, 3}};
  Rig with;
  Rig without(test_manifest(), {{"nic", {{"mac", "00:12:6D:00:00:02"}}}});
  EXPECT_TRUE(with.run(200, flits, {7}).same_tokens(without.run(200, flits, {50})));
}

TEST(RtlBlade, MistakesAreNamed) {
  const auto refused = [](const json &manifest, const json &bridges) {
    return refusal([&] { Rig rig(manifest, bridges); });
  };
  json manifest = test_manifest();
  manifest["design_hash"] = "ffff";
  EXPECT_EQ(refused(manifest, settings()), "node0: model " TEST_DEVICE
                                           " has design hash 0123abcd, but its manifest says ffff; "
                                           "build it again");
  manifest = test_manifest();
  manifest["bridges"][1]["kind"] = "urat";
  EXPECT_EQ(refused(manifest, {{"nic", {{"mac", "00:12:6D:00:00:02"}}}}),
            "node0: bridge top.uart (FireSimBridge) is of unknown kind 'urat', nearest is 'uart'");
  manifest = test_manifest();
  manifest["bridges"][2]["ports"].erase("value");
  EXPECT_EQ(refused(manifest, settings()),
            "bridge top.end (FireSimBridge): port 'value' is missing");
  json bridges = settings();
  bridges["memory"] = {{"base", 0}};
  EXPECT_EQ(refused(test_manifest(), bridges),
            "node0: bridges.memory: found {\"base\":0}, expected only bridges that the model has "
            "(nic, uart, termination and tracerv)");
  bridges = settings();
  bridges["urat"] = json::object();
  EXPECT_EQ(refused(test_manifest(), bridges),
            "node0: bridges: unknown key 'urat', nearest is 'uart'");
  bridges = settings();
  bridges["nic"]["mac"] = "00:12:6D:00:00";
  EXPECT_EQ(refused(test_manifest(), bridges),
            "node0: bridges.nic.mac: found \"00:12:6D:00:00\", expected six hexadecimal bytes as "
            "in 00:12:6D:00:00:02");
}

}  // namespace
}  // namespace firesim::bridges
