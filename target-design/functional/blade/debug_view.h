// SPDX-License-Identifier: BSD-3-Clause
// What a debugger sees of a functional blade.
//
// Its position is twice the number of instructions that its harts have begun together, and one more
// where an interrupt has been taken since the last of them: it is known without looking at each
// step, so that a run is as fast as any until the debugger wants to know of steps.
#pragma once

#include <map>
#include <span>
#include <string>

#include "core/debug_target.h"
#include "devices/guest_memory.h"
#include "functional/blade/hart_group.h"

namespace firesim::functional {

class DebugView final : public DebugTarget, public RetireObserver {
 public:
  // All outlive it; the harts may be made anew.
  DebugView(HartGroup &harts, devices::GuestMemory &memory, uint32_t cycles_per_instruction);

  uint32_t hart_count() const override { return harts_.size(); }
  DebugPosition position() const override { return position_; }
  std::map<std::string, uint64_t> registers(uint32_t hart) const override;
  uint64_t register_value(uint32_t hart, const std::string &name) const override;
  bool read(uint64_t physical, std::span<uint8_t> bytes) const override;
  void listen(StepListener &listener) override { listener_ = &listener; }

  // Before a hart runs in cycles [from, until): until where it is to run at once. From there on its
  // steps are told, or before it none is.
  uint64_t begin_run(uint32_t hart, uint64_t from, uint64_t until);
  // No hart runs; the blade has reached `cycle`.
  void between(uint64_t cycle);
  void retired(const Retired &event) override;

 private:
  DebugPosition between_runs() const { return 2 * harts_.instructions(); }

  HartGroup &harts_;
  devices::GuestMemory &memory_;
  const uint32_t cycles_per_instruction_;
  StepListener *listener_ = nullptr;
  uint32_t running_ = 0;
  DebugPosition position_ = 0;
};

}  // namespace firesim::functional
