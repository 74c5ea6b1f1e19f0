// SPDX-License-Identifier: BSD-3-Clause
// The text of prints and of failed asserts, as Verilator prints it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bridges/manifest.h"
#include "bridges/port.h"

namespace firesim::bridges {

// The text of one argument: `bits` are those of the port of a print, least significant first, and
// `cycle` stands for the target's time.
std::string format_argument(const PrintArgument &argument, const std::vector<uint32_t> &bits,
                            uint64_t cycle);

// The text of all pieces; the storage of `arguments` is null when there are none.
std::string text_of(const std::vector<PrintPiece> &pieces, const FiresimPort &arguments,
                    uint64_t cycle);

}  // namespace firesim::bridges
