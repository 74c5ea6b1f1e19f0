// SPDX-License-Identifier: BSD-3-Clause
// Where captured signals come from: a ring with a row for each of the last cycles, wherever it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hostlib/host_channel.h"

namespace firesim::hostlib {

// A signal within a row.
struct CapturedSignal {
  std::string name;
  uint32_t low_bit;
  uint32_t width_bits;
};

// What a design captures.
struct CaptureLayout {
  static constexpr uint32_t kMostDepthCycles = 1 << 16;

  uint32_t depth_cycles = 0;  // a power of two
  std::vector<CapturedSignal> signals;

  uint32_t width_bits() const;
};

// The first row from cycle `from_cycle` on that is `match` in the bits of `mask`. Without a mask it
// is that cycle.
struct CaptureTrigger {
  static constexpr uint64_t kNever = (uint64_t{1} << 48) - 1;

  uint64_t from_cycle = kNever;
  uint64_t after_cycles = 0;  // what is kept beyond it; less than the depth
  Words mask, match;          // a row each
};

// Cycles are counted from the first one that the ring has seen.
class CaptureSource {
 public:
  struct Progress {
    uint64_t cycles = 0;  // that were taken; the last of them are in the ring
    std::optional<uint64_t> trigger_cycle;
  };

  CaptureSource() = default;
  CaptureSource(const CaptureSource &) = delete;
  CaptureSource &operator=(const CaptureSource &) = delete;
  virtual ~CaptureSource() = default;

  virtual const CaptureLayout &layout() const = 0;
  // Before the first cycle.
  virtual void arm(const CaptureTrigger &trigger) = 0;
  // Takes the present cycle, where the target's signals are in this process.
  virtual void sample() {}
  // Between two cycles.
  virtual Progress progress() = 0;
  // One of the last cycles of those taken, as many as the ring is deep.
  virtual void read(uint64_t cycle, Words &row) = 0;
};

}  // namespace firesim::hostlib
