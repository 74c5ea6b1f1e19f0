// SPDX-License-Identifier: BSD-3-Clause
// Tasks of a node; see guest_os.h.
#include "traces/guest_os.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace firesim::traces {
namespace {

bool is_among(const std::string &name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

bool GuestOs::changes_map(const std::string &name) {
  return is_among(
      name, {"mmap", "munmap", "mremap", "mprotect", "execve", "execveat", "remap_file_pages"});
}

bool GuestOs::changes_modules(const std::string &name) {
  return is_among(name, {"init_module", "finit_module", "delete_module"});
}

TaskStacks::Record &TaskStacks::of(uint64_t id) {
  // Those that have ended stay until there are too many; one that lives is then begun afresh.
  if (tasks.size() >= kMostTasks && !tasks.contains(id)) tasks.erase(tasks.begin());
  return tasks[id];
}

}  // namespace firesim::traces
