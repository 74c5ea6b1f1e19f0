// SPDX-License-Identifier: BSD-3-Clause
//
// firesim-sim: simulates what one JSON file describes. See docs/reference/interfaces.md, section 5.
#include <atomic>
#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>

#include "core/simulation.h"
#include "core/switch_check.h"
#include "simulator/model_kinds.h"
#include "transport/zeromq_mesh.h"

namespace {

constexpr int kBadDescription = 2;
constexpr int kError = 3;

std::atomic<firesim::Simulation *> running{nullptr};

void stop_on_signal(int) {
  if (firesim::Simulation *simulation = running.load()) simulation->request_stop();
}

// The first signal of each kind stops the run and writes the results; the second one ends the
// process at once.
void install_signal_handlers() {
  struct sigaction action {};
  action.sa_handler = stop_on_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // A reader of our output that goes away must not end the simulation.
  std::signal(SIGPIPE, SIG_IGN);
}

int simulate(const char *description, const std::string &process) {
  firesim::ModelRegistry registry;
  firesim::register_model_kinds(registry);
  firesim::Simulation simulation(description, registry, process,
                                 [](const auto &processes, size_t self, const auto &agreement) {
                                   return firesim::make_zeromq_mesh(processes, self, agreement);
                                 });
  running = &simulation;
  install_signal_handlers();
  const firesim::RunResult result = simulation.run();
  running = nullptr;
  if (!result.message.empty()) std::fprintf(stderr, "%s\n", result.message.c_str());
  return firesim::exit_status(result);
}

int check(const char *description) {
  firesim::ModelRegistry registry;
  firesim::register_model_kinds(registry);
  firesim::check_switches(description, registry, std::cout);
  return 0;
}

}  // namespace

int main(int argc, char **argv) {
  const std::string argument = argc > 1 ? argv[1] : "";
  const bool checks = argument == "--check-switches" && argc == 3;
  const bool is_part = argument == "--process" && argc == 4 && argv[2][0] != '\0';
  if (!checks && !is_part && (argc != 2 || argument.empty() || argument[0] == '-')) {
    std::fprintf(
        argument == "--help" ? stdout : stderr,
        "usage: firesim-sim [--process NAME | --check-switches] DESCRIPTION.json\n"
        "Simulates what the file describes (docs/reference/interfaces.md, section 5), or what of "
        "it\n"
        "belongs to one of its processes, or only tries its switches.\n"
        "Exit status: 0 every node passed, 1 a node failed or the cycle limit came first,\n"
        "2 bad description, 3 error, 130 interrupted.\n");
    return argument == "--help" ? 0 : kBadDescription;
  }
  try {
    return checks ? check(argv[2]) : simulate(argv[argc - 1], is_part ? argv[2] : "");
  } catch (const firesim::DescriptionError &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kBadDescription;
  } catch (const std::runtime_error &error) {  // of the host: a full disk, another process
    std::fprintf(stderr, "%s\n", error.what());
    return kError;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "firesim-sim: internal error: %s\n", error.what());
    return kError;
  }
}
