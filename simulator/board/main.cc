// SPDX-License-Identifier: BSD-3-Clause
//
// firesim-board: a board's top with its serial line, simulated behind a pseudo-terminal.
#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "simulator/board/board_options.h"
#include "simulator/board/serial_board.h"
#include "simulator/board/terminal.h"
#include "simulator/board/until_stopped.h"

namespace {

constexpr const char *kUsage =
    "usage: firesim-board [OPTIONS] MODEL.so DESIGN-HASH BIT-CYCLES [LINK]\n"
    "Simulates a board (deploy/firesim/build/board_model.py) with BIT-CYCLES host cycles a bit on\n"
    "its serial line, behind a pseudo-terminal, which LINK leads to. A pseudo-terminal carries no\n"
    "break: who flushes it finds the board as it is after its bitstream was loaded, and a break.\n"
    "Runs until SIGINT or SIGTERM.\n";

constexpr uint64_t kChunk = 2048;  // host cycles between two looks at the terminal
// With no byte either way for longer than the watchdog bears, host cycles are worth nothing until
// there is one; the host asks now and then.
constexpr uint64_t kIdleChunks = (uint64_t{1} << 22) / kChunk;
constexpr int kIdleMs = 1000;
constexpr size_t kMostUnsentBits = 640;
constexpr size_t kMostUnread = 1 << 16;  // bytes, after which more of them are lost, as on USB

void simulate(firesim::SerialBoard &board, firesim::Terminal &terminal,
              const firesim::BoardOptions &options, const std::atomic<bool> &stopped) {
  bool is_loaded = false;
  uint64_t bytes = 0;  // that came
  std::vector<uint8_t> came, heard;
  std::deque<uint8_t> up;
  for (uint64_t idle = 0; !stopped;) {
    came.clear();
    heard.clear();
    const size_t room = board.unsent() < kMostUnsentBits ? 64 : 0;
    if (terminal.read(came, room, idle < kIdleChunks ? 0 : kIdleMs)) {
      if (options.loaded_once && is_loaded) {
        board.send_break();
      } else {
        board.power_up();
      }
      is_loaded = true;
      up.clear();
      idle = 0;
    }
    for (const uint8_t byte : came) {
      if (++bytes == options.reset_after) board.send_break();
      board.send(byte);
    }
    board.run(kChunk, heard);
    if (up.size() < kMostUnread) up.insert(up.end(), heard.begin(), heard.end());
    terminal.write(up);
    idle = came.empty() && heard.empty() ? idle + 1 : 0;
  }
}

}  // namespace

int main(int argc, char **argv) {
  firesim::BoardOptions options;
  const bool are_options = firesim::take_options(argc, argv, options) && options.unlock_after == 0;
  uint32_t bit_cycles = 0;
  const bool counted = are_options && (argc == 4 || argc == 5);
  if (counted) std::from_chars(argv[3], argv[3] + std::strlen(argv[3]), bit_cycles);
  if (bit_cycles < 4) {
    std::fputs(kUsage, stderr);
    std::fputs(firesim::kBoardOptionsUsage, stderr);
    return firesim::kBadArguments;
  }
  return firesim::until_stopped([&](const std::atomic<bool> &stopped) {
    firesim::SerialBoard board(argv[1], argv[2], bit_cycles, options.hostile_seed);
    firesim::Terminal terminal(argc == 5 ? argv[4] : "");
    fmt::print("{}\n", argc == 5 ? argv[4] : terminal.device());
    std::fflush(stdout);
    simulate(board, terminal, options, stopped);
  });
}
