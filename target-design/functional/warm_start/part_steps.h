// SPDX-License-Identifier: BSD-3-Clause
// The part of a restore program that brings parts with models of their own to their state: a table
// in memory of accesses to their registers, and the loop that makes them.
#pragma once

#include <cstdint>
#include <vector>

#include "functional/devices/carry_over.h"
#include "functional/warm_start/encoder.h"

namespace firesim::functional {

// Two words for each step.
std::vector<uint64_t> step_table(const std::vector<PartSteps::Step> &steps);

// Makes the accesses of a table with `steps` of them, one at least, which lies at `address`, and
// leaves zeros there. Changes x6, x7 and x16 to x20.
void follow_steps(Section &section, uint64_t address, size_t steps);

}  // namespace firesim::functional
