// SPDX-License-Identifier: BSD-3-Clause
// One event on the trace port: an instruction that committed, or a trap that was taken instead.
#pragma once

#include <cstdint>

namespace firesim::traces {

constexpr uint64_t kLongestInstruction = 4;  // in bytes

struct Commit {
  uint64_t cycle = 0;
  uint64_t pc = 0;
  uint64_t cause = 0;  // of a trap, without the interrupt bit
  uint64_t tval = 0;
  uint32_t instruction = 0;
  uint8_t privilege = 3;  // 0 user, 1 supervisor, 3 machine
  bool trap = false;
  bool interrupt = false;

  // Bytes of the instruction: 2 when compressed.
  uint32_t length() const { return (instruction & 3) == 3 ? 4 : 2; }
};

}  // namespace firesim::traces
