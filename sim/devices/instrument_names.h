// SPDX-License-Identifier: BSD-3-Clause
// Sections of a node's settings that are not of a bridge: what looks into a blade in RTL.
#pragma once

#include <array>

namespace firesim::devices {

inline constexpr std::array kInstruments{"activity", "assert",  "autocounter", "capture",
                                         "prints",   "signals", "waves"};

}  // namespace firesim::devices
