// SPDX-License-Identifier: BSD-3-Clause
// Calls and returns of RISC-V code, told by the link registers (ra and t0), and where a hart that
// is handed over from one engine to another has come from.
#pragma once

#include <cstdint>

namespace firesim::devices {

// What an instruction does to the call stack once the next one is known.
enum class Transfer : uint8_t { kNone, kCall, kReturn, kReturnAndCall, kTrapEntry, kTrapReturn };

Transfer transfer_of(uint32_t instruction);

// A frame of a call stack without the name of its function; the outermost one comes first.
struct CallFrame {
  uint64_t return_address =
      0;  // where it was called, behind the call; of a trap the interrupted pc
  bool trap = false;
  bool interrupt = false;
  uint64_t cause = 0;
};

}  // namespace firesim::devices
