// SPDX-License-Identifier: BSD-3-Clause
// AutoCounter rows: intervals, triggers, the last row.
#include "bridges/autocounter.h"

#include <fstream>
#include <sstream>

#include "bench.h"

namespace firesim::bridges {
namespace {

// Runs 100 cycles in which the counter shows 2 * cycle, and one of tens cycle / 10; returns the
// file. Cycle 40 commits pc 0x40, cycle 50 pc 0x50. From `saved_at` on, if not 0, it is another one
// with `then`, or the same trigger, that goes on from the state, with rows at its own interval.
std::string rows(const nlohmann::json &trigger, uint64_t saved_at = 0,
                 const nlohmann::json &then = nullptr, uint64_t then_interval = 30) {
  Bench bench("tracerv", {{"valid", 1, false},
                          {"pc", 64, false},
                          {"instruction", 32, false},
                          {"privilege", 3, false},
                          {"exception", 1, false},
                          {"interrupt", 1, false},
                          {"cause", 64, false},
                          {"tval", 64, false}});
  uint64_t counter = 0, tens = 0;
  BladeStatus status;
  SimulationContext simulation{bench.folder().path(), bench.folder().path()};
  const auto make = [&](const nlohmann::json &wanted, const std::string &file,
                        uint64_t interval = 30) {
    return std::make_unique<AutoCounter>(
        nlohmann::json{{"interval_cycles", interval}, {"file", file}, {"trigger", wanted}}, "n",
        simulation,
        std::vector<AutoCounter::Source>{{"flits, sent", FiresimPort{"c", 64, 0, &counter}},
                                         {"tens", FiresimPort{"t", 64, 0, &tens}}},
        std::vector<TracePort>{TracePort(bench.context({}).ports, 0)}, status);
  };
  auto counters = make(trigger, "n/c.csv");
  std::string file = "n/c.csv";
  for (uint64_t cycle = 0; cycle < 100; ++cycle) {
    counter = 2 * cycle;
    tens = cycle / 10;
    if (saved_at != 0 && cycle == saved_at) {
      StateWriter writer;
      counters->save(writer);
      counters->finish(cycle);
      file = "n/d.csv";
      counters = make(then.is_null() ? trigger : then, file, then_interval);
      StateReader reader("here", writer);
      reader.set_cycle(cycle);
      counters->load(reader);
      reader.finish();
    }
    bench.set("valid", cycle == 40 || cycle == 50);
    bench.set("pc", cycle);
    if (cycle == counters->next_sample()) counters->sample(cycle);
    if (counters->listens()) counters->exchange(cycle);
    if (status.end.ended()) {
      EXPECT_EQ(status.end.cycle, cycle);
      EXPECT_EQ(status.end.exit_code, 0);
      break;
    }
  }
  counter = 200;
  tens = 10;
  counters->finish(100);
  std::ifstream stream(bench.folder() / file);
  std::stringstream text;
  text << stream.rdbuf();
  const bool always = trigger.is_null() || trigger["kind"] == "always";
  const std::string header =
      always ? "cycle,\"flits, sent\",tens\n" : "cycle,active_cycles,\"flits, sent\",tens\n";
  EXPECT_EQ(text.str().substr(0, header.size()), header);
  return text.str().substr(header.size());
}

constexpr const char *kWhole = "30,60,3\n60,120,6\n90,180,9\n100,200,10\n";
const nlohmann::json kByCycle = {{"kind", "cycle"}, {"start", 20}, {"end", 70}};
const nlohmann::json kByPc = {{"kind", "pc"}, {"start", 40}, {"end", 50}};
const nlohmann::json kByEvent = {
    {"kind", "event"}, {"start", {{"event", "tens"}, {"count", 2}}}, {"end", {{"event", "tens"}}}};

TEST(AutoCounter, SamplesAtTheIntervalAndAtTheEnd) {
  EXPECT_EQ(rows({{"kind", "always"}}), kWhole);
  EXPECT_EQ(rows(nullptr), kWhole);
  EXPECT_EQ(rows({{"kind", "always"}}, 45), "60,120,6\n90,180,9\n100,200,10\n");
}

TEST(AutoCounter, CountsWithinItsWindowAlone) {
  EXPECT_EQ(rows({{"kind", "none"}}), "");
  EXPECT_EQ(rows(kByCycle), "20,0,0,0\n30,10,20,1\n60,40,80,4\n70,50,100,5\n100,50,100,5\n");
  EXPECT_EQ(rows(kByPc), "40,0,0,0\n50,10,20,1\n100,10,20,1\n");
}

TEST(AutoCounter, OpensAndClosesByEvents) {
  // Two tens have passed by 20, one more by 30; two more by 50, one by 60; and by 80 and 90.
  EXPECT_EQ(rows(kByEvent),
            "20,0,0,0\n30,10,20,1\n50,10,20,1\n60,20,40,2\n80,20,40,2\n90,30,60,3\n"
            "100,30,60,3\n");
  const nlohmann::json open = {{"kind", "event"}, {"start", {{"event", "tens"}, {"count", 7}}}};
  EXPECT_EQ(rows(open), "70,0,0,0\n90,20,40,2\n100,30,60,3\n");
}

TEST(AutoCounter, GoesOnFromASnapshotAtAnotherInterval) {
  EXPECT_EQ(rows({{"kind", "always"}}, 45, nullptr, 20),
            "45,90,4\n60,120,6\n80,160,8\n100,200,10\n");
  EXPECT_EQ(rows(kByCycle, 45, nullptr, 20), "60,40,80,4\n70,50,100,5\n100,50,100,5\n");
}

TEST(AutoCounter, GoesOnFromASnapshotWithinAWindow) {
  EXPECT_EQ(rows(kByCycle, 45), "60,40,80,4\n70,50,100,5\n100,50,100,5\n");
  EXPECT_EQ(rows(kByPc, 45), "50,10,20,1\n100,10,20,1\n");
  EXPECT_EQ(rows(kByEvent, 25),
            "30,10,20,1\n50,10,20,1\n60,20,40,2\n80,20,40,2\n90,30,60,3\n100,30,60,3\n");
  // Another trigger than that of the run before begins where it goes on.
  EXPECT_EQ(rows(kByPc, 55, kByCycle), "55,0,0,0\n60,5,10,1\n70,15,30,2\n100,15,30,2\n");
}

TEST(AutoCounter, EndsItsNodeWhereTheWindowFirstCloses) {
  nlohmann::json ends = kByEvent;
  ends["ends_node"] = true;
  EXPECT_EQ(rows(ends), "20,0,0,0\n30,10,20,1\n100,10,20,1\n");
  EXPECT_EQ(rows(ends, 25), "30,10,20,1\n100,10,20,1\n");
  ends.erase("end");
  EXPECT_EQ(refusal([&] { rows(ends); }),
            "n.trigger.ends_node: found true, expected the key end beside it, which says where the "
            "node ends");
}

TEST(AutoCounter, RefusesAnEventThatIsNotCounted) {
  const nlohmann::json wrong = {{"kind", "event"}, {"start", {{"event", "ten"}}}};
  EXPECT_EQ(refusal([&] { rows(wrong); }),
            "n.trigger.start.event: found \"ten\", expected the name of a counter");
  EXPECT_THROW(rows({{"kind", "counters"}}), ConfigError);
}

}  // namespace
}  // namespace firesim::bridges
