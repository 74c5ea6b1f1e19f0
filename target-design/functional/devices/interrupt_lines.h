// SPDX-License-Identifier: BSD-3-Clause
// What the devices do to the harts: set interrupt lines, hold one up so that something else can
// happen first, or until what it reads is there. Causes: 3 MSIP, 7 MTIP, 11 MEIP, 9 SEIP.
#pragma once

#include <cstdint>

namespace firesim::functional {

inline constexpr uint32_t kMsip = 3, kMtip = 7, kSeip = 9, kMeip = 11;

class InterruptLines {
 public:
  virtual ~InterruptLines() = default;
  virtual void set(uint32_t hart, uint32_t cause, bool level) = 0;
  // The hart, which is making an access, returns after this instruction.
  virtual void stop(uint32_t hart) = 0;
  // The hart, which is making a read, waits and makes it again when it goes on.
  virtual void hold(uint32_t hart) = 0;
  virtual void go_on(uint32_t hart) = 0;
};

}  // namespace firesim::functional
