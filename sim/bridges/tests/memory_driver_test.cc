// SPDX-License-Identifier: BSD-3-Clause
// The memory driver's AXI4 protocol and the fixed timing model, to the cycle.
#include <fstream>

#include "axi_master.h"

namespace firesim::bridges {
namespace {

nlohmann::json fixed(uint64_t latency, nlohmann::json more = nlohmann::json::object()) {
  more["model"] = "fixed";
  more["latency_cycles"] = latency;
  return {{"timing", more}};
}

void put(AxiMaster &master, uint64_t address, uint64_t value) {
  std::memcpy(master.driver->memory().at(address), &value, 8);
}

TEST(MemoryDriver, FixedReadLatencyIsExact) {
  for (const uint64_t latency : {1, 2, 7, 40}) {
    AxiMaster master(fixed(latency));
    put(master, 0x80000040, 0x1122334455667788);
    master.run(5);
    master.read({0x80000040});
    master.run(latency + 5);
    ASSERT_EQ(master.beats.size(), 1u);
    EXPECT_EQ(master.read_taken[0], 5u);
    EXPECT_EQ(master.beats[0].cycle, 5 + latency);
    EXPECT_EQ(master.beats[0].data, 0x1122334455667788u);
    EXPECT_TRUE(master.beats[0].last);
  }
}

TEST(MemoryDriver, FixedWriteLatencyIsExact) {
  for (const uint64_t latency : {1, 3, 40}) {
    AxiMaster master(fixed(latency));
    master.write({0x80000100, 4}, write_beats(10, 4));
    master.run(latency + 10);
    ASSERT_EQ(master.responses.size(), 1u);
    EXPECT_EQ(master.write_taken[0], 3u);
    EXPECT_EQ(master.responses[0].cycle, 3 + latency);
    EXPECT_EQ(*master.driver->memory().at(0x80000118), 13);
  }
}

TEST(MemoryDriver, FixedSustainsEightBytesPerCycleEachWay) {
  AxiMaster master(fixed(20));
  for (uint32_t i = 0; i < 50; ++i) {
    master.read({0x80000000 + i * 64, 8, i % 16});
    master.write({0x80100000 + i * 64, 8, i % 16}, write_beats(i, 8));
  }
  master.run(500);
  ASSERT_EQ(master.beats.size(), 400u);
  ASSERT_EQ(master.responses.size(), 50u);
  EXPECT_EQ(master.beats[0].cycle, 20u);
  EXPECT_EQ(master.beats[399].cycle, 20u + 399);
  EXPECT_EQ(master.write_taken[49], 399u);
  EXPECT_EQ(master.responses[49].cycle, 399u + 20);
}

TEST(MemoryDriver, BandwidthLimitIsExactInTheLongRun) {
  AxiMaster master(fixed(5, {{"bytes_per_cycle", 3}}));
  for (uint32_t i = 0; i < 30; ++i) {
    master.read({0x80000000, 8});
    master.write({0x80001000, 8}, write_beats(0, 8));
  }
  master.run(800);
  ASSERT_EQ(master.beats.size(), 240u);
  ASSERT_EQ(master.write_taken.size(), 30u);
  EXPECT_EQ(master.beats[239].cycle - master.beats[0].cycle, (239u * 8 + 2) / 3);
  EXPECT_EQ(master.write_taken[29], (239u * 8 + 2) / 3);
}

TEST(MemoryDriver, OutstandingReadsAreLimited) {
  AxiMaster master(fixed(10, {{"max_reads", 2}}));
  for (uint32_t i = 0; i < 4; ++i) master.read({0x80000000, 1, i});
  master.run(60);
  ASSERT_EQ(master.read_taken.size(), 4u);
  EXPECT_EQ(master.read_taken[0], 0u);
  EXPECT_EQ(master.read_taken[1], 1u);
  EXPECT_EQ(master.read_taken[2], 11u);  // the first beat went in cycle 10
  EXPECT_EQ(master.read_taken[3], 12u);
}

TEST(MemoryDriver, WrapAndFixedBurstsAndNarrowBeats) {
  AxiMaster master(fixed(2));
  for (uint64_t i = 0; i < 16; ++i) put(master, 0x80000000 + i * 8, 100 + i);
  master.read({0x80000010, 4, 0, 3, 2});  // WRAP of 32 bytes from its middle
  master.read({0x80000008, 3, 0, 3, 0});  // FIXED
  master.read({0x80000004, 3, 0, 2, 1});  // 4-byte beats; lanes of the 8-byte word
  master.run(30);
  ASSERT_EQ(master.beats.size(), 10u);
  const uint64_t expected[] = {102, 103, 100, 101, 101, 101, 101, 100, 101, 101};
  for (size_t i = 0; i < 10; ++i) EXPECT_EQ(master.beats[i].data, expected[i]) << i;
}

TEST(MemoryDriver, StrobesChooseBytes) {
  AxiMaster master(fixed(1));
  put(master, 0x80000000, 0xffffffffffffffff);
  master.write({0x80000000}, {{0x1122334455667788, 0x0f, true}});
  master.run(5);
  master.read({0x80000000});
  master.run(5);
  EXPECT_EQ(master.beats.at(0).data, 0xffffffff55667788u);
}

TEST(MemoryDriver, DataMayComeBeforeItsAddress) {
  AxiMaster master(fixed(4));
  master.write({0x80000000, 2}, write_beats(7, 2));
  master.offer_write = false;
  master.run(10);
  EXPECT_TRUE(master.write_data.empty());
  master.offer_write = true;
  master.run(10);
  ASSERT_EQ(master.responses.size(), 1u);
  EXPECT_EQ(master.responses[0].cycle, 14u);
  EXPECT_EQ(*master.driver->memory().at(0x80000008), 8);
}

TEST(MemoryDriver, BackPressureHoldsBeats) {
  AxiMaster master(fixed(3));
  master.r_ready = false;
  master.b_ready = false;
  master.read({0x80000000, 2, 5});
  master.write({0x80000000, 1, 6}, write_beats(1, 1));
  master.run(20);
  EXPECT_EQ(master.bench.get("r_valid"), 1u);
  EXPECT_EQ(master.bench.get("b_valid"), 1u);
  master.r_ready = true;
  master.b_ready = true;
  master.run(3);
  ASSERT_EQ(master.beats.size(), 2u);
  EXPECT_EQ(master.beats[0].cycle, 20u);
  EXPECT_EQ(master.beats[1].cycle, 21u);
  EXPECT_EQ(master.beats[0].id, 5u);
  EXPECT_EQ(master.responses.at(0).id, 6u);
}

TEST(MemoryDriver, OutsideTheMemoryIsADecodeError) {
  AxiMaster master(fixed(3));
  master.read({0x10000000, 2});
  master.write({0x10000000, 1}, write_beats(1, 1));
  master.run(20);
  ASSERT_EQ(master.beats.size(), 2u);
  EXPECT_EQ(master.beats[1].response, 3u);
  EXPECT_EQ(master.beats[1].data, 0u);
  EXPECT_EQ(master.responses.at(0).response, 3u);
  EXPECT_EQ(master.driver->statistics()["reads"]["decode_errors"], 1);
}

TEST(MemoryDriver, ProtocolErrorsAreNamed) {
  const auto error_of = [](const AxiMaster::Request &request) -> std::string {
    AxiMaster master(fixed(3));
    master.read(request);
    try {
      master.run(2);
    } catch (const std::runtime_error &error) {
      return error.what();
    }
    return "";
  };
  const std::string start = "node0: bridges.memory: the target's read burst of ";
  EXPECT_EQ(error_of({0x80000ff8, 2}), start + "2 beats at 0x80000ff8 crosses a 4 KiB boundary");
  EXPECT_EQ(error_of({0x80000000, 3, 0, 3, 2}),
            start + "3 beats at 0x80000000 is WRAP with a length that is not 2, 4, 8 or 16");
  EXPECT_EQ(error_of({0x80000000, 1, 0, 4}),
            start + "1 beats at 0x80000000 has beats wider than the data bus");
}

TEST(MemoryDriver, WideBus) {
  AxiMaster master(fixed(2), 256);
  put(master, 0x80000020, 1);
  put(master, 0x80000038, 4);
  master.read({0x80000020, 1, 0, 5});
  master.run(2);
  EXPECT_EQ(master.bench.get("r_valid"), 1u);
  EXPECT_EQ(master.bench.bytes("r_data")[0], 1);
  EXPECT_EQ(master.bench.bytes("r_data")[24], 4);
}

TEST(MemoryDriver, StatisticsFile) {
  AxiMaster master({{"timing", {{"model", "fixed"}, {"latency_cycles", 12}}},
                    {"statistics", "node0/memory.json"}});
  for (int i = 0; i < 3; ++i) master.read({0x80000000, 8});
  master.run(100);
  master.driver->finish(100);
  std::ifstream stream(master.bench.folder() / "node0/memory.json");
  const auto facts = nlohmann::json::parse(stream);
  EXPECT_EQ(facts["reads"]["bursts"], 3);
  EXPECT_EQ(facts["reads"]["bytes"], 192);
  EXPECT_EQ(facts["cycles"], 100);
  EXPECT_GE(facts["reads"]["mean_latency_cycles"], 12.0);
}

TEST(MemoryDriver, LatenciesFile) {
  AxiMaster master({{"timing", {{"model", "fixed"}, {"latency_cycles", 12}}},
                    {"histograms", "node0/histograms.json"}});
  // Eight beats each: the second read waits for the first one's last beat.
  for (int i = 0; i < 2; ++i) master.read({0x80000000, 8});
  master.run(100);
  master.driver->finish(100);
  ASSERT_EQ(master.beats.size(), 16u);
  std::ifstream stream(master.bench.folder() / "node0/histograms.json");
  const auto found = nlohmann::json::parse(stream)["histograms"];
  EXPECT_EQ(found[0]["what"], "read latency");
  EXPECT_EQ(found[0]["count"], 2);
  const uint64_t apart = master.beats[8].cycle - master.beats[0].cycle;
  // They were asked for in cycles after each other.
  EXPECT_EQ(found[0]["bins"], (nlohmann::json{{12, 12, 1}, {11 + apart, 11 + apart, 1}}));
  EXPECT_EQ(found[1]["count"], 0);
}

TEST(MemoryDriver, BadConfigurationIsRefused) {
  const auto refused = [](nlohmann::json extra) {
    return refusal([&] { AxiMaster master(extra); });
  };
  const std::string where = "node0: bridges.memory";
  EXPECT_EQ(refused({{"size_bytes", 100}}),
            where + ".size_bytes: found 100, expected a whole number from 4096 to 17592186044416");
  EXPECT_EQ(refused({{"size_bytes", 5000}}),
            where + ".size_bytes: found 5000, expected a multiple of 4096");
  EXPECT_EQ(refused({{"timming", 1}}), where + ": unknown key 'timming', nearest is 'timing'");
  EXPECT_EQ(refused({{"timing", {{"model", "frfcfs"}}}}),
            where +
                ".timing.model: found \"frfcfs\", expected one of fixed, fcfs and fr_fcfs; "
                "nearest is 'fr_fcfs'");
  EXPECT_EQ(refused({{"timing", {{"latency_cycles", 0}}}}),
            where + ".timing.latency_cycles: found 0, expected a whole number from 1 to 1000000");
  EXPECT_EQ(refused({{"timing", {{"model", "fcfs"}, {"banks", 6}}}}),
            where + ".timing.banks: found 6, expected a power of two from 1 to 64");
  EXPECT_EQ(refused({{"timing", {{"model", "fcfs"}, {"timings", {{"tRC", 20}}}}}}),
            where + ".timing.timings.tRC: found 20, expected at least tRAS + tRP = 47");
  EXPECT_EQ(refused({{"timing", {{"model", "fcfs"}, {"timings", {{"tREFI", 200}}}}}}),
            where +
                ".timing.timings.tREFI: found 200, expected more than 250, the time a refresh "
                "can take with tRFC 160");
  EXPECT_EQ(refused({{"llc", {{"ways", 0}}}}),
            where + ".llc.ways: found 0, expected a whole number from 1 to 64");
}

}  // namespace
}  // namespace firesim::bridges
