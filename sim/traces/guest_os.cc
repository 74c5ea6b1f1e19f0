// SPDX-License-Identifier: BSD-3-Clause
// Tasks of a node; see guest_os.h.
#include "traces/guest_os.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace firesim::traces {

bool GuestOs::changes_map(const std::string &name) {
  static constexpr std::array<std::string_view, 7> kNames{
      "mmap", "munmap", "mremap", "mprotect", "execve", "execveat", "remap_file_pages"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

TaskStacks::Record &TaskStacks::of(uint64_t id) {
  // Those that have ended stay until there are too many; one that lives is then begun afresh.
  if (tasks.size() >= kMostTasks && !tasks.contains(id)) tasks.erase(tasks.begin());
  return tasks[id];
}

}  // namespace firesim::traces
