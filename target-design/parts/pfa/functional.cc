// SPDX-License-Identifier: BSD-3-Clause
// The page-fault accelerator's model for functional nodes: functional/ has it.
#include "functional/devices/part.h"
#include "parts/pfa/functional/pfa_unit.h"

extern "C" firesim::functional::RegisterDevice *firesim_make_part(
    const firesim::functional::PartContext &context) {
  return new firesim::functional::pfa::PfaUnit(context.memory);
}
