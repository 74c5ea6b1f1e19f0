// SPDX-License-Identifier: BSD-3-Clause
// Follows the calls of a hart in M mode, so that a warm start can say from where it has come. Code
// at lower privileges has several stacks and is not followed.
#pragma once

#include <vector>

#include "core/state.h"
#include "devices/call_path.h"
#include "functional/core/hart.h"

namespace firesim::functional {

class CallPath final : public RetireObserver {
 public:
  void retired(const Retired &event) override;
  bool uses_floats() const override { return false; }
  const std::vector<devices::CallFrame> &frames() const { return frames_; }

  void save(StateWriter &state) const;
  void load(StateReader &state);

 private:
  void push(const devices::CallFrame &frame);
  void pop_return(uint64_t pc);
  void pop_trap();
  void arrive(uint64_t pc);

  // The outermost is where the hart began.
  std::vector<devices::CallFrame> frames_{devices::CallFrame{}};
  uint64_t beyond_ = 0;                                    // calls not pushed, the stack being full
  devices::Transfer transfer_ = devices::Transfer::kNone;  // a return whose target is not known yet
};

}  // namespace firesim::functional
