// SPDX-License-Identifier: BSD-3-Clause
// Classifies instructions; see call_path.h. As the RISC-V manual recommends to predictors of
// returns.
#include "devices/call_path.h"

namespace firesim::devices {
namespace {

constexpr bool is_link(uint32_t reg) { return reg == 1 || reg == 5; }

}  // namespace

Transfer transfer_of(uint32_t instruction) {
  const uint32_t rd = instruction >> 7 & 31;
  if ((instruction & 3) != 3) {
    // Compressed jumps through a register: c.jr (0x8002) and c.jalr (0x9002), which links ra.
    if ((instruction & 0xe07f) != 0x8002 || rd == 0) return Transfer::kNone;
    if ((instruction & 0x1000) == 0) return is_link(rd) ? Transfer::kReturn : Transfer::kNone;
    return rd == 5 ? Transfer::kReturnAndCall : Transfer::kCall;
  }
  const uint32_t opcode = instruction & 0x7f;
  if (opcode == 0x6f) return is_link(rd) ? Transfer::kCall : Transfer::kNone;
  if (opcode == 0x67) {
    const uint32_t rs1 = instruction >> 15 & 31;
    if (is_link(rd)) {
      return is_link(rs1) && rs1 != rd ? Transfer::kReturnAndCall : Transfer::kCall;
    }
    return is_link(rs1) ? Transfer::kReturn : Transfer::kNone;
  }
  const bool trap_return = instruction == 0x30200073 || instruction == 0x10200073;
  return trap_return ? Transfer::kTrapReturn : Transfer::kNone;
}

}  // namespace firesim::devices
