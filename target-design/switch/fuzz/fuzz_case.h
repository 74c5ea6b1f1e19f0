// SPDX-License-Identifier: BSD-3-Clause
//
// One random case of the switch fuzzer: a tree of switches with nodes on the free ports, and what
// every node sends in which cycle. Everything follows from the seed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/batch.h"
#include "switch/switch_config.h"

namespace firesim::fuzz {

struct TimedFlit {
  uint64_t cycle = 0;
  Flit flit;

  bool operator==(const TimedFlit &) const = default;
};

// Models are numbered: switches first, then nodes.
struct CaseLink {
  size_t model_a = 0;
  uint32_t port_a = 0;
  size_t model_b = 0;
  uint32_t port_b = 0;
  uint32_t latency_cycles = 1;
};

struct CaseSwitch {
  SwitchConfig config;
  bool cut_through = false;
};

struct FuzzCase {
  uint64_t seed = 0;
  uint64_t cycles = 0;
  std::vector<CaseSwitch> switches;
  std::vector<std::vector<TimedFlit>> traffic;  // per node, in order of cycle
  std::vector<CaseLink> links;

  // How the real scheduler is to run it; must not matter.
  uint32_t threads = 1;
  uint32_t batch_cycles = 0;
  uint64_t random_batch_seed = 0;
};

FuzzCase make_case(uint64_t seed);

}  // namespace firesim::fuzz
