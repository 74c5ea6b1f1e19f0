// SPDX-License-Identifier: BSD-3-Clause
// Calls and returns of RISC-V code, told by the link registers (ra and t0), and where a hart that
// is handed over from one engine to another has come from.
#pragma once

#include <cstddef>
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

// Frames of stacks have at least the first two of these fields; the lowest `base` of a stack stay.

// Where a search down a stack of so many frames ends: a return leads no further.
inline size_t search_end(size_t size, size_t base) {
  constexpr size_t kSearchFrames = 64;
  return size > kSearchFrames + base ? size - kSearchFrames : base;
}

// How many frames a return to `pc` leaves: all of them where it fits none down to the latest trap,
// as what was interrupted is not resumed by a return.
template <typename Frames>
size_t left_by_return(const Frames &frames, uint64_t pc, size_t base) {
  for (size_t i = frames.size(), least = search_end(i, base); i > least; --i) {
    if (frames[i - 1].trap) break;
    if (frames[i - 1].return_address == pc) return i - 1;
  }
  return frames.size();
}

// How many frames there are up to the latest trap, with it; `base` without one.
template <typename Frames>
size_t up_to_trap(const Frames &frames, size_t base) {
  size_t i = frames.size();
  while (i > base && !frames[i - 1].trap) --i;
  return i;
}

}  // namespace firesim::devices
