// SPDX-License-Identifier: BSD-3-Clause
// Options that the programs which simulate a board have in common, before their arguments.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace firesim {

// What is wrong with the DRAM of a simulated board.
enum class DramFault { kNone, kUntrained, kError };

struct BoardOptions {
  uint64_t dram_seed = 1;
  DramFault dram_fault = DramFault::kNone;
  // Clocks that have nothing to do with each other, and a shell that keeps to its rules and to
  // nothing else; all of it chosen by the seed.
  std::optional<uint64_t> hostile_seed;
  // A host that comes later finds what a reset leaves, and not a bitstream that was loaded again.
  bool loaded_once = false;
  // Accesses after which a host's board is reset within its run; 0: never.
  uint64_t reset_after = 0;
  // Datagrams after which a board on Ethernet loses the lock of its clock for a moment; 0: never.
  uint64_t unlock_after = 0;
  // Accesses after which the function of a host is reset within its run, on F2; 0: never.
  uint64_t flr_after = 0;
};

inline constexpr const char *kBoardOptionsUsage =
    "options:\n"
    "  --hostile-seed=N  two unrelated clocks, and a shell as hostile as a real one may be\n"
    "  --loaded-once     a later host finds the board after a reset, not after a new bitstream\n"
    "  --reset-after=N   the board is reset within a run, after N accesses of its host\n";

// Takes the options away from the front of the arguments: those that all boards have, and those
// that this one has of its `own`. False when there is another one, or one without its value.
bool take_options(int &argc, char **&argv, BoardOptions &options,
                  std::initializer_list<std::string_view> own = {});

}  // namespace firesim
