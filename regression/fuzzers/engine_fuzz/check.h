// SPDX-License-Identifier: BSD-3-Clause
//
// A batch of generated netlists as check.cc sees them: tables of ports, and three functions each.

#pragma once

#include <cstddef>

#include "firesim_engine.h"
#include "runtime.h"

struct Netlist {
  const char *name;
  size_t state_bytes;
  const model::PortEntry *ports;
  size_t port_count;
  void (*initialize)(void *state);
  void (*cycle)(void *state);
};

extern const Netlist kNetlists[];
extern const size_t kNetlistCount;

// The table entry of the netlist whose code is in namespace model::name.
#define FUZZ_NETLIST(name)                                                              \
  {                                                                                     \
#name, sizeof(model::name::State), model::name::kPorts,                               \
        sizeof model::name::kPorts / sizeof(model::PortEntry),                            \
        [](void *state) { model::name::initialize(*static_cast<model::name::State *>(state)); }, \
        [](void *state) { model::name::cycle(*static_cast<model::name::State *>(state)); } \
  }
