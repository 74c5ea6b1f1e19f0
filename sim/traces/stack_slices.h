// SPDX-License-Identifier: BSD-3-Clause
// The call stacks of a hart over time: each traced cycle is in the slice of one stack.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "devices/event_file.h"
#include "traces/call_stacks.h"

namespace firesim::traces {

class StackSlices {
 public:
  // `stacks` outlives this. Throws std::runtime_error when the host cannot write the file.
  StackSlices(const CallStacks &stacks, const std::filesystem::path &file, uint64_t most_bytes)
      : stacks_(stacks), file_(file, most_bytes) {}

  // The cycles begin <= cycle < end were spent in the stack `node`.
  void add(uint32_t node, uint64_t begin, uint64_t end) {
    if (node == node_ && begin == end_) {
      end_ = end;
      return;
    }
    write();
    node_ = node;
    begin_ = begin;
    end_ = end;
  }
  void finish();

 private:
  void write();
  uint32_t name_of(uint32_t node);

  const CallStacks &stacks_;
  devices::EventFile file_;
  std::vector<uint32_t> names_;  // in the file, by node; kNone for one that is not there yet
  uint32_t node_ = 0;
  uint64_t begin_ = 0, end_ = 0;  // of the slice that may become longer
};

}  // namespace firesim::traces
