// SPDX-License-Identifier: BSD-3-Clause
//
// Descriptions: good ones run and leave their results; each kind of mistake is refused with one
// sentence, compared word for word.
#include "core/simulation.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <functional>

#include "core/traffic.h"
#include "switch/stock_switches.h"

namespace firesim {
namespace {

using nlohmann::json;

class SimulationTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("firesim-test-" + std::to_string(getpid()) + "-" +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
    write("a.traffic",
          "100 00:12:6D:00:00:02 6\n# a comment\n\n200 00:12:6D:00:00:02 1518 repeat 3 10\n");
    write("b.traffic", "# listens only\n");
    registry_.add(ModelRole::kNode, "traffic", make_traffic_blade);
    register_stock_switches(registry_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string &name, const std::string &text) {
    std::ofstream(folder_ / name) << text;
  }

  json read(const std::string &name) {
    std::ifstream file(folder_ / name);
    return json::parse(file);
  }

  static json good() {
    return json::parse(R"({"version": 1, "results": "out", "nodes": [
      {"name": "a", "kind": "traffic", "mac": "00:12:6D:00:00:01", "file": "a.traffic"},
      {"name": "b", "kind": "traffic", "mac": "00:12:6D:00:00:02", "file": "b.traffic",
       "end_cycle": 5000}],
     "switches": [{"name": "tor", "kind": "store_and_forward", "switching_latency_cycles": 10,
       "ports": [{}, {"buffer_bytes": 10000}],
       "mac_table": [{"mac": "00:12:6D:00:00:01", "port": 0}, {"mac": "00:12:6D:00:00:02", "port": 1}],
       "capture": "tor/capture.pcapng", "statistics": "tor/ports.json"}],
     "links": [
      {"name": "a--tor", "a": {"model": "a", "port": 0}, "b": {"model": "tor", "port": 0}, "latency_cycles": 300},
      {"name": "b--tor", "a": {"model": "b", "port": 0}, "b": {"model": "tor", "port": 1}, "latency_cycles": 300}]})");
  }

  RunResult run(const json &description) {
    write("sim.json", description.dump());
    Simulation simulation(folder_ / "sim.json", registry_);
    return simulation.run();
  }

  // The message a description is refused with, without the folder's name.
  std::string refusal(const json &description) {
    try {
      run(description);
    } catch (const DescriptionError &error) {
      std::string text = error.what();
      const std::string prefix = folder_.string() + "/";
      for (size_t at; (at = text.find(prefix)) != std::string::npos;) text.erase(at, prefix.size());
      return text;
    }
    return "accepted";
  }

  std::filesystem::path folder_;
  ModelRegistry registry_;
};

TEST_F(SimulationTest, RunsAndLeavesResults) {
  const RunResult result = run(good());
  EXPECT_EQ(result.reason, "ended") << result.message;
  EXPECT_EQ(result.end_cycle, 5600u);
  EXPECT_EQ(exit_status(result), 0);
  const json written = read("out/result.json");
  EXPECT_EQ(written["reason"], "ended");
  EXPECT_EQ(written["deterministic"], true);
  EXPECT_EQ(written["nodes"][0]["statistics"]["packets_sent"], 4);
  EXPECT_EQ(written["nodes"][1]["statistics"]["packets_received"], 4);
  // One flit: two links and the switch, to the cycle.
  EXPECT_EQ(written["nodes"][1]["statistics"]["first_arrival_cycle"], 100 + 2 * 300 + 10);
  EXPECT_EQ(written["links"][0]["a_to_b"]["packets"], 4);
  EXPECT_EQ(written["links"][1]["b_to_a"]["flits"], 1 + 3 * 190);
  EXPECT_EQ(read("out/tor/ports.json")["ports"][1]["packets_out"], 4);
  EXPECT_GT(std::filesystem::file_size(folder_ / "out/tor/capture.pcapng"), 6 * 1500u);
  std::ifstream status(folder_ / "out/status.jsonl");
  std::string line;
  ASSERT_TRUE(std::getline(status, line));
  EXPECT_EQ(json::parse(line)["models"].size(), 3u);
}

// It does what its links say, and claims nothing about the cycles of the system.
TEST_F(SimulationTest, AFunctionalNetworkHasNoHash) {
  const RunResult exact = run(good());
  EXPECT_EQ(read("out/result.json")["network"],
            json({{"mode", "exact"}, {"max_drift_cycles", 600}}));
  json description = good();
  description["network"] = "functional";
  const RunResult result = run(description);
  EXPECT_EQ(result.reason, "ended") << result.message;
  EXPECT_EQ(result.end_cycle, exact.end_cycle);
  EXPECT_NE(exact.token_hash, 0u);
  EXPECT_EQ(result.token_hash, 0u);
  const json written = read("out/result.json");
  EXPECT_EQ(written["network"], json({{"mode", "functional"}, {"max_drift_cycles", 600}}));
  EXPECT_EQ(written["token_hash"], nullptr);
  EXPECT_EQ(written["deterministic"], true);
  EXPECT_EQ(written["links"][0]["a_to_b"],
            json({{"packets", 4}, {"flits", 1 + 3 * 190}, {"hash", nullptr}}));
}

TEST_F(SimulationTest, ACycleLimitIsNotASuccess) {
  json description = good();
  description["max_cycles"] = 1000;
  const RunResult result = run(description);
  EXPECT_EQ(result.reason, "max_cycles");
  EXPECT_EQ(result.end_cycle, 1000u);
  EXPECT_EQ(exit_status(result), 1);
}

TEST_F(SimulationTest, CapturesAndStatisticsDoNotChangeTheHash) {
  const uint64_t with = run(good()).token_hash;
  json description = good();
  description["switches"][0]["capture"] = nullptr;
  description["switches"][0].erase("statistics");
  description["switches"][0]["throughput"] = "tor/throughput.csv";
  description["threads"] = 2;
  EXPECT_EQ(run(description).token_hash, with);
}

TEST_F(SimulationTest, RefusesMistakes) {
  struct Case {
    std::function<void(json &)> change;
    std::string message;
  };
  const std::vector<Case> cases = {
      {[](json &d) { d["version"] = 2; },
       "sim.json: \"version\" is 2, expected an integer from 1 to 1"},
      {[](json &d) { d["thread"] = 2; },
       "sim.json: unknown key \"thread\" (did you mean \"threads\"?)"},
      {[](json &d) { d["threads"] = 0; },
       "sim.json: \"threads\" is 0, expected an integer from 1 to 1024"},
      {[](json &d) { d["threads"] = "two"; },
       "sim.json: \"threads\" is \"two\", expected an integer from 1 to 1024"},
      {[](json &d) { d["end_when"] = "frist"; },
       "sim.json: \"end_when\" is \"frist\", expected one of \"all\", \"first\" (did you mean "
       "\"first\"?)"},
      {[](json &d) { d["network"] = "loose"; },
       "sim.json: \"network\" is \"loose\", expected one of \"exact\", \"functional\""},
      {[](json &d) { d.erase("results"); },
       "sim.json: \"results\" is missing, expected a non-empty string"},
      {[](json &d) { d["nodes"] = 3; }, "sim.json: \"nodes\" is 3, expected an array"},
      {[](json &d) { d["nodes"][0] = 3; }, "nodes[0]: found 3, expected an object"},
      {[](json &d) { d["nodes"][0]["kind"] = "trafic"; },
       "nodes[0]: \"kind\" is \"trafic\", expected one of \"traffic\" (did you mean \"traffic\"?)"},
      {[](json &d) { d["nodes"][1]["name"] = "a"; },
       "nodes[1]: \"name\" is \"a\", expected a name that no other model has"},
      {[](json &d) { d["nodes"][0]["name"] = "a b"; },
       "nodes[0]: \"name\" is \"a b\", expected up to 128 letters, digits and the characters "
       "_ - . / :"},
      {[](json &d) { d["nodes"][0]["mac"] = "00:12"; },
       "node a: \"mac\" is \"00:12\", expected six two-digit hexadecimal numbers with colons "
       "between"},
      {[](json &d) { d["nodes"][0]["file"] = "none"; },
       "none: cannot be read, expected a traffic file"},
      {[](json &d) { d["nodes"][0]["fil"] = "x"; },
       "node a: unknown key \"fil\" (did you mean \"file\"?)"},
      {[](json &d) { d["switches"][0]["ports"] = json::array(); },
       "switch tor: \"ports\" is [], expected 1 to 4096 ports"},
      {[](json &d) { d["switches"][0]["ports"][1]["rate_increment"] = 0; },
       "switch tor: ports[1]: \"rate_increment\" is 0, expected an integer from 1 to 65535"},
      {[](json &d) { d["switches"][0]["mac_table"][1]["mac"] = "00:12:6D:00:00:01"; },
       "switch tor: mac_table[1]: address 00:12:6D:00:00:01 is in the table already, expected each "
       "address once"},
      {[](json &d) { d["switches"][0]["mac_table"][0]["port"] = 2; },
       "switch tor: mac_table[0]: \"port\" is 2, expected an integer from 0 to 1"},
      {[](json &d) { d["switches"][0]["default_port"] = -1; },
       "switch tor: \"default_port\" is -1, expected an integer from 0 to 1"},
      {[](json &d) {
         d["switches"][0]["kind"] = "cut_through";
         d["switches"][0]["min_packet_flits"] = 2;
       },
       "switch tor: \"min_packet_flits\" is 2, expected 1, as a cut-through switch forwards runts"},
      {[](json &d) { d["switches"][0]["library"] = "none.so"; },
       "cannot load the library of a model: none.so: cannot open shared object file: No such file "
       "or directory"},
      {[](json &d) { d["links"][0]["latency_cycles"] = 0; },
       "links[0]: \"latency_cycles\" is 0, expected an integer from 1 to 4294967295"},
      {[](json &d) {
         d["links"][0].erase("latency_cycles");
         d["links"][0]["latency"] = 5;
       },
       "links[0]: \"latency_cycles\" is missing, expected an integer from 1 to 4294967295"},
      {[](json &d) { d["links"][1]["name"] = "a--tor"; },
       "links[1]: \"name\" is \"a--tor\", expected a name that no other link has"},
      {[](json &d) { d["links"][0]["a"]["model"] = "tro"; },
       "links[0] (a--tor): \"a\": \"model\" is \"tro\", expected the name of a node or switch (did "
       "you mean \"tor\"?)"},
      {[](json &d) { d["links"][0]["a"]["port"] = 1; },
       "links[0] (a--tor): \"a\": \"port\" is 1, expected an integer from 0 to 0"},
      {[](json &d) { d["links"][1]["b"]["port"] = 0; },
       "links[1] (b--tor): \"b\": \"port\" is 0, expected a free port, and this one is used by "
       "link "
       "a--tor"},
      {[](json &d) { d["links"].erase(1); }, "b: port 0 is not connected, expected a link to it"},
  };
  for (const Case &one : cases) {
    json description = good();
    one.change(description);
    EXPECT_EQ(refusal(description), one.message);
  }
}

TEST_F(SimulationTest, RefusesWhatIsNotJson) {
  write("sim.json", "{\n \"version\": 1,\n oops\n}");
  try {
    Simulation simulation(folder_ / "sim.json", registry_);
    FAIL();
  } catch (const DescriptionError &error) {
    EXPECT_EQ(error.what(), (folder_ / "sim.json").string() + ":3: not valid JSON");
  }
}

TEST_F(SimulationTest, RefusesBadTrafficLines) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"5 00:12:6D:00:00:02\n",
       "a.traffic:1: found 2 words, expected \"cycle destination bytes [repeat count "
       "gap_cycles]\" or \"cycle frame hex\""},
      {"5 frame 00126D00000\n",
       "a.traffic:1: found a frame of 11 digits, expected 12 to 131070, two a byte"},
      {"5 frame 00126D00000x\n",
       "a.traffic:1: found a frame that is not hexadecimal, expected two digits a byte"},
      {"5 00:12:6D:00:00:02 64\n4 00:12:6D:00:00:02 64\n",
       "a.traffic:2: cycle is 4, expected at least 5 as on the line before"},
      {"x 00:12:6D:00:00:02 64\n",
       "a.traffic:1: cycle is \"x\", expected an integer from 0 to 4611686018427387904"},
      {"5 nobody 64\n",
       "a.traffic:1: destination is \"nobody\", expected an address like 00:12:6D:00:00:02"},
      {"5 00:12:6D:00:00:02 5\n",
       "a.traffic:1: bytes is \"5\", expected an integer from 6 to 65535"},
      {"5 00:12:6D:00:00:02 64 times 3 4\n", "a.traffic:1: found \"times\", expected \"repeat\""},
  };
  for (const auto &[text, message] : cases) {
    write("a.traffic", text);
    EXPECT_EQ(refusal(good()), message);
  }
}

}  // namespace
}  // namespace firesim
