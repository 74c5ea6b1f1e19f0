// SPDX-License-Identifier: BSD-3-Clause
// What the top of a board says of itself (rtl/firesim_board_status.v), in words: its host clock,
// its reset and its DRAM. On PCIe it answers while nothing behind it does.
#pragma once

#include <cstdint>
#include <string>

namespace firesim::hostlib {

inline constexpr uint32_t kBoardStatus = 0x200;  // address beside the registers of a blade

// Why nothing behind the top can answer; empty: it can, or the board has no such register.
std::string clock_trouble(uint32_t status);
// Why the target may stand still, with that of above; empty: the board knows of nothing.
std::string board_trouble(uint32_t status);

}  // namespace firesim::hostlib
