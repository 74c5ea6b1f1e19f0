// SPDX-License-Identifier: BSD-3-Clause
//
// Snapshots of a target that several processes simulate: the same as those of one process, and
// restored by any processes to the same end; and what happens when one fails meanwhile.
#include <sys/un.h>

#include <algorithm>
#include <map>

#include "simulator/tests/processes_rig.h"

namespace firesim {
namespace {

std::string text_of(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class ProcessesSnapshotTest : public ProcessesTest {
 protected:
  // Every file of two snapshots is the same, but for the descriptions they were made from.
  void expect_same_snapshot(const std::filesystem::path &a, const std::filesystem::path &b) {
    std::vector<std::string> names[2];
    for (const size_t i : {0, 1}) {
      for (const auto &entry : std::filesystem::directory_iterator(folder_ / (i == 0 ? a : b))) {
        names[i].push_back(entry.path().filename());
      }
      std::sort(names[i].begin(), names[i].end());
    }
    ASSERT_EQ(names[0], names[1]);
    for (const std::string &name : names[0]) {
      if (name == "snapshot.json") continue;
      EXPECT_TRUE(text_of(folder_ / a / name) == text_of(folder_ / b / name))
          << a << " and " << b << ": " << name << " differs";
    }
    json indexes[2] = {read(a / "snapshot.json"), read(b / "snapshot.json")};
    for (json &index : indexes) {
      for (const char *key : {"configuration", "hash"}) index.erase(key);
    }
    EXPECT_EQ(indexes[0], indexes[1]);
  }

  // A command to the control socket of the first process, and its answer.
  json ask(const json &command) {
    const int client = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::snprintf(address.sun_path, sizeof address.sun_path, "%s",
                  (folder_ / "many/control").c_str());
    EXPECT_EQ(connect(client, reinterpret_cast<sockaddr *>(&address), sizeof address), 0);
    const std::string line = command.dump() + "\n";
    EXPECT_EQ(send(client, line.data(), line.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(line.size()));
    std::string answer;
    for (char c = 0; recv(client, &c, 1, 0) == 1 && c != '\n';) answer += c;
    close(client);
    return json::parse(answer, nullptr, false);
  }

  std::vector<std::string> entries(const std::string &folder) {
    std::vector<std::string> names;
    for (const auto &entry : std::filesystem::directory_iterator(folder_ / folder)) {
      names.push_back(entry.path().filename());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
};

TEST_F(ProcessesSnapshotTest, AreThoseOfOneProcessAndFitAnyOtherPartition) {
  const uint64_t seed = random_seed();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 5; ++round) {
    SCOPED_TRACE(numbered("round ", round));
    json target = random_target(random);
    const json expected = run_whole(target);
    ASSERT_EQ(expected["reason"], "ended");
    const uint64_t end = expected["end_cycle"];
    std::vector<uint64_t> cycles;
    for (int i = 0; i < 3; ++i) cycles.push_back(1 + random() % end);
    cycles.push_back(end);
    target["snapshots"] = {{"at_cycles", cycles}};
    ASSERT_EQ(run_whole(target), expected);
    std::filesystem::remove_all(folder_ / "many");
    if (round % 2 == 1) target["random_batch_seed"] = 1 + random() % 1000;
    const size_t count = place_at_random(target, random);
    run_parts(target, count);
    ASSERT_EQ(comparable(read("many/result.json")), expected);
    for (const uint64_t cycle : cycles) {
      const std::string name = numbered("snapshots/cycle-", cycle);
      expect_same_snapshot("one/" + name, "many/" + name);
    }
    // By others, and by one.
    json again = target;
    again.erase("snapshots");
    const std::string from = numbered("snapshots/cycle-", cycles[random() % cycles.size()]);
    std::filesystem::rename(folder_ / "many", folder_ / numbered("saved", round));
    again["restore"] = {{"snapshot", numbered("saved", round) + "/" + from}};
    run_parts(again, place_at_random(again, random));
    EXPECT_EQ(comparable(read("many/result.json")), expected) << from;
    again["results"] = "one";
    EXPECT_EQ(run_whole(again), expected) << from;
  }
}

// Wherever the processes happen to be, and at short intervals.
TEST_F(ProcessesSnapshotTest, UnplannedOnesChangeNothing) {
  const uint64_t seed = random_seed();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 4; ++round) {
    SCOPED_TRACE(numbered("round ", round));
    json target = random_target(random);
    const json expected = run_whole(target);
    target["snapshots"] = {{"interval_s", 1e-9}, {"keep", 1000}};
    if (round % 2 == 1) target["snapshots"]["interval_cycles"] = 2000 + random() % 7000;
    std::filesystem::remove_all(folder_ / "many");
    run_parts(target, place_at_random(target, random));
    const json result = read("many/result.json");
    ASSERT_EQ(comparable(result), expected);
    if (result["end_cycle"] > 3 * 9000) {
      EXPECT_GE(result["snapshots"].size(), 2U);
    }
    for (const json &made : result["snapshots"]) {
      ASSERT_FALSE(made.contains("error")) << made;
      json again = target;
      again.erase("snapshots");
      again["results"] = "one";
      again["restore"] = {{"snapshot", "many/snapshots/" + made["name"].get<std::string>()}};
      ASSERT_EQ(run_whole(again), expected) << made;
    }
  }
}

// A request to the first process, and several at once.
TEST_F(ProcessesSnapshotTest, AreMadeOnRequest) {
  std::mt19937_64 random(11);
  json target = endless(random_target(random));
  target["processes"] = places(2);
  target["control"] = "control";
  write("many.json", target);
  const pid_t first = start("p0"), second = start("p1");
  wait_until_running({"", "-p1"});
  std::vector<json> answers(3);
  std::vector<std::thread> clients;
  for (size_t i = 0; i < answers.size(); ++i) {
    clients.emplace_back([&, i] {
      answers[i] = ask({{"command", "snapshot"}, {"name", numbered("asked", i)}});
    });
  }
  for (std::thread &client : clients) client.join();
  ask({{"command", "stop"}});
  EXPECT_EQ(exit_status_of(first), 130);
  EXPECT_EQ(exit_status_of(second), 130);
  for (size_t i = 0; i < answers.size(); ++i) {
    ASSERT_EQ(answers[i].value("ok", false), true) << answers[i];
    json again = target;
    again["results"] = "one";
    again["restore"] = {{"snapshot", "many/snapshots/" + numbered("asked", i)}};
    again["max_cycles"] = answers[i]["cycle"].get<uint64_t>() + 20'000;
    const json by_one = run_whole(again);
    again["results"] = "many";
    again["processes"] = places(2);
    again.erase("control");
    run_parts(again, 2);
    EXPECT_EQ(comparable(read("many/result.json")), by_one);
  }
}

// The parts of processes that share no disk make up the whole.
TEST_F(ProcessesSnapshotTest, EachProcessKeepsItsPartOnItsOwnDisk) {
  std::mt19937_64 random(14);
  json target = random_target(random);
  target["snapshots"] = {{"at_cycles", {7000}}};
  const json expected = run_whole(target);
  const size_t count = place_at_random(target, random);
  run_parts(target, count, true);
  const std::string name = "many/snapshots/cycle-7000";
  for (size_t i = 1; i < count; ++i) {
    EXPECT_FALSE(std::filesystem::exists(own_folder(i) / name / "snapshot.json"));
    EXPECT_FALSE(std::filesystem::exists(own_folder(i) / name / "links.state"));
    for (const auto &entry : std::filesystem::directory_iterator(own_folder(i) / name)) {
      const auto to = own_folder(0) / name / entry.path().filename();
      EXPECT_FALSE(std::filesystem::exists(to)) << to;
      std::filesystem::copy_file(entry.path(), to);
    }
  }
  expect_same_snapshot("one/snapshots/cycle-7000", "host0/" + name);
  // The others need its index, its links, and the files of their models.
  for (size_t i = 1; i < count; ++i) {
    for (const char *file : {"snapshot.json", "links.state"}) {
      std::filesystem::copy_file(own_folder(0) / name / file, own_folder(i) / name / file);
    }
  }
  target.erase("snapshots");
  target["restore"] = {{"snapshot", name}};
  run_parts(target, count, true);
  EXPECT_EQ(comparable(read("host0/many/result.json")), expected);
}

// The run goes on without a snapshot, and nothing of it is left.
TEST_F(ProcessesSnapshotTest, OneThatCannotBeWrittenSaysWhoseFaultThatWas) {
  std::mt19937_64 random(13);
  json target = random_target(random);
  const json expected = run_whole(target);
  target["snapshots"] = {{"at_cycles", {5000}}, {"interval_cycles", 9000}};
  target["results"] = "many";
  target["processes"] = places(2);
  target["nodes"][0]["process"] = "p1";
  std::filesystem::create_directories(own_folder(1) / "many");
  std::ofstream(own_folder(1) / "many/snapshots") << "in the way of a folder";
  run_parts(target, 2, true);
  const json result = read("host0/many/result.json");
  EXPECT_EQ(comparable(result), expected);
  ASSERT_GE(result["snapshots"].size(), 2U);
  for (const json &one : result["snapshots"]) {
    const std::string error = one.value("error", "");
    EXPECT_NE(error.find(": process p1: "), std::string::npos) << one;
  }
  EXPECT_EQ(entries("host0/many/snapshots"), std::vector<std::string>{});
}

TEST_F(ProcessesSnapshotTest, AProcessKilledMeanwhileLeavesTheOneBefore) {
  const uint64_t seed = random_seed();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  std::mt19937_64 random(seed);
  for (const char *victim : {"p1", "p0"}) {
    SCOPED_TRACE(victim);
    std::filesystem::remove_all(folder_ / "many");
    json target = endless(random_target(random));
    target["snapshots"] = {{"interval_s", 1e-9}, {"keep", 2}};
    target["processes"] = places(3);
    target["nodes"][1]["process"] = "p2";
    write("many.json", target);
    std::map<std::string, pid_t> children;
    for (const char *name : {"p0", "p1", "p2"}) children[name] = start(name);
    wait_until_running({"", "-p1", "-p2"});
    std::this_thread::sleep_for(std::chrono::milliseconds(200 + random() % 300));
    kill(children.at(victim), SIGKILL);
    for (const auto &[name, child] : children) {
      EXPECT_EQ(exit_status_of(child), name == victim ? 128 + SIGKILL : 3) << log(name);
    }
    size_t complete = 0;
    for (const std::string &name : entries("many/snapshots")) {
      if (!std::filesystem::exists(folder_ / "many/snapshots" / name / "snapshot.json")) continue;
      ++complete;
      json again = target;
      again.erase("snapshots");
      again["restore"] = {{"snapshot", "many/snapshots/" + name}};
      again["results"] = "one";
      again["max_cycles"] =
          read("many/snapshots/" + name + "/snapshot.json")["cycle"].get<uint64_t>() + 1000;
      EXPECT_EQ(run_whole(again)["reason"], "max_cycles") << name;
    }
    EXPECT_GE(complete, 1U);
  }
}

}  // namespace
}  // namespace firesim
