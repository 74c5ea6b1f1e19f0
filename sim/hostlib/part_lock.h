// SPDX-License-Identifier: BSD-3-Clause
// Locks a part of a file, so that the blades of an FPGA can each have theirs open.
#pragma once

#include <cstddef>

namespace firesim::hostlib {

// Locks `bytes` of an open file from `first` on until it is closed; false when anybody has some of
// them. The lock is the open file's and not the process', in which another blade may be opened.
bool lock_part(int file, size_t first, size_t bytes);

}  // namespace firesim::hostlib
