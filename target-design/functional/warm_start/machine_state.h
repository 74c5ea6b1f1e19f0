// SPDX-License-Identifier: BSD-3-Clause
// What a warm start carries from a functional blade into RTL: the harts, and the devices as their
// registers read. Everything else must be at rest, or is handed over outside of the target.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "functional/blade/bus.h"
#include "functional/blade/hart_group.h"
#include "functional/devices/carry_over.h"
#include "functional/warm_start/fill_caches.h"

namespace firesim::functional {

struct RegisterValue {
  uint64_t address = 0;
  uint32_t bytes = 4;  // 4 or 8
  uint64_t value = 0;

  bool operator==(const RegisterValue &) const = default;
};

// Of a NIC, beside its registers.
struct NicState {
  uint64_t base = 0;
  uint32_t send_completions = 0;  // not taken
  uint32_t features = 0;          // as its register FEATURES says

  bool operator==(const NicState &) const = default;
};

struct MachineState {
  HartFeatures features;
  std::vector<ArchitecturalState> harts;
  std::vector<RegisterValue> registers;         // in the order in which they are to be written
  std::vector<RegisterValue> receive_requests;  // buffers for packets, in their order
  std::vector<NicState> nics;                   // by port
  uint64_t time_ticks = 0;                      // mtime
  PartSteps parts;                              // of those with models of their own
  std::vector<HeldLines> caches;                // of each hart; empty: they are not filled
};

// The state of a blade in `cycle`, which all harts have reached.
MachineState machine_state(HartGroup &harts, Bus &bus, uint64_t cycle);

// What keeps the blade from being carried over, as in "hart 0 runs in M mode ..."; empty when it
// can be.
std::string obstacle(HartGroup &harts, Bus &bus, uint64_t cycle);

// A register other than x0 that a jump can reach `pc` from, as `jalr x0, pc - x(pc)`; 0 if there is
// none. A hart in M mode is left to itself this way: `mret` would cost it mepc.
uint32_t jump_register(const ArchitecturalState &hart);

}  // namespace firesim::functional
