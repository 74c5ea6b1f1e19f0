// SPDX-License-Identifier: BSD-3-Clause
// The program that puts a machine, fresh out of reset, into a given state by nothing but what
// software can do: docs/explanation/warm-start.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "functional/warm_start/machine_state.h"

namespace firesim::functional {

// Where it lies: memory that no image uses (docs/reference/interfaces/linux.md).
inline constexpr uint64_t kRestoreBase = kRestoreProgramBase;
inline constexpr uint64_t kRestoreBytes = kRestoreProgramBytes;
// At the base of DRAM, where all harts begin, this many bytes are replaced by a jump to it.
inline constexpr uint64_t kEntryBytes = 8;

struct RestoreProgram {
  bool fits = true;             // else the rest is not to be used
  std::vector<uint32_t> entry;  // for the base of DRAM
  std::vector<uint8_t> image;   // for kRestoreBase
  std::vector<uint64_t> table;  // for memory that holds zeros, which the program puts back
};

// Bytes of `table`.
uint64_t table_bytes(const MachineState &state);

// `entry_content` is what the base of DRAM holds in `state`; the program puts it back. When all is
// done but for the registers of the harts, it writes devices::kRestoreDone to the finisher, with
// what is different about the features of NICs. The table lies at `table`, if there is one.
RestoreProgram restore_program(const MachineState &state, uint64_t entry_content,
                               uint64_t table = 0);

}  // namespace firesim::functional
