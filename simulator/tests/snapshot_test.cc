// SPDX-License-Identifier: BSD-3-Clause
//
// Snapshots of whole simulations: saving, loading and going on equals never stopping, at any cycle,
// with packets in flight; what does not fit is refused, word for word.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <random>
#include <thread>

#include "simulator/tests/snapshot_rig.h"

namespace firesim {
namespace {

// Lines of the first file come first, those of the second one last, and together they are `whole`.
bool is_end_of(const std::string &whole, const std::string &end, const std::string &header) {
  return end.rfind(header, 0) == 0 && whole.size() >= end.size() - header.size() &&
         whole.substr(whole.size() - (end.size() - header.size())) == end.substr(header.size());
}

TEST_F(SnapshotTest, GoingOnEqualsNeverStopping) {
  std::mt19937_64 random(kSeed);
  std::printf("seed %llu\n", static_cast<unsigned long long>(kSeed));
  const json undisturbed = run(description("undisturbed"));
  const uint64_t end = undisturbed["end_cycle"];
  ASSERT_GT(end, 10000U);
  std::vector<uint64_t> cycles;
  for (int i = 0; i < 20; ++i) cycles.push_back(1 + random() % end);
  json saving = description("saved");
  saving["snapshots"] = {{"at_cycles", cycles}};
  saving["threads"] = 2;
  EXPECT_EQ(run(saving), undisturbed);
  ASSERT_GE(snapshots_.size(), 19U);
  uint64_t in_flight = 0;
  const json made = snapshots_;
  for (const json &entry : made) {
    const std::string path = "saved/snapshots/" + entry["name"].get<std::string>();
    in_flight += std::filesystem::file_size(folder_ / path / "links.state");
    json going_on = restored(path);
    going_on["threads"] = 1 + random() % 3;
    going_on["batch_cycles"] = random() % 2 == 0 ? 0 : 1 + random() % 300;
    going_on["random_batch_seed"] = random() % 2 == 0 ? 0 : random();
    EXPECT_EQ(run(going_on), undisturbed) << path;
    for (const std::string name : {"s0", "s1"}) {
      EXPECT_TRUE(is_end_of(text("undisturbed/" + name + ".csv"), text("restored/" + name + ".csv"),
                            "cycle,port,bytes_in,bytes_out\n"))
          << path;
    }
  }
  EXPECT_GT(in_flight, 20U * 3000) << "hardly any token was in flight";
}

TEST_F(SnapshotTest, ARestoredRunCanBeSavedAgain) {
  json first = description("first");
  first["snapshots"] = {{"interval_cycles", 1000}, {"keep", 3}};
  const json undisturbed = run(first);
  ASSERT_EQ(snapshots_.size(), 3U);
  const std::string oldest = snapshots_[0]["name"];
  size_t folders = 0;
  for (const auto &entry : std::filesystem::directory_iterator(folder_ / "first/snapshots")) {
    folders += entry.is_directory() ? 1 : 0;
  }
  EXPECT_EQ(folders, 3U);
  json second = restored("first/snapshots/" + oldest);
  second["results"] = "second";
  second["snapshots"] = {{"interval_cycles", 700}};
  EXPECT_EQ(run(second), undisturbed);
  EXPECT_EQ(snapshots_.size(), 2U);
  json third = restored("second/snapshots/" + snapshots_[0]["name"].get<std::string>());
  third["snapshots"] = {{"interval_s", 1e-9}};
  for (const int threads : {1, 3}) {
    third["threads"] = threads;
    EXPECT_EQ(run(third), undisturbed);
  }
}

TEST_F(SnapshotTest, CycleLimitsAndEndsAreKept) {
  json saving = description("saved");
  saving["end_when"] = "first";
  const json first = run(saving);
  saving["max_cycles"] = 5000;
  saving["snapshots"] = {{"at_cycles", {5000}}};
  EXPECT_EQ(run(saving)["reason"], "max_cycles");
  json going_on = restored("saved/snapshots/cycle-5000");
  going_on["end_when"] = "first";
  EXPECT_EQ(run(going_on), first);
}

TEST_F(SnapshotTest, BadSnapshotsAreRefused) {
  json saving = description("saved");
  saving["snapshots"] = {{"at_cycles", {3000}}};
  run(saving);
  const std::string good = "saved/snapshots/cycle-3000";
  const auto damaged = [&](const std::string &name,
                           const std::function<void(const std::string &)> &damage) {
    std::filesystem::copy(folder_ / good, folder_ / name, std::filesystem::copy_options::recursive);
    damage(name);
    return refusal(restored(name));
  };
  EXPECT_EQ(refusal(restored("nowhere")), "snapshot nowhere: found no folder " +
                                              (folder_ / "nowhere").string() +
                                              ", expected a snapshot");
  EXPECT_EQ(damaged("torn",
                    [&](auto &name) { std::filesystem::remove(folder_ / name / "snapshot.json"); }),
            "snapshot torn: has no snapshot.json, so it was never completed");
  const uint64_t bytes = std::filesystem::file_size(folder_ / good / "s0.state");
  EXPECT_EQ(damaged("cut",
                    [&](auto &name) {
                      std::filesystem::resize_file(folder_ / name / "s0.state", bytes - 1);
                    }),
            "snapshot cut: the file s0.state has " + std::to_string(bytes - 1) +
                " bytes, expected " + std::to_string(bytes));
  EXPECT_EQ(
      damaged("gone", [&](auto &name) { std::filesystem::remove(folder_ / name / "links.state"); }),
      "snapshot gone: the file links.state is missing");
  const std::string flipped = damaged("flipped", [&](auto &name) {
    change(name + "/s1.state", [](std::string &content) { content[content.size() / 2] ^= 4; });
  });
  EXPECT_EQ(flipped.substr(0, flipped.find(" its hash is")),
            "snapshot flipped: the file s1.state has been changed:");
  const std::string index = damaged("index", [&](auto &name) {
    change(name + "/snapshot.json",
           [](std::string &content) { content.replace(content.find("3000"), 4, "3001"); });
  });
  EXPECT_EQ(index.substr(0, index.find(" its hash is")),
            "snapshot index: snapshot.json has been changed:");
  EXPECT_EQ(damaged("foreign",
                    [&](auto &name) {
                      change(name + "/snapshot.json", [](std::string &content) {
                        const std::string key = "\"version\": 1,\n \"", other = "\"version\": 2";
                        const size_t at = content.rfind("\"version\": 1");
                        content.replace(at, other.size(), other);
                      });
                    }),
            "snapshot foreign: has version 2, expected 1, the one this FireSim reads");
  EXPECT_EQ(damaged("alien",
                    [&](auto &name) {
                      change(name + "/snapshot.json", [](std::string &content) { content = "[]"; });
                    }),
            "snapshot alien: snapshot.json holds [], expected an object");
}

TEST_F(SnapshotTest, OtherSystemsAreRefused) {
  json saving = description("saved");
  saving["snapshots"] = {{"at_cycles", {3000}}};
  run(saving);
  const std::string good = "saved/snapshots/cycle-3000";
  json other = restored(good);
  other["switches"][1]["kind"] = "store_and_forward";
  EXPECT_EQ(refusal(other),
            "snapshot cycle-3000: s1 is of kind \"cut_through\", expected \"store_and_forward\" as "
            "in this system");
  other = restored(good);
  other["switches"][0]["max_packet_bytes"] = 1600;
  EXPECT_EQ(refusal(other),
            "snapshot cycle-3000: s0 is \"3 ports, packets of up to 9216 bytes\", expected \"3 "
            "ports, packets of up to 1600 bytes\" as in this system");
  other = restored(good);
  other["links"][0]["latency_cycles"] = 101;
  EXPECT_EQ(refusal(other),
            "snapshot cycle-3000: link n0--s0: section \"link\": the latency in cycles is 100, "
            "expected 101 as in this system");
  other = restored(good);
  other["links"][0]["name"] = "wire";
  EXPECT_EQ(refusal(other),
            "snapshot cycle-3000: has the link n0--s0, which is not in this system, expected a "
            "snapshot of this system");
  other = restored(good);
  other["nodes"][0]["restore_from"] = "n5";
  EXPECT_EQ(refusal(other),
            "snapshot cycle-3000: has no model n5 for \"restore_from\" of n0 (did you mean "
            "\"n0\"?)");
  other = description("plain");
  other["nodes"][0]["restore_from"] = "n1";
  EXPECT_EQ(refusal(other),
            "nodes[0]: \"restore_from\" is \"n1\", expected no such key without \"restore\"");
}

// One node and its switch become four nodes on a switch with more ports.
TEST_F(SnapshotTest, ClonesStartOnNewSwitchesAndLinks) {
  const auto cluster = [&](int nodes, const std::string &results) {
    json all = {{"version", 1}, {"results", results}, {"status_interval_s", 0}};
    json ports = json::array();
    for (int i = 0; i < nodes; ++i) {
      json entry = node(0);
      entry["name"] = node(i)["name"];
      all["nodes"].push_back(entry);
      all["links"].push_back(link(entry["name"], "s0", i, i == 0 ? 100 : 200));
      ports.push_back(json::object());
    }
    all["switches"] = {{{"name", "s0"},
                        {"kind", "store_and_forward"},
                        {"switching_latency_cycles", 10},
                        {"ports", ports},
                        {"mac_table", {{{"mac", mac(0)}, {"port", 0}}}}}};
    return all;
  };
  json one = cluster(1, "one");
  one["snapshots"] = {{"at_cycles", {2000}}};
  run(one);
  json four = cluster(4, "four");
  four["restore"] = {{"snapshot", "one/snapshots/cycle-2000"}};
  for (json &entry : four["nodes"]) entry["restore_from"] = "n0";
  four["max_cycles"] = 2000;
  const json started = run(four);
  EXPECT_EQ(started["end_cycle"], 2000);
  for (const json &each : started["links"]) EXPECT_EQ(each["a_to_b"]["flits"], 0) << each;
  four["max_cycles"] = 0;
  const json result = run(four);
  EXPECT_EQ(result["reason"], "ended");
  for (const json &each : result["nodes"]) EXPECT_EQ(each["exit_code"], 0) << each;
  four["threads"] = 3;
  EXPECT_EQ(run(four), result);
  for (const json &each : result["links"]) EXPECT_GT(each["a_to_b"]["flits"], 0) << each;
  four["links"][0]["latency_cycles"] = 101;
  EXPECT_EQ(run(four)["reason"], "ended");
}

TEST_F(SnapshotTest, ModelsThatCannotBeSavedAreNamedBeforeTheRun) {
  class Dull : public Model {
   public:
    using Model::Model;
    uint32_t port_count() const override { return 0; }
    void advance(uint64_t start, uint32_t, std::span<Batch>, std::span<Batch>) override {
      set_end({start, 0, false, ""});
    }
  };
  registry_.add(ModelRole::kNode, "dull", [](const json &entry, const SimulationContext &) {
    return std::make_unique<Dull>(entry.at("name"));
  });
  json saving = {{"version", 1},
                 {"results", "dull"},
                 {"nodes", {{{"name", "d"}, {"kind", "dull"}}}},
                 {"snapshots", {{"at_cycles", {5}}}}};
  EXPECT_EQ(refusal(saving),
            "d: models of this kind cannot be saved, so there can be no snapshots of this system");
  saving["snapshots"] = {{"at_cycles", {0}}};
  EXPECT_EQ(refusal(saving),
            "\"snapshots\": \"at_cycles\" is [0], expected an array of target cycles from 1 to "
            "4611686018427387904");
}

// A client of the control socket.
class Client {
 public:
  explicit Client(const std::filesystem::path &path) : socket_(socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::snprintf(address.sun_path, sizeof address.sun_path, "%s", path.c_str());
    connected = connect(socket_, reinterpret_cast<sockaddr *>(&address), sizeof address) == 0;
  }
  ~Client() { close(socket_); }
  json ask(const std::string &line) {
    EXPECT_EQ(send(socket_, (line + "\n").data(), line.size() + 1, MSG_NOSIGNAL),
              static_cast<ssize_t>(line.size() + 1));
    std::string answer;
    for (char c = 0; recv(socket_, &c, 1, 0) == 1 && c != '\n';) answer += c;
    return json::parse(answer, nullptr, false);
  }
  bool connected = false;

 private:
  const int socket_;
};

TEST_F(SnapshotTest, TheControlSocketSavesAndStops) {
  const json undisturbed = run(description("undisturbed"));
  json endless = description("live");
  endless["control"] = "control";
  endless["threads"] = 2;
  // A fifth generator that never ends keeps the run alive.
  endless["nodes"][0]["end_cycle"] = uint64_t{1} << 60;
  const std::filesystem::path socket = folder_ / "live/control";
  json result;
  std::thread simulation([&] { result = run(endless); });
  std::unique_ptr<Client> client;
  for (int i = 0; i < 1000 && (client == nullptr || !client->connected); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    client = std::make_unique<Client>(socket);
  }
  ASSERT_TRUE(client->connected);
  struct stat facts {};
  EXPECT_EQ(stat(socket.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600U);
  EXPECT_EQ(client->ask(R"({"command": "status"})")["models"].size(), 6U);
  const json saved = client->ask(R"({"command": "snapshot", "name": "booted"})");
  EXPECT_EQ(saved["ok"], true) << saved;
  EXPECT_TRUE(std::filesystem::exists(folder_ / "live/snapshots/booted/snapshot.json"));
  for (int i = 0; i < 300; ++i) {  // the next pause is asked for while workers wake from the last
    ASSERT_EQ(client->ask(R"({"command": "snapshot", "name": "booted"})")["error"],
              "there is a snapshot booted already, expected another name");
  }
  EXPECT_EQ(client->ask(R"({"command": "snapshot", "name": "../x"})")["error"],
            "\"name\" is \"../x\", expected up to 64 letters, digits and the characters _ - . "
            "that do not begin with \".\", \"auto-\" or \"cycle-\"");
  EXPECT_EQ(client->ask("{")["error"], "the line: not valid JSON");
  EXPECT_EQ(client->ask(R"({"command": "status", "command": "stop"})")["error"],
            "the line: found the key \"command\" twice in one object");
  EXPECT_EQ(client->ask(std::string(60000, '['))["error"],
            "the line: found more than 8 objects and arrays within each other");
  EXPECT_EQ(client->ask(R"({"command": "stat"})")["error"],
            "command: \"command\" is \"stat\", expected one of \"status\", \"snapshot\", \"stop\" "
            "(did you mean \"status\"?)");
  EXPECT_EQ(Client(socket).ask(std::string(70000, 'x'))["error"],
            "the line is longer than 65536 bytes");
  EXPECT_EQ(client->ask(R"({"command": "stop"})"), json({{"ok", true}}));
  simulation.join();
  EXPECT_EQ(result["reason"], "interrupted");
  EXPECT_FALSE(std::filesystem::exists(socket));
  json going_on = restored("live/snapshots/booted");
  going_on["nodes"][0]["end_cycle"] = uint64_t{1} << 60;
  going_on["max_cycles"] = saved["cycle"].get<uint64_t>() + 1;
  EXPECT_EQ(run(going_on)["end_cycle"], saved["cycle"].get<uint64_t>() + 1);
}

TEST(SnapshotFiles, LargeSparseRegionsComeBack) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("firesim-regions-" + std::to_string(getpid()));
  constexpr uint64_t kBytes = (uint64_t{40} << 20) + 123;
  const MappedMemory memory = MappedMemory::zeros(kBytes);
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < 200; ++i) memory.data()[random() % kBytes] = static_cast<uint8_t>(random());
  memory.data()[kBytes - 1] = 7;
  SnapshotContent content;
  content.models.push_back({"a/b:c", "dram", "", {}});
  content.models.back().state.region("dram", memory.data(), kBytes);
  content.models.push_back({"links", "dram", "", {}});
  write_snapshot(folder, content);
  struct stat facts {};
  ASSERT_EQ(stat((folder / "a%2Fb%3Ac.dram.region").c_str(), &facts), 0);
  EXPECT_LT(facts.st_blocks * 512, 2 << 20);
  const Snapshot snapshot(folder);
  const MappedMemory copy = snapshot.model_state("a/b:c").region("dram", kBytes);
  EXPECT_EQ(std::memcmp(copy.data(), memory.data(), kBytes), 0);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace firesim
