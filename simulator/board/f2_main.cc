// SPDX-License-Identifier: BSD-3-Clause
//
// firesim-f2: a custom logic for AWS EC2 F2, simulated in a shell whose host is behind a socket.
#include <fmt/format.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>

#include "simulator/board/f2_shell.h"
#include "simulator/board/pci_server.h"

namespace {

constexpr const char *kUsage =
    "usage: firesim-f2 MODEL.so DESIGN-HASH SOCKET\n"
    "Simulates a custom logic for AWS EC2 F2 (deploy/firesim/build/f2_model.py) in its shell. A\n"
    "host loads and stores what is in its BARs through SOCKET (sim/hostlib/pci_messages.h). Who\n"
    "connects finds the logic as it is after its image was loaded. A host that breaks a rule of\n"
    "the shell is sent away with a sentence here. Runs until SIGINT or SIGTERM.\n";
constexpr int kBadArguments = 2, kError = 3;

constexpr int kLookMs = 1000;  // between two looks whether to stop

std::atomic<bool> stopped{false};

void stop(int) { stopped = true; }

void simulate(firesim::F2Shell &shell, firesim::PciServer &server) {
  while (!stopped) {
    bool is_new = false;
    const auto request = server.next(kLookMs, is_new);
    if (is_new) shell.power_up();
    if (!request) continue;
    try {
      const auto loaded = shell.access(*request);
      if (!loaded.empty()) server.answer(loaded);
    } catch (const std::runtime_error &error) {
      std::fprintf(stderr, "%s\n", error.what());
      server.hang_up();
    }
  }
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 4) {
    std::fputs(kUsage, stderr);
    return kBadArguments;
  }
  struct sigaction action {};
  action.sa_handler = stop;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  try {
    firesim::F2Shell shell(argv[1], argv[2]);
    firesim::PciServer server(argv[3]);
    fmt::print("{}\n", argv[3]);
    std::fflush(stdout);
    simulate(shell, server);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kError;
  }
  return 0;
}
