// SPDX-License-Identifier: BSD-3-Clause
// AutoCounter rows: intervals, triggers, the last row.
#include "bridges/autocounter.h"

#include <fstream>
#include <sstream>

#include "bench.h"

namespace firesim::bridges {
namespace {

// Runs 100 cycles in which the counter shows 2 * cycle; returns the file. Cycle 40 commits pc 0x40,
// cycle 50 pc 0x50.
std::string rows(const nlohmann::json &trigger) {
  Bench bench("tracerv", {{"valid", 1, false},
                          {"pc", 64, false},
                          {"instruction", 32, false},
                          {"privilege", 3, false},
                          {"exception", 1, false},
                          {"interrupt", 1, false},
                          {"cause", 64, false},
                          {"tval", 64, false}});
  uint64_t counter = 0;
  SimulationContext simulation{bench.folder().path(), bench.folder().path()};
  AutoCounter counters({{"interval_cycles", 30}, {"file", "n/c.csv"}, {"trigger", trigger}}, "n",
                       simulation, {{"flits, sent", FiresimPort{"c", 64, 0, &counter}}},
                       {TracePort(bench.context({}).ports, 0)});
  for (uint64_t cycle = 0; cycle < 100; ++cycle) {
    counter = 2 * cycle;
    bench.set("valid", cycle == 40 || cycle == 50);
    bench.set("pc", cycle);
    if (cycle == counters.next_sample()) counters.sample(cycle);
    if (counters.listens()) counters.exchange(cycle);
  }
  counter = 200;
  counters.finish(100);
  std::ifstream stream(bench.folder() / "n/c.csv");
  std::stringstream text;
  text << stream.rdbuf();
  const std::string header = "cycle,\"flits, sent\"\n";
  EXPECT_EQ(text.str().substr(0, header.size()), header);
  return text.str().substr(header.size());
}

TEST(AutoCounter, SamplesAtTheIntervalAndAtTheEnd) {
  EXPECT_EQ(rows({{"kind", "always"}}), "30,60\n60,120\n90,180\n100,200\n");
  EXPECT_EQ(rows(nullptr), "30,60\n60,120\n90,180\n100,200\n");
}

TEST(AutoCounter, Triggers) {
  EXPECT_EQ(rows({{"kind", "none"}}), "");
  EXPECT_EQ(rows({{"kind", "cycle"}, {"start", 20}, {"end", 70}}),
            "20,40\n30,60\n60,120\n70,140\n100,200\n");
  EXPECT_EQ(rows({{"kind", "pc"}, {"start", 40}, {"end", 50}}), "40,80\n50,100\n100,200\n");
}

}  // namespace
}  // namespace firesim::bridges
