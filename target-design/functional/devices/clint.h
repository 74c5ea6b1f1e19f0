// SPDX-License-Identifier: BSD-3-Clause
// The CLINT: software interrupts, the timer of each hart, and the time, which counts every 100th
// target cycle after reset. Registers as in Rocket: any byte can be written alone, what is not a
// register reads as 0.
#pragma once

#include <cstdint>
#include <vector>

#include "functional/devices/interrupt_lines.h"
#include "functional/devices/register_device.h"

namespace firesim::functional {

inline constexpr uint64_t kCyclesPerTick = 100;
// Target cycles during which the blade is held in reset, from cycle 0.
inline constexpr uint64_t kResetCycles = 16;

class Clint {
 public:
  Clint(uint32_t harts, InterruptLines &lines);

  uint64_t read(uint32_t offset, uint32_t bytes, uint64_t cycle) const;
  void write(uint32_t offset, uint32_t bytes, uint64_t value, uint64_t cycle);

  // Sets the timer line of a hart to its level in `cycle`.
  void update(uint32_t hart, uint64_t cycle);
  // The cycle in which the timer line of a hart rises; kNever if it is high, or does not.
  uint64_t next_timer(uint32_t hart) const;
  // Plans the timer of a hart anew, after `load`. The lines are as they were saved: one rises when
  // its hart comes to `update`, which may be later than the cycle it is due in.
  void loaded(uint32_t hart, uint64_t cycle);

  void save(StateWriter &state) const;
  void load(StateReader &state);

 private:
  struct HartState {
    bool software = false;
    bool timer_line = false;
    uint64_t compare = 0;
    uint64_t timer_cycle = 0;  // in which the time reaches `compare`
  };

  uint64_t time(uint64_t cycle) const;
  void plan_timer(HartState &hart, uint64_t cycle) const;
  uint64_t word(uint32_t offset, uint64_t cycle) const;

  InterruptLines *lines_;
  std::vector<HartState> harts_;
  uint64_t time_offset_ = 0;  // time less the ticks since reset, modulo 2^64
};

}  // namespace firesim::functional
