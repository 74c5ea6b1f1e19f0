// SPDX-License-Identifier: BSD-3-Clause
// Bits of a board's status; see board_status.h.
#include "hostlib/board_status.h"

namespace firesim::hostlib {
namespace {

constexpr uint32_t kMark = 0x4253;
enum Flag : uint32_t {
  kLocked = 1,
  kIsUp = 2,
  kHasDram = 4,
  kDramIsUp = 8,
  kDramIsWrong = 16,
  kLost = 64
};

bool is_status(uint32_t status) { return status >> 16 == kMark; }

}  // namespace

std::string clock_trouble(uint32_t status) {
  if (!is_status(status)) return "";
  if ((status & kLocked) == 0) return "the board's host clock is not locked";
  if ((status & kIsUp) == 0) return "the board holds its host side in reset";
  if ((status & kLost) != 0) {
    return "the board's host clock has lost its lock since the bitstream was loaded, so what it "
           "holds may be wrong: look at its power and clock, and load the bitstream again";
  }
  return "";
}

std::string board_trouble(uint32_t status) {
  if (const std::string clock = clock_trouble(status); !clock.empty()) return clock;
  if (!is_status(status) || (status & kHasDram) == 0) return "";
  if ((status & kDramIsUp) == 0) return "the board's DRAM is not calibrated";
  if ((status & kDramIsWrong) != 0) {
    return "the board's DRAM answered an access with an error, and none has been sent since";
  }
  return "";
}

}  // namespace firesim::hostlib
