// SPDX-License-Identifier: BSD-3-Clause
// The wires that a model built for waves shows, by hierarchical name, each value once.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bridges/model_library.h"
#include "bridges/port.h"

namespace firesim::bridges {

using WirePath = std::vector<std::string>;  // the parts of a hierarchical name

// A value inside a model.
struct ShownWire {
  uint32_t width_bits = 0;
  std::vector<OutputPort> words;  // of 64 bits, the lowest first
};

struct ShownWires {
  std::vector<ShownWire> wires;                    // in the order of their first names
  std::vector<std::pair<WirePath, size_t>> names;  // all, in their order, with their wires
};

// Those below `scopes` (modules or signals by hierarchical name; none = all). Throws ConfigError,
// starting with `where`, when the model shows no wires, or has no scope or signal of a name.
ShownWires shown_wires(const ModelInstance &model, const std::vector<std::string> &scopes,
                       const std::string &where);

}  // namespace firesim::bridges
