// SPDX-License-Identifier: BSD-3-Clause
//
// Simulations that go on from a snapshot with the other kind of network, functional or exact.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <random>

#include "simulator/tests/snapshot_rig.h"

namespace firesim {
namespace {

// What was put into each link has come out of it, as its two ends have counted.
void expect_all_arrived(const json &result) {
  std::map<std::string, json> models;
  for (const char *list : {"nodes", "switches"}) {
    for (const json &model : result[list]) models[model["name"]] = model["statistics"];
  }
  for (const json &one : result["links"]) {
    const std::string name = one["name"], node = name.substr(0, name.find('-'));
    if (name[0] != 'n') continue;
    const int index = node[1] - '0';
    const json &port = models[index < 2 ? "s0" : "s1"]["ports"][index % 2];
    EXPECT_GT(one["a_to_b"]["packets"], 50) << name;
    EXPECT_EQ(one["a_to_b"]["packets"], models[node]["packets_sent"]) << name;
    EXPECT_EQ(one["a_to_b"]["packets"], port["packets_in"]) << name;
    EXPECT_EQ(one["b_to_a"]["packets"], port["packets_out"]) << name;
    EXPECT_EQ(one["b_to_a"]["packets"], models[node]["packets_received"]) << name;
  }
}

// The links of a functional network are longer: what is in flight on them finds its place on those
// of the exact one, and the other way round, without a loss.
TEST_F(SnapshotTest, ANetworkBecomesExactOrFunctional) {
  const auto network = [&](const std::string &mode, int latency, const std::string &results) {
    json all = description(results);
    all["network"] = mode;
    for (json &one : all["links"]) one["latency_cycles"] = latency;
    for (json &one : all["nodes"]) one["end_cycle"] = 60'000;
    return all;
  };
  std::mt19937_64 random(kSeed);
  for (int node = 0; node < 4; ++node) {
    std::ofstream file(folder_ / (node_name(node) + ".traffic"));
    for (uint64_t cycle = 20; cycle < 30'000; cycle += 200 + random() % 400) {
      file << cycle << ' ' << mac(static_cast<int>(random() % 4)) << ' ' << 64 + random() % 100
           << '\n';
    }
  }
  const json before = {{"exact", 300}, {"functional", 5000}};
  for (const std::string mode : {"exact", "functional"}) {
    SCOPED_TRACE(mode);
    const std::string other = mode == "exact" ? "functional" : "exact";
    json saving = network(mode, before[mode], "saved");
    saving["snapshots"] = {{"at_cycles", {4321, 11'000, 17'017}}};
    expect_all_arrived(run(saving));
    const json made = snapshots_;
    for (const json &entry : made) {
      json again = network(other, before[other], "restored");
      again["restore"] = {{"snapshot", "saved/snapshots/" + entry["name"].get<std::string>()}};
      const json expected = run(again);
      expect_all_arrived(expected);
      EXPECT_EQ(expected["token_hash"].is_null(), other == "functional");
      if (other == "exact") {
        EXPECT_EQ(expected["network"]["functional_before_cycle"], entry["cycle"]);
      }
      again["threads"] = 3;
      again["random_batch_seed"] = random();
      EXPECT_EQ(run(again), expected);
    }
  }
  // Forgotten by no snapshot that follows; and a link may be too short for what is in flight.
  json again = network("exact", 300, "again");
  again["restore"] = {{"snapshot", "saved/snapshots/cycle-11000"}};
  again["snapshots"] = {{"at_cycles", {20'000}}};
  run(again);
  again = network("exact", 300, "third");
  again["restore"] = {{"snapshot", "again/snapshots/cycle-20000"}};
  EXPECT_EQ(run(again)["network"]["functional_before_cycle"], 11'000);
  again = network("exact", 3, "short");
  again["restore"] = {{"snapshot", "saved/snapshots/cycle-11000"}};
  EXPECT_NE(refusal(again).find(
                "tokens in flight, expected at most 3, the latency of the link in this system"),
            std::string::npos)
      << refusal(again);
}

}  // namespace
}  // namespace firesim
