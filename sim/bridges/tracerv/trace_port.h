// SPDX-License-Identifier: BSD-3-Clause
// The trace port of one hart, or of one of its lanes: a hart that commits several instructions in a
// cycle has a bridge for each, and the one with the first of them is lane 0.
#pragma once

#include "bridges/driver.h"
#include "traces/commit.h"

namespace firesim::bridges {

class TracePort {
 public:
  TracePort(const BridgePorts &ports, uint32_t lane);
  bool anything() const { return valid_() || exception_(); }
  bool valid() const { return valid_(); }
  uint64_t pc() const { return pc_(); }
  uint32_t instruction() const { return static_cast<uint32_t>(instruction_()); }
  bool is_interrupt() const { return exception_() && interrupt_(); }
  uint32_t lane() const { return lane_; }
  Commit read(uint64_t cycle) const;

 private:
  OutputBit valid_, exception_, interrupt_;
  OutputPort pc_, instruction_, privilege_, cause_, tval_;
  uint32_t lane_;
};

}  // namespace firesim::bridges
