// SPDX-License-Identifier: BSD-3-Clause
// Telling a FlowObserver where instructions lead. The interpreter calls this from Ops that only
// blocks of such a hart have, and from traps.
#include "core.h"

namespace firesim::functional {
namespace {

// How many instructions of a block begin in its first `bytes` bytes.
uint32_t instructions_within(const Block &block, uint64_t bytes) {
  uint32_t found = 0;
  for (uint32_t i = 0; found < block.instructions; ++i) {
    if (i > 0 && block.offsets[i] == block.offsets[i - 1]) continue;
    if (block.offsets[i] >= bytes) break;
    ++found;
  }
  return found;
}

}  // namespace

void Core::set_flow(FlowObserver *to) {
  if (flow == to) return;
  flow = to;
  quiet = {};
  last_trap.told = true;
  drop_code();
}

// What is calculated there leaves no trace in our floating-point flags.
template <typename Tell>
void Core::tell(Tell tell) {
  const uint64_t now = cycle_now();
  end_host_float();
  quiet = tell(now, now == run_begin_);
  begin_host_float();
}

Block *Core::tell_arrival(Block *block, uint64_t at) {
  if (at < quiet.low || at >= quiet.high) {
    tell([&](uint64_t now, bool is_first) {
      return flow->arrives({now, at, 0, privilege, false, false, 0, 0}, is_first);
    });
  }
  if (at < quiet.low || at >= quiet.high || quiet.high - at >= block->bytes) return block;
  const uint32_t within = instructions_within(*block, quiet.high - at);
  if (within == block->instructions) return block;
  Block *first = find_block(at, within);
  return first == nullptr ? block : first;
}

void Core::tell_jump(uint64_t at, uint32_t instruction) {
  tell([&](uint64_t now, bool is_first) {
    return flow->happened({now, at, instruction, privilege, false, false, 0, 0}, is_first);
  });
}

void Core::tell_trap() {
  if (last_trap.told) return;
  last_trap.told = true;
  const bool interrupt = (last_trap.cause & cause::kInterrupt) != 0;
  tell([&](uint64_t now, bool is_first) {
    return flow->happened({now, last_trap.at, 0, last_trap.privilege, true, interrupt,
                           last_trap.cause & ~cause::kInterrupt, last_trap.tval},
                          is_first);
  });
}

}  // namespace firesim::functional
