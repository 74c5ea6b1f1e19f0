// SPDX-License-Identifier: BSD-3-Clause
// Where a kernel's structures have their fields, and the names of its system calls: a file made
// beside the kernel (firesim_software/linux/kernel_types.py).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace firesim::traces {

// The lowest address of a kernel; programs are below.
constexpr uint64_t kKernel = uint64_t{1} << 63;

struct LinuxTypes {
  // Offsets in bytes.
  uint32_t task_comm, task_pid, task_tgid, task_mm, task_vfork_done;
  uint32_t mm_root, mm_vdso;
  uint32_t area_start, area_end, area_page, area_flags, area_file;
  uint32_t file_dentry, dentry_parent, dentry_name, dentry_length;
  // Nodes of maple trees: pivots and slots of leaves and most others, and of those with gaps.
  uint32_t range_pivot, range_slot, range_slots, gap_pivot, gap_slot, gap_slots;
  uint32_t comm_bytes;                           // of a task's name
  uint64_t executable;                           // flag of an area
  std::map<uint64_t, std::string> system_calls;  // by number

  // Throws ConfigError, starting with `where`.
  static LinuxTypes read(const std::filesystem::path &file, const std::string &where);
};

}  // namespace firesim::traces
