// SPDX-License-Identifier: BSD-3-Clause
//
// A small target on a platform whose board is not to be trusted: one input, one output, ten cycles.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "hostlib/platform.h"
#include "simulator/hostile/bench.h"

namespace firesim::hostile {

inline constexpr uint64_t kFarHash = 0x0123456789abcdef;

// The row in which it tells of its last cycle, with a token.
std::vector<uint64_t> far_row();

// Runs it on the platform that is made. No token may go anywhere but into its port.
Verdict taken_target(const std::function<std::unique_ptr<hostlib::HostPlatform>()> &make);

}  // namespace firesim::hostile
