// SPDX-License-Identifier: BSD-3-Clause
//
// A random target, and the means to have several processes simulate it.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <random>
#include <thread>

#include "core/simulation.h"
#include "core/tests/random_seed.h"
#include "core/traffic.h"
#include "switch/stock_switches.h"
#include "transport/chaos_mesh.h"
#include "transport/compressing_mesh.h"
#include "transport/zeromq_mesh.h"

#ifdef FIRESIM_THREAD_SANITIZER
// ThreadSanitizer does not see inside libzmq, and takes what its threads copy and decrypt for
// races.
inline constexpr const char *kSuppressions =
    "called_from_lib:libzmq.so\ncalled_from_lib:libsodium.so\n"
    "called_from_lib:libpgm\nrace:libpgm\n";
#endif

namespace firesim {

using nlohmann::json;

// Not by operator+, of which GCC 12 warns wrongly.
inline std::string numbered(std::string name, uint64_t number) {
  name += std::to_string(number);
  return name;
}

inline std::string mac(size_t node) {
  char text[18];
  std::snprintf(text, sizeof text, "00:12:6D:00:00:%02X", static_cast<unsigned>(node + 2));
  return text;
}

// A port of the loopback interface with `count` free ones from there on.
inline uint16_t free_ports(size_t count) {
  static std::mt19937 random(static_cast<unsigned>(getpid()));
  for (;;) {
    const auto first = static_cast<uint16_t>(20000 + random() % 10000);
    bool all = true;
    for (size_t i = 0; i < count && all; ++i) {
      const int probe = socket(AF_INET, SOCK_STREAM, 0);
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_port = htons(static_cast<uint16_t>(first + i));
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      all = bind(probe, reinterpret_cast<sockaddr *>(&address), sizeof address) == 0;
      close(probe);
    }
    if (all) return first;
  }
}

class ProcessesTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("firesim-processes-" + std::to_string(getpid()) + "-" +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
    registry_.add(ModelRole::kNode, "traffic", make_traffic_blade);
    register_stock_switches(registry_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Two racks below a root, and two nodes of their own; random traffic, latencies and ends.
  json random_target(std::mt19937_64 &random) {
    json target = {{"version", 1}, {"results", "one"}, {"threads", 1 + random() % 2}};
    target["nodes"] = json::array();
    target["links"] = json::array();
    json ports[3] = {json::array(), json::array(), json::array()};
    json tables[3] = {json::array(), json::array(), json::array()};
    const auto link = [&](const std::string &a, size_t port_a, const std::string &b,
                          size_t port_b) {
      target["links"].push_back({{"name", a + "--" + b},
                                 {"a", {{"model", a}, {"port", port_a}}},
                                 {"b", {{"model", b}, {"port", port_b}}},
                                 {"latency_cycles", 3 + random() % 700}});
    };
    for (size_t node = 0; node < 6; ++node) {
      const std::string name = numbered("node", node);
      std::ofstream traffic(folder_ / (name + ".traffic"));
      uint64_t cycle = 0;
      for (int line = 0; line < 30; ++line) {
        cycle += random() % 2000;
        traffic << cycle << " " << mac(random() % 6) << " " << 64 + random() % 1400 << "\n";
      }
      target["nodes"].push_back({{"name", name},
                                 {"kind", "traffic"},
                                 {"mac", mac(node)},
                                 {"file", name + ".traffic"},
                                 {"end_cycle", 20'000 + random() % 20'000}});
      const size_t rack = node / 3;
      link(name, 0, numbered("tor", rack), node % 3);
      for (size_t at = 0; at < 3; ++at) {
        const size_t port = at == 2 ? rack : at == rack ? node % 3 : 3;
        tables[at].push_back({{"mac", mac(node)}, {"port", port}});
      }
    }
    link("tor0", 3, "root", 0);
    link("tor1", 3, "root", 1);
    target["switches"] = json::array();
    for (size_t at = 0; at < 3; ++at) {
      for (size_t port = 0; port < (at == 2 ? 2 : 4); ++port) ports[at].push_back(json::object());
      const std::string name = at == 2 ? "root" : numbered("tor", at);
      target["switches"].push_back({{"name", name},
                                    {"kind", "store_and_forward"},
                                    {"switching_latency_cycles", 10},
                                    {"ports", ports[at]},
                                    {"mac_table", tables[at]},
                                    {"statistics", name + ".json"}});
    }
    // Not connected with the rest: only a hidden link keeps them near.
    for (const char *name : {"lone0", "lone1"}) {
      std::ofstream(folder_ / (std::string(name) + ".traffic")) << "7 " << mac(77) << " 64\n";
      target["nodes"].push_back({{"name", name},
                                 {"kind", "traffic"},
                                 {"mac", name == std::string("lone0") ? mac(77) : mac(78)},
                                 {"file", std::string(name) + ".traffic"},
                                 {"end_cycle", 100}});
    }
    link("lone0", 0, "lone1", 0);
    if (random() % 3 == 0) target["end_when"] = "first";
    return target;
  }

  static json places(size_t count) {
    const uint16_t port = free_ports(count * count);
    json list = json::array();
    for (size_t i = 0; i < count; ++i) {
      list.push_back(
          {{"name", numbered("p", i)}, {"host", "127.0.0.1"}, {"port", port + i * count}});
      if (i % 2 == 1) list.back()["threads"] = 1 + i;
    }
    return list;
  }

  void write(const std::string &name, const json &value) {
    std::ofstream(folder_ / name) << value.dump();
  }
  json read(const std::string &name) {
    std::ifstream file(folder_ / name);
    return json::parse(file);
  }

  // Without what depends on the host.
  static json comparable(json result) {
    for (const char *key : {"wall_s", "cpu_s", "lost", "snapshots", "start_cycle", "transport"})
      result.erase(key);
    for (const char *list : {"nodes", "switches"}) {
      for (json &model : result[list]) {
        model.erase("cpu_s");
        model.erase("advances");
      }
    }
    return result;
  }

  json run_whole(const json &target) {
    write("one.json", target);
    Simulation(folder_ / "one.json", registry_).run();
    return comparable(read("one/result.json"));
  }

  // The folder of a process that does not share one with the others.
  std::filesystem::path own_folder(size_t process) const {
    return folder_ / numbered("host", process);
  }

  // Each process in a thread of its own, and on a disk of its own if `apart`; returns what each has
  // to say.
  std::vector<RunResult> run_parts(const json &target, size_t count, bool apart = false,
                                   std::optional<uint64_t> chaos_seed = std::nullopt) {
    write("many.json", target);
    for (size_t i = 0; i < count && apart; ++i) {
      std::filesystem::create_directories(own_folder(i));
      for (const auto &entry : std::filesystem::directory_iterator(folder_)) {
        if (!entry.is_regular_file()) continue;
        std::filesystem::copy_file(entry.path(), own_folder(i) / entry.path().filename(),
                                   std::filesystem::copy_options::overwrite_existing);
      }
    }
    std::vector<RunResult> results(count);
    std::vector<std::thread> threads;
    for (size_t i = 0; i < count; ++i) {
      threads.emplace_back([&, i] {
        const auto folder = apart ? own_folder(i) : folder_;
        Simulation simulation(folder / "many.json", registry_, numbered("p", i),
                              [=](const MeshPlan &plan) {
                                auto mesh = make_zeromq_mesh(plan);
                                if (plan.compressed) mesh = make_compressing_mesh(std::move(mesh));
                                if (!chaos_seed) return mesh;
                                return make_chaos_mesh(std::move(mesh), plan, *chaos_seed);
                              });
        results[i] = simulation.run();
      });
    }
    for (std::thread &thread : threads) thread.join();
    return results;
  }

  // Each process has a model at least; returns how many processes there are.
  static size_t place_at_random(json &target, std::mt19937_64 &random) {
    const size_t count = 2 + random() % 3;
    size_t placed = 0;
    for (const char *list : {"nodes", "switches"}) {
      for (json &model : target[list]) {
        model["process"] = numbered("p", placed < count ? placed : random() % count);
        ++placed;
      }
    }
    target["processes"] = places(count);
    target["results"] = "many";
    return count;
  }

  pid_t start(const std::string &process, const std::vector<std::string> &options = {},
              const std::string &description = "many.json") {
    const pid_t child = fork();
    if (child != 0) return child;
#ifdef FIRESIM_THREAD_SANITIZER
    std::ofstream(folder_ / "suppressions") << kSuppressions;
    const char *given = std::getenv("TSAN_OPTIONS");
    const std::string ours = ":suppressions=" + (folder_ / "suppressions").string();
    setenv("TSAN_OPTIONS", ((given == nullptr ? "" : given) + ours).c_str(), 1);
#endif
    const std::string log = (folder_ / (process + ".log")).string();
    static_cast<void>(!freopen(log.c_str(), "w", stderr));
    std::vector<std::string> words = {FIRESIM_SIM, "--process", process};
    words.insert(words.end(), options.begin(), options.end());
    words.push_back((folder_ / description).string());
    std::vector<char *> arguments;
    for (std::string &word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execv(FIRESIM_SIM, arguments.data());
    _exit(127);
  }
  // Until each process has written that its models have got on.
  void wait_until_running(const std::vector<std::string> &of) {
    for (const std::string &one : of) {
      const auto file = folder_ / "many" / ("status" + one + ".jsonl");
      std::error_code error;
      for (int i = 0; std::filesystem::file_size(file, error) == 0 || error; ++i) {
        ASSERT_LT(i, 3000) << file << " is not being written; p0: " << log("p0")
                           << " p1: " << log("p1");
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    }
  }
  static int exit_status_of(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  std::string log(const std::string &process) {
    std::ifstream file(folder_ / (process + ".log"));
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::filesystem::path folder_;
  ModelRegistry registry_;
};

// Long enough to be stopped.
inline json endless(json target) {
  for (json &node : target["nodes"]) node["end_cycle"] = uint64_t{1} << 50;
  target.erase("end_when");
  target["results"] = "many";
  target["nodes"][0]["process"] = "p1";
  return target;
}

}  // namespace firesim
