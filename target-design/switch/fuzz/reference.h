// SPDX-License-Identifier: BSD-3-Clause
//
// The slow, obvious model the switch is compared with: everything happens one cycle at a time, a
// link is a line of tokens, a packet is a list of flits. It shares no code with the switch but the
// configuration it reads and the counters it fills in.
#pragma once

#include <vector>

#include "switch/fuzz/fuzz_case.h"
#include "switch/port_statistics.h"

namespace firesim::fuzz {

struct Outcome {
  std::vector<std::vector<TimedFlit>> received;     // per node
  std::vector<std::vector<PortCounters>> counters;  // per switch and port
};

Outcome simulate_reference(const FuzzCase &fuzz_case);

}  // namespace firesim::fuzz
