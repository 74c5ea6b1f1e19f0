// SPDX-License-Identifier: BSD-3-Clause
//
// What is said of a run while it lasts: who computes, who waits and for whom, what links have
// carried, how nodes ended, and how busy the host is.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/host_load.h"
#include "core/json_reader.h"
#include "core/scheduler.h"
#include "core/status_writer.h"

namespace firesim {
namespace {

// Sends a flit each cycle, ends in cycle `end_at`, and stands still in an advance while it is held.
class Held : public Model {
 public:
  Held(std::string name, uint32_t ports, uint64_t end_at)
      : Model(std::move(name)), ports_(ports), end_at_(end_at) {}

  uint32_t port_count() const override { return ports_; }

  void advance(uint64_t start, uint32_t cycles, std::span<Batch> /*inputs*/,
               std::span<Batch> outputs) override {
    held.wait(true);
    for (uint32_t offset = 0; offset < cycles; ++offset) {
      if (start + offset == end_at_) set_end({end_at_, 3, false, "over"});
      for (Batch &output : outputs) output.append_flit(offset, start + offset, true);
    }
  }

  void hold(bool hold) {
    held = hold;
    held.notify_all();
  }

  std::atomic<bool> held{false};

 private:
  const uint32_t ports_;
  const uint64_t end_at_;
};

// a - hub - b: a waits for the hub while that waits for b.
struct Star {
  explicit Star(uint32_t threads) : scheduler({.threads = threads, .status_interval_s = 0}) {
    for (Held *model : {&a, &b, &hub}) scheduler.add_model(*model, model != &hub);
    scheduler.connect("a-hub", 0, 0, 2, 0, 10);
    scheduler.connect("b-hub", 1, 0, 2, 1, 10);
    scheduler.prepare();
  }

  std::map<std::string, ModelStatus> status() const {
    std::map<std::string, ModelStatus> found;
    for (const ModelStatus &model : scheduler.status()) found[model.name] = model;
    return found;
  }

  Held a{"a", 1, 5000};
  Held b{"b", 1, 6000};
  Held hub{"hub", 2, UINT64_MAX};
  Scheduler scheduler;
};

class Status : public ::testing::TestWithParam<uint32_t> {};

TEST_P(Status, SaysWhoWaitsForWhomAndForHowLong) {
  Star target(GetParam());
  target.b.hold(true);
  RunResult result;
  std::thread run([&] { result = target.scheduler.run(); });
  // With b in its first advance, the hub gets as far as b's link is long, and a as far as both are.
  std::map<std::string, ModelStatus> first;
  do {
    first = target.status();
  } while (first["a"].cycle != 20 || first["a"].waiting_for != "hub" || first["hub"].cycle != 10 ||
           first["hub"].waiting_for != "b");
  EXPECT_EQ(first["b"].state, std::string("running"));
  // Neither can go on before b does, so from now on all that passes is their waiting.
  std::map<std::string, ModelStatus> later;
  do {
    later = target.status();
  } while (later["a"].waiting_s <= first["a"].waiting_s + 0.01);
  EXPECT_GT(later["hub"].waiting_s, first["hub"].waiting_s);
  EXPECT_GT(later["b"].busy_s, first["b"].busy_s);
  EXPECT_EQ(later["a"].cycle, first["a"].cycle);
  for (const char *name : {"a", "hub"}) {
    EXPECT_LT(later[name].busy_s - first[name].busy_s, 0.01) << name;
  }
  target.b.hold(false);
  run.join();
  EXPECT_EQ(result.reason, "ended");
}

// Says what a switch would say of its queues.
class Queues : public Held {
 public:
  using Held::Held;
  std::optional<QueueStatus> queue_status() const override { return QueueStatus{96, 0.123456}; }
};

TEST(StatusLine, HasTheQueuesOfThoseThatHaveSome) {
  Queues hub("hub", 1, 50);
  Held node("node", 1, 50);
  Scheduler scheduler({.threads = 1, .status_interval_s = 0});
  scheduler.add_model(hub, true);
  scheduler.add_model(node, true);
  scheduler.connect("link", 0, 0, 1, 0, 10);
  scheduler.prepare();
  const nlohmann::json entries = nlohmann::json::parse(models_text(scheduler.status()));
  EXPECT_EQ(entries[0]["queue"], (nlohmann::json{{"bytes", 96}, {"fullest", 0.1235}}));
  EXPECT_FALSE(entries[1].contains("queue"));
}

TEST_P(Status, CountsLinksAndEndsAsTheResult) {
  Star target(GetParam());
  const RunResult result = target.scheduler.run();
  std::map<std::string, ModelStatus> status = target.status();
  EXPECT_EQ(status["a"].exit_code, 3);
  EXPECT_EQ(status["hub"].exit_code, std::nullopt);
  EXPECT_EQ(status["b"].cycle, result.end_cycle);
  EXPECT_EQ(status["b"].packets_out, result.end_cycle);
  const std::vector<LinkStatus> links = target.scheduler.link_status();
  ASSERT_EQ(links.size(), result.links.size());
  for (size_t i = 0; i < links.size(); ++i) {
    EXPECT_EQ(target.scheduler.link_names()[i], result.links[i].name);
    EXPECT_EQ(links[i].a_to_b->flits, result.links[i].a_to_b->flits);
    EXPECT_EQ(links[i].b_to_a->packets, result.links[i].b_to_a->packets);
    EXPECT_EQ(links[i].a_to_b->packets, result.end_cycle);
  }
}

TEST(StatusLine, IsTheTextOfTheTreeOfItsValues) {
  ModelStatus node;
  node.name = "no\"de\n";
  node.cycle = UINT64_MAX;
  node.state = "waiting";
  node.waiting_for =
      "h\xc3\xbc"
      "b\\";
  node.packets_in = 3;
  node.busy_s = 1.2345678;
  node.waiting_s = 2;
  node.exit_code = -1;
  node.queue = QueueStatus{96, 0.123456};
  ModelStatus plain;
  plain.name = "plain";
  plain.state = "running";
  const nlohmann::json tree = {{{"name", "no\"de\n"},
                                {"cycle", UINT64_MAX},
                                {"state", "waiting"},
                                {"waiting_for",
                                 "h\xc3\xbc"
                                 "b\\"},
                                {"packets_in", 3},
                                {"packets_out", 0},
                                {"busy_s", 1.234568},
                                {"waiting_s", 2.0},
                                {"exit_code", -1},
                                {"queue", {{"bytes", 96}, {"fullest", 0.1235}}}},
                               {{"name", "plain"},
                                {"cycle", 0},
                                {"state", "running"},
                                {"waiting_for", nullptr},
                                {"packets_in", 0},
                                {"packets_out", 0},
                                {"busy_s", 0.0},
                                {"waiting_s", 0.0}}};
  EXPECT_EQ(models_text({node, plain}), dump_any(tree));
  EXPECT_EQ(models_text({}), "[]");
}

INSTANTIATE_TEST_SUITE_P(Threads, Status, ::testing::Values(2, 4));

TEST(StatusWriter, NamesALinkOnlyWhenItHasCarriedMore) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("status-" + std::to_string(getpid()) + ".jsonl");
  Star target(1);
  StatusWriter writer(file, target.scheduler, 1);
  writer.write(0.5, target.scheduler.status());
  writer.write(1, target.scheduler.status());
  target.scheduler.run();
  writer.write(3, target.scheduler.status());
  std::ifstream lines(file);
  std::vector<nlohmann::json> read;
  for (std::string line; std::getline(lines, line);) read.push_back(nlohmann::json::parse(line));
  std::filesystem::remove(file);
  ASSERT_EQ(read.size(), 3u);
  EXPECT_EQ(read[0]["links"].size(), 2u);
  EXPECT_EQ(read[0]["links"][0]["a_to_b"]["packets"], 0);
  EXPECT_FALSE(read[1].contains("links"));
  EXPECT_EQ(read[2]["links"].size(), 2u);
  EXPECT_EQ(read[0]["threads"], 1);
  EXPECT_FALSE(read[0]["models"][0].contains("exit_code"));
  EXPECT_EQ(read[2]["models"][0]["exit_code"], 3);
  // The host is looked at every two seconds.
  EXPECT_GT(read[0]["host"]["memory_bytes"], read[0]["host"]["resident_bytes"]);
  EXPECT_FALSE(read[1].contains("host"));
  EXPECT_GE(read[2]["host"]["cpu_s"], read[0]["host"]["cpu_s"]);
}

TEST(HostLoad, ReadsWhatTheKernelSays) {
  const std::string memory = "MemTotal:       24576000 kB\nMemAvailable:   20000000 kB\n";
  EXPECT_EQ(memory_line_bytes(memory, "MemTotal"), 24'576'000ull * 1024);
  EXPECT_EQ(memory_line_bytes(memory, "MemAvailable"), 20'000'000ull * 1024);
  EXPECT_EQ(memory_line_bytes(memory, "Mem"), 0u);
  const std::string network =
      "Inter-|   Receive                                                |  Transmit\n"
      " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs\n"
      "    lo: 900 9 0 0 0 0 0 0 900 9 0 0 0 0 0 0\n"
      "  eth0:1000 5 0 0 0 0 0 0 20 4 0 0 0 0 0 0\n"
      "  eth1: 1 1 0 0 0 0 0 0 2 1 0 0 0 0 0 0\n"
      " torn: 7\n";
  EXPECT_EQ(network_bytes(network), std::make_pair(uint64_t{22}, uint64_t{1001}));
  EXPECT_EQ(network_bytes(""), std::make_pair(uint64_t{0}, uint64_t{0}));
}

TEST(HostLoad, KnowsThisComputer) {
  const HostLoad here = host_load();
  EXPECT_GE(here.cores, 1u);
  EXPECT_GT(here.memory_bytes, here.available_bytes);
  EXPECT_GT(here.resident_bytes, 1u << 20);
  EXPECT_LT(here.resident_bytes, here.memory_bytes);
}

}  // namespace
}  // namespace firesim
