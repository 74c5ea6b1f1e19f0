// SPDX-License-Identifier: BSD-3-Clause
// What a write to the finisher means; see blade_end.h.
#include "devices/blade_end.h"

#include <fmt/format.h>

namespace firesim::devices {

BladeEnd finisher_end(uint32_t value, uint64_t cycle) {
  constexpr auto kFinished = BladeEnd::Kind::kFinished;
  if (value == 0x5555) return {kFinished, 0, cycle, "passed"};
  if ((value & 0xffff) == 0x3333) {
    // A failure is never exit code 0, whatever the program wrote.
    const int code = static_cast<int>(value >> 16);
    return {kFinished, code == 0 ? 1 : code, cycle, fmt::format("failed with code {}", code)};
  }
  if (value == 0x7777) return {kFinished, 1, cycle, "asked for a reset, which ends a blade"};
  return {kFinished, 1, cycle,
          fmt::format("wrote 0x{:x} to the finisher, expected 0x5555, code << 16 | 0x3333 or "
                      "0x7777",
                      value)};
}

}  // namespace firesim::devices
