// SPDX-License-Identifier: BSD-3-Clause
// Traces of functional blades: call stacks are those that every single commit gives, whatever cuts
// time, and through a snapshot; a blade that is traced is the same blade.
#include "functional/blade/hart_traces.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <sstream>

#include "blade_rig.h"
#include "core/tests/random_seed.h"

namespace firesim::functional {
namespace {

constexpr uint64_t kCycles = 400'000;

nlohmann::json trace(const std::vector<std::string> &outputs, const nlohmann::json &trigger) {
  return {{"enabled", true},
          {"outputs", outputs},
          {"elf", {STRESS_PROGRAM}},
          {"trigger", trigger},
          {"timeline_bytes", 1 << 24}};
}

struct Found {
  std::vector<std::string> folded, events;  // of both nodes, by hart
  std::string log;                          // of hart 0 of node 0
  uint64_t hash = 0;
  std::string console;
  nlohmann::json statistics;
};

enum class Way { kStraight, kReplaced };

Found run(const RigParameters &parameters, uint64_t seed, uint32_t most_cycles,
          Way way = Way::kStraight) {
  std::mt19937_64 random(seed);
  BladeRig rig("hart-traces", parameters);
  if (way == Way::kReplaced) {
    rig.run(kCycles / 3, random, most_cycles);
    rig.replace();
  }
  rig.run(kCycles, random, most_cycles);
  Found found;
  for (int node = 0; node < 2; ++node) {
    rig.blade(node).finish(kCycles);
    const std::string folder = "node" + std::to_string(node) + "/hart";
    for (uint32_t hart = 0; hart < parameters.cores; ++hart) {
      found.folded.push_back(rig.file(folder + std::to_string(hart) + ".folded"));
      found.events.push_back(rig.file(folder + std::to_string(hart) + ".events"));
    }
  }
  found.log = rig.file("node0/hart0.log");
  found.statistics = rig.blade(0).statistics()["tracerv"];
  const Outcome outcome = rig.outcome();
  found.hash = outcome.hash;
  found.console = outcome.console;
  return found;
}

uint64_t cycles_of(const std::string &folded) {
  std::istringstream lines(folded);
  uint64_t sum = 0;
  for (std::string line; std::getline(lines, line);) {
    sum += std::stoull(line.substr(line.rfind(' ') + 1));
  }
  return sum;
}

class Traces : public testing::Test {
 protected:
  Traces() { std::printf("seed %lu\n", seed); }

  const uint64_t seed = random_seed();
  const nlohmann::json always = {{"kind", "always"}};
};

TEST_F(Traces, StacksAreThoseOfEveryCommit) {
  const nlohmann::json window = {{"kind", "cycle"}, {"start", 50'001}, {"end", 90'003}};
  for (const RigParameters &shape :
       {RigParameters{.cores = 1}, RigParameters{.cores = 2, .cycles_per_instruction = 3}}) {
    for (const nlohmann::json &trigger : {always, window}) {
      RigParameters parameters = shape;
      parameters.trace = trace({"folded"}, trigger);
      const Found quick = run(parameters, seed, 700);
      parameters.trace = trace({"folded", "text"}, trigger);
      const Found whole = run(parameters, seed + 1, 90);
      ASSERT_FALSE(whole.log.empty());
      EXPECT_EQ(quick.folded, whole.folded);
      EXPECT_TRUE(quick.events == whole.events);
      EXPECT_EQ(quick.statistics, whole.statistics);
      EXPECT_EQ(quick.hash, whole.hash);
      EXPECT_NE(quick.folded[0].find("start"), std::string::npos) << quick.folded[0];
    }
  }
}

// Up to the last instruction that has ended: the harts wait at times.
TEST_F(Traces, EveryCycleIsInAStack) {
  RigParameters parameters;
  parameters.trace = trace({"folded", "text"}, always);
  const Found found = run(parameters, seed, 700);
  const size_t last = found.log.rfind(' ');
  EXPECT_EQ(cycles_of(found.folded[0]), std::stoull(found.log.substr(last + 1)) - 15);
}

TEST_F(Traces, ABladeThatIsTracedIsTheSame) {
  for (const uint32_t cores : {1u, 2u}) {
    RigParameters parameters{.cores = cores};
    const Found plain = run(parameters, seed, 700);
    EXPECT_TRUE(plain.statistics.is_null());
    parameters.trace = trace({"folded"}, always);
    const Found traced = run(parameters, seed, 500);
    EXPECT_EQ(plain.hash, traced.hash);
    EXPECT_EQ(plain.console, traced.console);
    EXPECT_GT(traced.statistics[0]["commits"], 10'000u);
  }
}

TEST_F(Traces, GoOnFromASnapshot) {
  RigParameters parameters{.cores = 2};
  parameters.trace = trace({"folded"}, always);
  const Found straight = run(parameters, seed, 700);
  const Found replaced = run(parameters, seed, 700, Way::kReplaced);
  EXPECT_EQ(straight.folded, replaced.folded);
  EXPECT_EQ(straight.statistics, replaced.statistics);
  EXPECT_EQ(straight.hash, replaced.hash);
}

class Saved : public Traces {
 protected:
  // What is said when a blade with one trace goes on with another; empty if nothing is.
  static std::string goes_on(const nlohmann::json &before, const nlohmann::json &after) {
    std::mt19937_64 random(1);
    BladeRig first("hart-traces-first", {.trace = before});
    first.run(20'000, random, 700);
    StateWriter writer;
    first.blade(0).save(writer);
    BladeRig second("hart-traces-second", {.trace = after});
    StateReader reader("test", writer);
    try {
      second.blade(0).load(reader, 20'000);
      reader.finish();
    } catch (const SnapshotError &error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(Saved, StacksAreLeftOutByABladeThatIsNotTraced) {
  EXPECT_EQ(goes_on(trace({"folded"}, always), nullptr), "");
  EXPECT_EQ(goes_on(nullptr, trace({"folded"}, always)), "");
}

TEST_F(Saved, StacksNeedOutputsToGoInto) {
  nlohmann::json text = trace({"text"}, always);
  text.erase("timeline_bytes");
  const std::string said = goes_on(trace({"folded"}, always), text);
  EXPECT_NE(said.find("has call stacks, expected \"outputs\" as when it was saved"),
            std::string::npos)
      << said;
}

TEST_F(Traces, WindowsOfCountersAreThoseOfRtl) {
  nlohmann::json within = trace({"folded"}, always);
  within["within_counters"] = true;
  EXPECT_THROW(BladeRig("hart-traces", {.trace = within}), DescriptionError);
}

}  // namespace
}  // namespace firesim::functional
