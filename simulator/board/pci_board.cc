// SPDX-License-Identifier: BSD-3-Clause
// Serves a board on PCIe at its socket; see pci_board.h.
#include "simulator/board/pci_board.h"

#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "simulator/board/pci_server.h"
#include "simulator/board/until_stopped.h"

namespace firesim {
namespace {

constexpr int kLookMs = 1000;  // between two looks whether to stop

void simulate(PciBoard &board, PciServer &server, const std::atomic<bool> &stopped) {
  while (!stopped) {
    bool is_new = false;
    const auto request = server.next(kLookMs, is_new);
    if (is_new) board.power_up();
    if (!request) continue;
    try {
      const auto loaded = board.access(*request);
      if (!loaded.empty()) server.answer(loaded);
    } catch (const std::runtime_error &error) {
      std::fprintf(stderr, "%s\n", error.what());
      server.hang_up();
    }
  }
}

}  // namespace

int simulate_pci_board(int argc, char **argv, const char *usage, const MakePciBoard &make) {
  const int blades = argc == 5 ? std::atoi(argv[3]) : 0;
  if (blades < 1) {
    std::fputs(usage, stderr);
    return kBadArguments;
  }
  return until_stopped([&](const std::atomic<bool> &stopped) {
    const auto board = make(argv[1], argv[2]);
    PciServer server(argv[4], static_cast<size_t>(blades));
    fmt::print("{}\n", argv[4]);
    std::fflush(stdout);
    simulate(*board, server, stopped);
  });
}

}  // namespace firesim
