// SPDX-License-Identifier: BSD-3-Clause
//
// firesim-sim: simulates what one JSON file describes. See docs/reference/interfaces/simulation.md.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/printable.h"
#include "core/simulation.h"
#include "core/snapshot.h"
#include "core/switch_check.h"
#include "simulator/model_kinds.h"
#include "simulator/stop_signals.h"
#include "transport/chaos_mesh.h"
#include "transport/compressing_mesh.h"
#include "transport/mesh_keys.h"
#include "transport/zeromq_mesh.h"

namespace {

constexpr int kBadDescription = 2;
constexpr int kError = 3;

constexpr const char *kUsage =
    "usage: firesim-sim [--process NAME [--keys FILE]] DESCRIPTION.json\n"
    "       firesim-sim --check-switches DESCRIPTION.json\n"
    "       firesim-sim --check-snapshot FOLDER\n"
    "       firesim-sim --make-keys FOLDER NAME...\n"
    "Simulates what the file describes (docs/reference/interfaces/simulation.md), or what of it\n"
    "belongs to one of its processes; only tries its switches; only reads a snapshot, against\n"
    "sizes and hashes; or makes the files of keys by which processes of these names know each "
    "other.\n"
    "Exit status: 0 every node passed, 1 a node failed or the cycle limit came first,\n"
    "2 bad description, 3 error, 130 interrupted.\n";

// What a guest, a snapshot or a description put into a sentence only shows on a terminal.
void say(const std::string &text) {
  std::fprintf(stderr, "%s\n", firesim::printable(text).c_str());
}

struct Arguments {
  std::string description;
  std::string process;  // empty: simulates everything
  std::string keys;     // file; empty: none
};

int simulate(const Arguments &arguments) {
  // A reader of our output that goes away must not end the simulation.
  std::signal(SIGPIPE, SIG_IGN);
  firesim::ModelRegistry registry;
  firesim::register_model_kinds(registry);
  firesim::ZeroMqOptions options;
  if (!arguments.keys.empty()) options.keys = firesim::read_mesh_keys(arguments.keys);
  firesim::Simulation simulation(
      arguments.description, registry, arguments.process,
      [&options](const firesim::MeshPlan &plan) {
        auto mesh = firesim::make_zeromq_mesh(plan, options);
        if (plan.compressed) mesh = firesim::make_compressing_mesh(std::move(mesh));
        const char *chaos = std::getenv("FIRESIM_CHAOS_SEED");  // for tests
        if (chaos == nullptr) return mesh;
        return firesim::make_chaos_mesh(std::move(mesh), plan, std::strtoull(chaos, nullptr, 0));
      });
  firesim::RunResult result;
  {
    const firesim::StopSignals signals([&simulation] { simulation.request_stop(); });
    result = simulation.run();
  }
  if (!result.message.empty()) say(result.message);
  return firesim::exit_status(result);
}

int make_keys(int count, char **names) {
  firesim::make_mesh_keys(names[0], std::vector<std::string>(names + 1, names + count));
  return 0;
}

// Of a simulation; nothing if they are none.
std::optional<Arguments> read_arguments(int argc, char **argv) {
  Arguments arguments;
  int at = 1;
  for (; at + 1 < argc && argv[at][0] == '-'; at += 2) {
    const std::string option = argv[at];
    std::string *value = option == "--process" ? &arguments.process
                         : option == "--keys"  ? &arguments.keys
                                               : nullptr;
    if (value == nullptr || !value->empty() || argv[at + 1][0] == '\0') return std::nullopt;
    *value = argv[at + 1];
  }
  if (at + 1 != argc || argv[at][0] == '-' || argv[at][0] == '\0') return std::nullopt;
  if (!arguments.keys.empty() && arguments.process.empty()) return std::nullopt;
  arguments.description = argv[at];
  return arguments;
}

int check(const char *description) {
  firesim::ModelRegistry registry;
  firesim::register_model_kinds(registry);
  firesim::check_switches(description, registry, std::cout);
  return 0;
}

int check_snapshot(const char *folder) {
  const firesim::Snapshot whole(folder);
  return 0;
}

}  // namespace

int main(int argc, char **argv) {
  const std::string argument = argc > 1 ? argv[1] : "";
  const bool checks = argument == "--check-switches" && argc == 3;
  const bool reads_snapshot = argument == "--check-snapshot" && argc == 3;
  const bool makes_keys = argument == "--make-keys" && argc > 3;
  const auto arguments = read_arguments(argc, argv);
  if (!checks && !reads_snapshot && !makes_keys && !arguments) {
    std::fprintf(argument == "--help" ? stdout : stderr, "%s", kUsage);
    return argument == "--help" ? 0 : kBadDescription;
  }
  try {
    if (makes_keys) return make_keys(argc - 2, argv + 2);
    if (reads_snapshot) return check_snapshot(argv[2]);
    return checks ? check(argv[2]) : simulate(*arguments);
  } catch (const firesim::DescriptionError &error) {
    say(error.what());
    return kBadDescription;
  } catch (const std::runtime_error &error) {  // of the host: a full disk, another process
    say(error.what());
    return kError;
  } catch (const std::exception &error) {
    say(std::string("firesim-sim: internal error: ") + error.what());
    return kError;
  }
}
