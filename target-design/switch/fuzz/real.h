// SPDX-License-Identifier: BSD-3-Clause
//
// Runs a fuzz case through the real scheduler, links and switches, and compares outcomes.
#pragma once

#include <string>

#include "switch/fuzz/reference.h"

namespace firesim::fuzz {

// Throws std::runtime_error if the run does not reach its last cycle.
Outcome simulate_real(const FuzzCase &fuzz_case);

// The first difference in words; empty if there is none.
std::string difference(const Outcome &real, const Outcome &reference);

}  // namespace firesim::fuzz
