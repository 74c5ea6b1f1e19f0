// SPDX-License-Identifier: BSD-3-Clause
// Makes of a saved functional blade what an RTL blade goes on from.
#pragma once

#include "devices/warm_start.h"

namespace firesim::functional {

// Reads the blade, lets it run on, without a link, until it can be carried over, and puts the
// restore program into its memory. Throws SnapshotError.
devices::WarmStart warm_start(StateReader &state, const devices::WarmStartSource &source);

}  // namespace firesim::functional
