// SPDX-License-Identifier: BSD-3-Clause
//
// Tries the switches of a description before anything of the run is built or started.
#pragma once

#include <filesystem>
#include <ostream>

#include "core/registry.h"

namespace firesim {

// Makes each entry of "switches" of the description at `path`, whose "clock_hz" is read, too, and
// lets it go again. Writes one JSON object a line to `out` for each, flushed, so that a library
// that crashes is the one after the last line:
//
//   {"name": "tor0", "kinds": ["spreading"], "error": null, "ports": 4, "cannot_save": null}
//
// "kinds" are those of the entry's library; "error" is why there can be no such switch, with the
// other two null then; "cannot_save" is why there can be no snapshots of it. Throws
// DescriptionError for a description that holds no list of switches.
void check_switches(const std::filesystem::path &path, ModelRegistry &registry, std::ostream &out);

}  // namespace firesim
