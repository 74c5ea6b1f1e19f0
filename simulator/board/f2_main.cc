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

constexpr uint64_t kChunk = 8;  // cycles between two looks at the socket
// Without an access for so long, cycles are worth nothing until there is one: whoever waits for
// the target looks at it.
constexpr uint64_t kIdleChunks = (uint64_t{1} << 16) / kChunk;
constexpr int kIdleMs = 1000;

std::atomic<bool> stopped{false};

void stop(int) { stopped = true; }

void simulate(firesim::F2Shell &shell, firesim::PciServer &server) {
  for (uint64_t idle = kIdleChunks; !stopped;) {
    bool is_new = false;
    const auto request = server.next(idle < kIdleChunks ? 0 : kIdleMs, is_new);
    if (is_new) shell.power_up();
    if (request) {
      try {
        const auto loaded = shell.access(*request);
        if (!loaded.empty()) server.answer(loaded);
      } catch (const std::runtime_error &error) {
        std::fprintf(stderr, "%s\n", error.what());
        server.hang_up();
      }
    }
    if (request || is_new) {
      idle = 0;
    } else if (idle < kIdleChunks) {
      shell.run(kChunk);
      ++idle;
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
