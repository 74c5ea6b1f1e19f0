// SPDX-License-Identifier: BSD-3-Clause
//
// A small cluster to make snapshots of, and the means to damage them.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <random>
#include <string>

#include "core/simulation.h"
#include "core/snapshot.h"
#include "core/traffic.h"
#include "switch/stock_switches.h"

namespace firesim {

using nlohmann::json;

inline constexpr uint64_t kSeed = 20261121;

// Two pairs of generators on two switches, with queues that fill up and rate limits.
class SnapshotTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("firesim-snapshot-" + std::to_string(getpid()) + "-" +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
    registry_.add(ModelRole::kNode, "traffic", make_traffic_blade);
    register_stock_switches(registry_);
    std::mt19937_64 random(kSeed);
    for (int node = 0; node < 4; ++node) write_traffic(node, random);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static std::string node_name(int index) {
    std::string name = "n";  // "n" + … is what GCC 12 warns of by mistake
    name += std::to_string(index);
    return name;
  }

  static std::string mac(int node) { return "00:12:6D:00:00:0" + std::to_string(node + 2); }

  void write_traffic(int node, std::mt19937_64 &random) {
    std::ofstream file(folder_ / (node_name(node) + ".traffic"));
    uint64_t cycle = 0;
    for (int i = 0; i < 60; ++i) {
      cycle += random() % 400;
      file << cycle << ' ' << mac(static_cast<int>(random() % 4)) << ' ' << 64 + random() % 3000
           << '\n';
    }
  }

  static json node(int index) {
    const std::string name = node_name(index);
    return {{"name", name}, {"kind", "traffic"}, {"mac", mac(index)}, {"file", name + ".traffic"}};
  }

  static json link(const std::string &a, const std::string &b, int port, int latency) {
    return {{"name", a + "--" + b},
            {"a", {{"model", a}, {"port", a == "s0" ? 2 : 0}}},
            {"b", {{"model", b}, {"port", port}}},
            {"latency_cycles", latency}};
  }

  json description(const std::string &results) const {
    json all = {{"version", 1}, {"results", results}, {"status_interval_s", 0}};
    for (int i = 0; i < 4; ++i) all["nodes"].push_back(node(i));
    for (const std::string name : {"s0", "s1"}) {
      json table = json::array();
      for (int i = 0; i < 4; ++i) {
        const bool here = (i < 2) == (name == "s0");
        table.push_back({{"mac", mac(i)}, {"port", here ? i % 2 : 2}});
      }
      all["switches"].push_back(
          {{"name", name},
           {"kind", name == "s0" ? "store_and_forward" : "cut_through"},
           {"switching_latency_cycles", 10},
           {"ports",
            {{{"buffer_bytes", 20000}},
             json::object(),
             {{"buffer_bytes", 30000}, {"rate_increment", 1}, {"rate_period", 2}}}},
           {"mac_table", table},
           {"throughput_interval_cycles", 500},
           {"throughput", name + ".csv"},
           {"capture", name + ".pcapng"}});
    }
    all["links"] = {link("n0", "s0", 0, 100), link("n1", "s0", 1, 333), link("n2", "s1", 0, 50),
                    link("n3", "s1", 1, 700), link("s0", "s1", 2, 2000)};
    return all;
  }

  // result.json without what may differ: names of folders and times.
  json run(const json &description) {
    std::ofstream(folder_ / "sim.json") << description;
    Simulation(folder_ / "sim.json", registry_).run();
    std::ifstream file(folder_ / description["results"].get<std::string>() / "result.json");
    json result = json::parse(file);
    snapshots_ = result["snapshots"];
    for (const char *key : {"wall_s", "cpu_s", "snapshots", "start_cycle"}) result.erase(key);
    for (const char *list : {"nodes", "switches"}) {
      for (json &model : result[list]) {
        model.erase("cpu_s");
        model.erase("advances");
      }
    }
    return result;
  }

  std::string text(const std::string &name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  void change(const std::string &name, const std::function<void(std::string &)> &edit) const {
    std::string content = text(name);
    edit(content);
    std::ofstream(folder_ / name, std::ios::binary) << content;
  }

  // What is said of a description that is refused.
  std::string refusal(const json &description) {
    try {
      run(description);
    } catch (const DescriptionError &error) {
      return error.what();
    }
    return "accepted";
  }

  json restored(const std::string &snapshot) const {
    json all = description("restored");
    all["restore"] = {{"snapshot", snapshot}};
    return all;
  }

  std::filesystem::path folder_;
  ModelRegistry registry_;
  json snapshots_;
};

}  // namespace firesim
