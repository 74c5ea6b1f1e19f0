// SPDX-License-Identifier: BSD-3-Clause
// Where a kernel's structures have their fields, and the names of its system calls: a file made
// beside the kernel (firesim_software/linux/kernel_types.py).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace firesim::traces {

// The lowest address of a kernel; programs are below.
constexpr uint64_t kKernel = uint64_t{1} << 63;

// Whether a word can be the address of one of the kernel's structures.
inline bool is_pointer(uint64_t word) { return word % 8 == 0 && word >= kKernel; }

// Of a kernel that can load modules. Offsets are in bytes.
struct ModuleTypes {
  uint64_t head;  // address of the list of all
  uint32_t list, state, name, core, init, symbols;
  uint32_t layout_base, layout_text;          // of `core` and `init`: address, and bytes of code
  uint32_t table, table_count, names, kinds;  // of a module's symbols
  uint32_t name_bytes;                        // of a module's name
  uint64_t unformed;                          // state of one that is being put in place
};

struct LinuxTypes {
  // Offsets in bytes.
  uint32_t task_comm, task_pid, task_tgid, task_mm, task_vfork_done;
  uint32_t mm_root, mm_vdso;
  uint32_t area_start, area_end, area_page, area_flags, area_file;
  uint32_t file_dentry, dentry_parent, dentry_name, dentry_length;
  // Nodes of maple trees: pivots and slots of leaves and most others, and of those with gaps.
  uint32_t range_pivot, range_slot, range_slots, gap_pivot, gap_slot, gap_slots;
  uint32_t comm_bytes;  // of a task's name
  uint64_t executable;  // flag of an area
  std::optional<ModuleTypes> modules;
  std::map<uint64_t, std::string> system_calls;  // by number

  // Throws ConfigError, starting with `where`.
  static LinuxTypes read(const std::filesystem::path &file, const std::string &where);
};

}  // namespace firesim::traces
