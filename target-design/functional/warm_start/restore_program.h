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
  std::vector<uint32_t> entry;  // for the base of DRAM
  std::vector<uint8_t> image;   // for kRestoreBase
};

// `entry_content` is what the base of DRAM holds in `state`; the program puts it back. When all is
// done but for the registers of the harts, it writes devices::kRestoreDone to the finisher, with
// what is different about the NIC's features.
RestoreProgram restore_program(const MachineState &state, uint64_t entry_content);

}  // namespace firesim::functional
