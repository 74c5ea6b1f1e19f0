// SPDX-License-Identifier: BSD-3-Clause
// Makes of a saved functional blade what an RTL blade goes on from.
#pragma once

#include "devices/warm_start.h"

namespace firesim::functional {

// Reads the blade, lets it run on, without a link, until it can be carried over, and puts the
// restore program into its memory. `parts` are those of the RTL blade as a description of
// functional nodes lists them, null where none has a model of its own. Throws SnapshotError.
devices::WarmStart warm_start(StateReader &state, const devices::WarmStartSource &source,
                              const nlohmann::json &parts);

}  // namespace firesim::functional
