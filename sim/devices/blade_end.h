// SPDX-License-Identifier: BSD-3-Clause
// How a blade ends, whatever engine evaluates it: by its finisher (sifive,test0), a failed assert
// or a driver of the user's own.
#pragma once

#include <cstdint>
#include <string>

namespace firesim::devices {

// "No event": later than every cycle.
constexpr uint64_t kNever = UINT64_MAX;

// How a blade ended, shared by all that can end it. The first to ask wins.
struct BladeEnd {
  enum class Kind { kRunning, kFinished, kAssert };
  Kind kind = Kind::kRunning;
  int exit_code = 0;
  uint64_t cycle = 0;
  std::string message;

  bool ended() const { return kind != Kind::kRunning; }
};

// How a write of `value` to the finisher in `cycle` ends a blade: 0x5555 passed, code << 16 |
// 0x3333 failed with that code, 0x7777 asked for a reset (a failure: a blade does not restart).
BladeEnd finisher_end(uint32_t value, uint64_t cycle);

}  // namespace firesim::devices
