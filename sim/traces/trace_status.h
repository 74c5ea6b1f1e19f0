// SPDX-License-Identifier: BSD-3-Clause
// What the traces of a blade's harts share, and what they look at elsewhere in the blade.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

namespace firesim::traces {

class HartTrace;

struct TraceStatus {
  std::map<uint32_t, std::shared_ptr<HartTrace>> hart_traces;  // by hart
  bool window_open = false;                                    // that of the counters
  uint64_t toggles = 0;  // of all wires whose activity counts, so far
};

}  // namespace firesim::traces
