// SPDX-License-Identifier: BSD-3-Clause
// What lies where in a process of Linux: its executable areas with their files, from the kernel's
// own structures. A guest is hostile, and may be changing them: what cannot be is left out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traces/kernel_memory.h"
#include "traces/linux_types.h"

namespace firesim::traces {

struct Mapping {
  uint64_t start;
  uint64_t end;          // exclusive
  uint64_t file_offset;  // of `start`, in bytes
  std::string path;      // from the root of its file system; empty for none
  bool is_vdso;          // the kernel's own code for programs
};

// The executable areas of a mm_struct, in order of address.
std::vector<Mapping> executable_mappings(const KernelMemory &memory, const LinuxTypes &types,
                                         uint64_t mm);

}  // namespace firesim::traces
