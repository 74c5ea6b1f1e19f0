// SPDX-License-Identifier: BSD-3-Clause
// The HyperLogLog unit's model for functional nodes: functional/ has it.
#include "functional/devices/part.h"
#include "parts/hll/functional/hll_unit.h"

extern "C" firesim::functional::RegisterDevice *firesim_make_part(
    const firesim::functional::PartContext &context) {
  return new firesim::functional::hll::HllUnit(
      {.lanes = static_cast<uint32_t>(context.options.at("lanes")),
       .port = static_cast<uint16_t>(context.options.at("port"))});
}
