// SPDX-License-Identifier: BSD-3-Clause
// Whether a hart can be in a state that somebody else wrote down.
#pragma once

#include <optional>
#include <string>

#include "hart.h"

namespace firesim::functional {

// What is wrong with the state, "mtvec is 0x3, which no hart can hold"; nothing if a hart with
// these features can be in it. Where it is from, and whether the time in it fits, is for the caller
// to know.
std::optional<std::string> impossible(const ArchitecturalState &state, HartFeatures features = {});

}  // namespace firesim::functional
