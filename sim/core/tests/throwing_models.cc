// SPDX-License-Identifier: BSD-3-Clause
//
// A library of models that fails in its middle, as often as FIRESIM_TEST_LUCK says so.
#include <cstdlib>
#include <stdexcept>

#include "core/registry.h"
#include "core/traffic.h"

FIRESIM_MODELS(registry) {
  registry.add(firesim::ModelRole::kNode, "first", firesim::make_traffic_blade);
  const char *luck = std::getenv("FIRESIM_TEST_LUCK");
  if (luck != nullptr && luck[0] == 'n') throw std::runtime_error("no luck");
  if (luck != nullptr && luck[0] == 'i') throw 13;
  registry.add(firesim::ModelRole::kNode, "second", firesim::make_traffic_blade);
}
