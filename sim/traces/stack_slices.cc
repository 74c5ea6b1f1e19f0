// SPDX-License-Identifier: BSD-3-Clause
// Slices of call stacks; see stack_slices.h.
#include "traces/stack_slices.h"

namespace firesim::traces {

using devices::EventFile;

// Frames below come first, since a name tells its parent.
uint32_t StackSlices::name_of(uint32_t node) {
  if (names_.size() <= node) names_.resize(node + 1, EventFile::kNone);
  if (names_[node] != EventFile::kNone) return names_[node];
  std::vector<uint32_t> missing{node};
  while (missing.back() != 0 && names_[stacks_.tree().parent(missing.back())] == EventFile::kNone) {
    missing.push_back(stacks_.tree().parent(missing.back()));
  }
  for (; !missing.empty(); missing.pop_back()) {
    const uint32_t next = missing.back();
    const uint32_t parent = next == 0 ? EventFile::kNone : names_[stacks_.tree().parent(next)];
    names_[next] = file_.name(parent, stacks_.function_name(next));
    if (names_[next] == EventFile::kNone) return EventFile::kNone;
  }
  return names_[node];
}

void StackSlices::write() {
  if (begin_ == end_) return;
  file_.slice(name_of(node_), begin_, end_);
  begin_ = end_;
}

void StackSlices::finish() {
  write();
  file_.finish();
}

}  // namespace firesim::traces
