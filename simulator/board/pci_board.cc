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

void simulate(PciBoard &board, PciServer &server, const BoardOptions &options,
              const std::atomic<bool> &stopped) {
  bool is_loaded = false;
  uint64_t accesses = 0;  // of the hosts that are there
  while (!stopped) {
    bool is_new = false;
    const auto request = server.next(kLookMs, is_new);
    if (is_new) {
      accesses = 0;
      if (options.loaded_once && is_loaded) {
        board.hot_reset();
      } else {
        board.power_up();
      }
      is_loaded = true;
    }
    if (!request) continue;
    try {
      if (++accesses == options.reset_after) board.hot_reset();
      if (accesses == options.flr_after) board.function_reset();
      const auto loaded = board.access(*request);
      if (!loaded.empty()) server.answer(loaded);
    } catch (const std::runtime_error &error) {
      std::fprintf(stderr, "%s\n", error.what());
      server.hang_up();
    }
  }
}

}  // namespace

int simulate_pci_board(int argc, char **argv, const char *usage, const MakePciBoard &make,
                       std::initializer_list<std::string_view> own_options) {
  BoardOptions options;
  const bool are_options = take_options(argc, argv, options, own_options);
  const int blades = argc == 5 ? std::atoi(argv[3]) : 0;
  if (!are_options || blades < 1) {
    std::fputs(usage, stderr);
    std::fputs(kBoardOptionsUsage, stderr);
    return kBadArguments;
  }
  return until_stopped([&](const std::atomic<bool> &stopped) {
    const auto board = make(argv[1], argv[2], options);
    PciServer server(argv[4], static_cast<size_t>(blades));
    fmt::print("{}\n", argv[4]);
    std::fflush(stdout);
    simulate(*board, server, options, stopped);
  });
}

}  // namespace firesim
