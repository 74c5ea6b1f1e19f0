// SPDX-License-Identifier: BSD-3-Clause
// Registers and memories of a target that stands, as a copy in this process that is read and
// written by number.
#pragma once

#include <vector>

#include "engine/firesim_engine.h"

namespace firesim::hostlib {

class TargetState {
 public:
  TargetState() = default;
  TargetState(const TargetState &) = delete;
  TargetState &operator=(const TargetState &) = delete;
  virtual ~TargetState() = default;

  // Storage is valid as long as this.
  virtual std::vector<FiresimSignal> signals() = 0;
  // The storage then holds what the target holds, which stays as it is.
  virtual void read() = 0;
  // The target then holds what the storage holds.
  virtual void write() = 0;
};

}  // namespace firesim::hostlib
