// SPDX-License-Identifier: BSD-3-Clause
// Commit logs as text and as binary, and the triggers of the trace driver.
#include "traces/trace_files.h"

#include <chrono>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

#include "bench.h"
#include "bridges/tracerv/tracerv.h"
#include "core/tests/random_seed.h"

namespace firesim::bridges {
namespace {

std::string content(const std::filesystem::path &file) {
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

TEST(TraceFiles, TextIsSpikeStyle) {
  TemporaryFolder folder;
  {
    TextTrace trace(folder / "t", 2);
    trace.add({17, 0x80000000, 0, 0, 0x297, 3, false, false});
    trace.add({18, 0x80000004, 0, 0, 0x4501, 0, false, false});
    trace.add({20, 0x80000006, 2, 0xabc, 0, 3, true, false});
    trace.add({21, 0x80000006, 7, 0, 0, 3, true, true});
  }
  EXPECT_EQ(content(folder / "t"),
            "core   2: 3 0x0000000080000000 (0x00000297) cycle 17\n"
            "core   2: 0 0x0000000080000004 (0x4501) cycle 18\n"
            "core   2: exception 2, epc 0x0000000080000006, tval 0x0000000000000abc cycle 20\n"
            "core   2: interrupt 7, epc 0x0000000080000006, tval 0x0000000000000000 cycle 21\n");
}

TEST(TraceFiles, BinaryComesBackAsItWas) {
  const uint64_t seed = random_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  TemporaryFolder folder;
  std::vector<Commit> commits;
  uint64_t cycle = 16, pc = 0x80000000;
  for (int i = 0; i < 50'000; ++i) {
    Commit commit;
    commit.cycle = cycle += random() % 8 == 0 ? random() % 100'000 : 1;
    if (random() % 16 == 0) pc = random();
    commit.pc = pc;
    commit.privilege = random() % 3 == 0 ? 0 : 3;
    commit.trap = random() % 50 == 0;
    if (commit.trap) {
      commit.interrupt = random() % 2 == 0;
      commit.cause = random() % 16;
      commit.tval = random();
    } else {
      commit.instruction = static_cast<uint32_t>(random());
      if (commit.length() == 2) commit.instruction &= 0xffff;
      pc += commit.length();
    }
    commits.push_back(commit);
  }
  {
    BinaryTrace trace(folder / "t", 3);
    for (const Commit &commit : commits) trace.add(commit);
  }
  uint32_t hart = 0;
  const std::vector<Commit> back = read_binary_trace(folder / "t", hart);
  EXPECT_EQ(hart, 3u);
  ASSERT_EQ(back.size(), commits.size());
  for (size_t i = 0; i < back.size(); ++i) {
    ASSERT_EQ(back[i].cycle, commits[i].cycle) << i;
    ASSERT_EQ(back[i].pc, commits[i].pc) << i;
    ASSERT_EQ(back[i].instruction, commits[i].instruction) << i;
    ASSERT_EQ(back[i].privilege, commits[i].privilege) << i;
    ASSERT_EQ(back[i].trap, commits[i].trap) << i;
    ASSERT_EQ(back[i].interrupt, commits[i].interrupt) << i;
    ASSERT_EQ(back[i].cause, commits[i].cause) << i;
    ASSERT_EQ(back[i].tval, commits[i].tval) << i;
  }
}

TEST(TraceFiles, ACutBinaryTraceIsRefused) {
  TemporaryFolder folder;
  {
    BinaryTrace trace(folder / "t", 0);
    trace.add({17, 0x80000000, 0, 0, 0x297, 3, false, false});
  }
  std::filesystem::resize_file(folder / "t", std::filesystem::file_size(folder / "t") - 1);
  uint32_t hart = 0;
  EXPECT_THROW(read_binary_trace(folder / "t", hart), std::runtime_error);
}

std::vector<BenchPort> trace_ports() {
  return {{"valid", 1, false, true},     {"pc", 64, false},
          {"instruction", 32, false},    {"privilege", 3, false},
          {"exception", 1, false, true}, {"interrupt", 1, false},
          {"cause", 64, false},          {"tval", 64, false}};
}

// The cycles that come through a trigger when every cycle commits instruction `start`, `end` or a
// no-operation: pc = 4 * cycle; start marker in cycle 20, end marker in cycle 30.
// Counters count from cycle 33 to 36.
std::vector<uint64_t> traced(const nlohmann::json &trigger) {
  Bench bench("tracerv", trace_ports());
  auto driver = bench.make<TraceRvDriver>(
      {{"enabled", true}, {"trigger", trigger}, {"outputs", {"binary"}}, {"directory", "d"}});
  if (driver->listens()) {
    bench.set("valid", 1);
    while (bench.now < 50) {
      bench.status().window_open = bench.now >= 33 && bench.now < 36;
      bench.set("pc", 4 * bench.now);
      bench.set("instruction", bench.now == 20 ? 0x8013 : bench.now == 30 ? 0x10013 : 0x13);
      bench.cycle(*driver);
    }
  }
  driver->finish(50);
  std::vector<uint64_t> cycles;
  uint32_t hart = 0;
  if (!driver->listens()) return cycles;
  for (const Commit &commit : read_binary_trace(bench.folder() / "d/hart0.trace", hart)) {
    cycles.push_back(commit.cycle);
  }
  return cycles;
}

std::vector<uint64_t> span(uint64_t from, uint64_t to) {
  std::vector<uint64_t> cycles;
  for (; from < to; ++from) cycles.push_back(from);
  return cycles;
}

TEST(TraceRv, Triggers) {
  EXPECT_EQ(traced({{"kind", "none"}}), span(0, 0));
  EXPECT_EQ(traced({{"kind", "always"}}), span(0, 50));
  EXPECT_EQ(traced({{"kind", "cycle"}, {"start", 10}, {"end", 13}}), span(10, 13));
  EXPECT_EQ(traced({{"kind", "pc"}, {"start", 40}, {"end", 60}}), span(10, 15));
  EXPECT_EQ(traced({{"kind", "instruction"}}), span(20, 30));
  EXPECT_EQ(traced({{"kind", "counters"}}), span(33, 36));
  // Starts again with the first instruction after the end marker.
  std::vector<uint64_t> all_but_the_end = span(0, 30);
  for (const uint64_t cycle : span(31, 50)) all_but_the_end.push_back(cycle);
  EXPECT_EQ(traced({{"kind", "instruction"}, {"start", {{"mask", 0x7f}, {"value", 0x13}}}}),
            all_but_the_end);
}

TEST(TraceRv, BadConfigurationIsRefused) {
  const auto refused = [](const nlohmann::json &config) {
    Bench bench("tracerv", trace_ports());
    return refusal([&] { bench.make<TraceRvDriver>(config); });
  };
  EXPECT_EQ(refused({{"outputs", {"flded"}}}),
            "node0: bridges.tracerv.outputs: found [\"flded\"], expected any of text, binary, "
            "folded and speedscope; nearest to 'flded' is 'folded'");
  EXPECT_EQ(refused({{"trigger", {{"kind", "cycle"}, {"start", 9}, {"end", 9}}}}),
            "node0: bridges.tracerv.trigger.end: found 9, expected a cycle after start, 9");
  EXPECT_EQ(refused({{"trigger", {{"kind", "pc"}, {"start", 9}}}}),
            "node0: bridges.tracerv.trigger.end: found nothing, expected a whole number from 0 to "
            "18446744073709551615");
}

TEST(TraceRv, FoldedFileIsWrittenAtTheEnd) {
  Bench bench("tracerv", trace_ports());
  bench.parameters()["HART"] = 1;
  auto driver = bench.make<TraceRvDriver>({{"enabled", true},
                                           {"outputs", {"folded", "text"}},
                                           {"elf", {{{"file", CALL_DEMO}, {"also_at", 0x1000}}}},
                                           {"directory", "node0/trace"}});
  bench.now = 16;
  bench.set("valid", 1);
  bench.set("pc", 0x1000);
  bench.set("instruction", 0x13);
  bench.set("privilege", 3);
  bench.cycle(*driver);
  driver->finish(17);
  EXPECT_EQ(content(bench.folder() / "node0/trace/hart1.folded"), "hart1;_start 1\n");
  EXPECT_EQ(content(bench.folder() / "node0/trace/hart1.log"),
            "core   1: 3 0x0000000000001000 (0x00000013) cycle 16\n");
}

TEST(TraceRv, FoldedFileIsThereWhileTheRunGoesOn) {
  Bench bench("tracerv", trace_ports());
  auto driver = bench.make<TraceRvDriver>(
      {{"enabled", true}, {"outputs", {"folded"}}, {"elf", {CALL_DEMO}}, {"directory", "trace"}});
  bench.set("valid", 1);
  bench.set("pc", 0x1000);
  bench.set("instruction", 0x13);
  bench.set("privilege", 3);
  const std::filesystem::path file = bench.folder() / "trace/hart0.folded";
  for (int i = 0; i < 4096; ++i) bench.cycle(*driver);
  EXPECT_FALSE(std::filesystem::exists(file));  // The run is too young.
  std::this_thread::sleep_for(std::chrono::milliseconds(1050));
  for (int i = 0; i < 4096; ++i) bench.cycle(*driver);
  EXPECT_EQ(content(file).substr(0, 6), "hart0;");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(file.parent_path()), {}), 1);
}

}  // namespace
}  // namespace firesim::bridges
