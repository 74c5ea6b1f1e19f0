// SPDX-License-Identifier: BSD-3-Clause
//
// One target simulated by several processes: the same result as by one, whoever simulates what; and
// what happens when one of them fails, does not come, or is killed.
#include "simulator/tests/processes_rig.h"

#ifdef FIRESIM_THREAD_SANITIZER
extern "C" const char *__tsan_default_suppressions() { return kSuppressions; }
#endif

namespace firesim {
namespace {

TEST_F(ProcessesTest, AnyPartitionGivesTheSameResult) {
  const uint64_t seed = random_seed();
  SCOPED_TRACE(numbered("seed ", seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 8; ++round) {
    SCOPED_TRACE(numbered("round ", round));
    json target = random_target(random);
    if (round >= 6) target["network"] = "functional";
    const json expected = run_whole(target);
    ASSERT_EQ(expected["reason"], "ended");
    ASSERT_EQ(expected["token_hash"].is_null(), round >= 6);
    const size_t count = place_at_random(target, random);
    if (round % 2 == 1) target["random_batch_seed"] = 1 + random() % 1000;
    const std::vector<RunResult> results = run_parts(target, count);
    const json found = comparable(read("many/result.json"));
    ASSERT_EQ(found["token_hash"], expected["token_hash"]) << found["message"];
    ASSERT_EQ(found, expected);
    for (const RunResult &one : results) {
      EXPECT_EQ(one.end_cycle, expected["end_cycle"]);
      EXPECT_EQ(exit_status(one), 0) << one.message;
    }
  }
}

TEST_F(ProcessesTest, TheDescriptionIsTheSameForOneProcess) {
  std::mt19937_64 random(1);
  json target = random_target(random);
  const json expected = run_whole(target);
  target["processes"] = places(2);
  for (json &node : target["nodes"]) node["process"] = "p1";
  EXPECT_EQ(run_whole(target), expected);
}

TEST_F(ProcessesTest, AKilledProcessIsNamedAndTheOthersKeepTheirResults) {
  std::mt19937_64 random(2);
  json target = endless(random_target(random));
  target["processes"] = places(3);
  target["nodes"][1]["process"] = "p2";
  write("many.json", target);
  const pid_t first = start("p0"), second = start("p1"), third = start("p2");
  wait_until_running({"", "-p1", "-p2"});
  kill(second, SIGKILL);
  EXPECT_EQ(exit_status_of(second), 128 + SIGKILL);
  EXPECT_EQ(exit_status_of(first), 3);
  EXPECT_EQ(exit_status_of(third), 3);
  const std::string expected =
      "process p1 on 127.0.0.1 is lost: its connection ended, or it was silent for 3 seconds\n";
  EXPECT_TRUE(log("p0") == expected || log("p0") == "process p2: " + expected) << log("p0");
  EXPECT_EQ(read("many/result.json")["reason"], "error");
  EXPECT_EQ(read("many/result.json")["lost"], json({"p1"}));
  EXPECT_EQ(read("many/result-p2.json")["lost"], json({"p1"}));
  EXPECT_GT(read("many/result-p2.json")["end_cycle"], 0);
  EXPECT_EQ(read("many/result.json")["token_hash"], nullptr);
  EXPECT_EQ(read("many/result-p2.json")["reason"], "error");
}

// Whichever it is, and also while the others wait for it at a pause.
TEST_F(ProcessesTest, AFrozenProcessIsFoundByItsSilence) {
  std::mt19937_64 random(3);
  json target = endless(random_target(random));
  target["nodes"][1]["process"] = "p2";
  for (const size_t victim : {0, 1}) {
    SCOPED_TRACE(victim);
    std::filesystem::remove_all(folder_ / "many");
    if (victim == 1) target["snapshots"] = {{"interval_s", 1e-9}};
    target["processes"] = places(3);
    write("many.json", target);
    const std::vector<pid_t> children = {start("p0"), start("p1"), start("p2")};
    wait_until_running({"", "-p1", "-p2"});
    const std::string name = numbered("p", victim);
    kill(children[victim], SIGSTOP);
    for (const size_t other : {0, 1, 2}) {
      if (other == victim) continue;
      EXPECT_EQ(exit_status_of(children[other]), 3);
      const std::string of = numbered("p", other);
      EXPECT_NE(log(of).find("process " + name + " on 127.0.0.1 is lost"), std::string::npos)
          << log(of);
      const json result = read(other == 0 ? "many/result.json" : "many/result-" + of + ".json");
      EXPECT_EQ(result["lost"], json({name}));
      EXPECT_EQ(result["reason"], "error");
      EXPECT_GT(result["end_cycle"], 0);
    }
    kill(children[victim], SIGKILL);
    exit_status_of(children[victim]);
  }
}

// Messages late, cut, put together, and overtaken by those to others.
TEST_F(ProcessesTest, ChaosChangesNothing) {
  const uint64_t seed = random_seed();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 6; ++round) {
    SCOPED_TRACE(numbered("round ", round));
    json target = random_target(random);
    const json expected = run_whole(target);
    if (round % 2 == 1) target["snapshots"] = {{"interval_s", 0.01}, {"keep", 2}};
    const size_t count = place_at_random(target, random);
    run_parts(target, count, false, random());
    ASSERT_EQ(comparable(read("many/result.json")), expected);
  }
}

// Frames of many equal words get shorter; alone, and below the chaos.
TEST_F(ProcessesTest, CompressionChangesNothingButTheBytesOnTheWire) {
  const uint64_t seed = random_seed();
  SCOPED_TRACE(numbered("seed ", seed));
  std::mt19937_64 random(seed);
  for (const bool chaos : {false, true}) {
    json target = random_target(random);
    // Room for whole packets in a message.
    for (json &link : target["links"]) link["latency_cycles"] = 600 + random() % 100;
    const json expected = run_whole(target);
    const size_t count = place_at_random(target, random);
    const auto chaos_seed = chaos ? std::optional(random()) : std::nullopt;
    run_parts(target, count, false, chaos_seed);
    const json plain = read("many/result.json");
    target["compression"] = "lz4";
    run_parts(target, count, false, chaos_seed);
    const json compressed = read("many/result.json");
    EXPECT_EQ(comparable(plain), expected);
    EXPECT_EQ(comparable(compressed), expected);
    EXPECT_GT(plain["transport"]["messages"], 0);
    EXPECT_EQ(plain["transport"]["bytes_on_wire"], plain["transport"]["bytes"]);
    EXPECT_LT(compressed["transport"]["bytes_on_wire"], compressed["transport"]["bytes"]);
  }
}

TEST_F(ProcessesTest, OneThatIsInterruptedInterruptsAll) {
  std::mt19937_64 random(4);
  json target = endless(random_target(random));
  target["processes"] = places(2);
  write("many.json", target);
  const pid_t first = start("p0"), second = start("p1");
  wait_until_running({"", "-p1"});
  kill(second, SIGINT);
  EXPECT_EQ(exit_status_of(first), 130);
  EXPECT_EQ(exit_status_of(second), 130);
  EXPECT_EQ(read("many/result.json")["reason"], "interrupted");
  EXPECT_EQ(read("many/result.json")["nodes"].size(), 8u);
}

TEST_F(ProcessesTest, MistakesAreNamed) {
  std::mt19937_64 random(5);
  const json good = endless(random_target(random));
  const auto refusal = [&](json target, const std::string &process) -> std::string {
    if (!target.contains("processes")) target["processes"] = places(2);
    write("many.json", target);
    try {
      Simulation simulation(folder_ / "many.json", registry_, process, [](const MeshPlan &plan) {
        return make_zeromq_mesh(plan, {0.2, std::nullopt});
      });
      simulation.run();
    } catch (const std::exception &error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refusal(good, "p3"), "\"processes\": found no process \"p3\" (did you mean \"p0\"?)");
  EXPECT_EQ(refusal(good, "p0"), "no answer within 0 seconds from process p1 on 127.0.0.1");
  json target = good;
  target["nodes"][0].erase("process");
  EXPECT_EQ(refusal(target, "p0"),
            "\"processes\": p1 simulates nothing, expected a model at least");
  target = good;
  target["nodes"][2]["process"] = "q";
  EXPECT_EQ(refusal(target, "p0"),
            "nodes[2]: \"process\" is \"q\", expected one of \"p0\", "
            "\"p1\" (did you mean \"p0\"?)");
  target = good;
  target["compression"] = "lz5";
  EXPECT_EQ(refusal(target, "p0").substr(folder_.string().size() + 1),
            "many.json: \"compression\" is \"lz5\", expected one of \"none\", \"lz4\" (did you "
            "mean \"lz4\"?)");
  target = good;
  target["links"][0]["latency_cycles"] = 1;
  EXPECT_EQ(refusal(target, "p0"),
            "links[0]: \"latency_cycles\" is 1, expected at least 3 for a link between two "
            "processes");
  target = good;
  target["processes"] = places(2);
  target["processes"][1]["host"] = "lab.example";
  EXPECT_EQ(refusal(target, "p0"),
            "process p1: \"host\" is \"lab.example\", expected an IPv4 address");
  target["processes"][1]["host"] = "10.1.2.3";
  EXPECT_EQ(refusal(target, "p0"),
            "process p1: \"host\" is \"10.1.2.3\" and there are no keys (--keys FILE), expected an "
            "address of this computer, 127.x.x.x");
}

TEST_F(ProcessesTest, OtherDescriptionsDoNotMeet) {
  std::mt19937_64 random(6);
  json target = endless(random_target(random));
  target["processes"] = places(2);
  write("many.json", target);
  const pid_t first = start("p0");
  target["max_cycles"] = 10;
  write("other.json", target);
  const pid_t second = start("p1", {}, "other.json");
  EXPECT_EQ(exit_status_of(first), 3);
  EXPECT_EQ(exit_status_of(second), 3);
  EXPECT_NE(log("p0").find("process p1 on 127.0.0.1 simulates another description"),
            std::string::npos)
      << log("p0");
}

}  // namespace
}  // namespace firesim
