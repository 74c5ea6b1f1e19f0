// SPDX-License-Identifier: BSD-3-Clause
// The trace port of a hart; see trace_port.h.
#include "bridges/tracerv/trace_port.h"

namespace firesim::bridges {

TracePort::TracePort(const BridgePorts &ports, uint32_t lane)
    : valid_(ports.output("valid")),
      exception_(ports.output("exception")),
      interrupt_(ports.output("interrupt")),
      pc_(ports.output("pc", 64)),
      instruction_(ports.output("instruction", 32)),
      privilege_(ports.output("privilege", 3)),
      cause_(ports.output("cause", 64)),
      tval_(ports.output("tval", 64)),
      lane_(lane) {}

Commit TracePort::read(uint64_t cycle) const {
  Commit commit;
  commit.cycle = cycle;
  commit.pc = pc_();
  commit.instruction = instruction();
  commit.privilege = static_cast<uint8_t>(privilege_() & 3);
  commit.trap = !valid_();
  if (commit.trap) {
    commit.interrupt = interrupt_();
    commit.cause = cause_() & (UINT64_MAX >> 1);
    commit.tval = tval_();
  }
  return commit;
}

}  // namespace firesim::bridges
