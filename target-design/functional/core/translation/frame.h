// SPDX-License-Identifier: BSD-3-Clause
// What a hart and its translated code tell each other.
#pragma once

#include <cstdint>

#include "functional/core/block.h"

namespace firesim::functional {

struct Tlb;
struct JumpEntry;

// Why translated code is left. The first four are for an instruction that the interpreter would
// leave a block at: they are the values of Next, but for kLookup.
enum class Left : uint32_t {
  kLookup,  // the block is done, and goes on at Frame::pc
  kLeave,   // as Next: Frame::op and block say where
  kJump,
  kTrap,
  kLink,   // through a jump that leads to no code yet: Frame::slot says through which
  kThrew,  // what was called threw Core::thrown
};

// Where a direct jump of translated code leads. Within a page it always leads there, to another one
// only under the tag (see Core::tag).
struct Slot {
  const void *code;  // of its target; at first, what leaves by kLink
  uint64_t tag;
  const Op *op;
  Block *block;  // which it is in
};

struct Frame {
  // When code is entered, and when it is left; within it these are in registers.
  uint64_t base;  // address of the block
  int64_t remaining;
  const Tlb *tlb;
  // When code is entered.
  uint64_t tag;
  uint64_t privilege;  // that of the tag
  const JumpEntry *jumps;
  // When it is left.
  uint64_t pc;
  const Op *op;
  Block *block;
  Slot *slot;
  // Code that all blocks use, by the one that translates (Emitter::common).
  const void *enter;
  const void *leave;          // with a Left
  const void *leave_by_link;  // with a Slot
  const void *call_helper;    // of an Op
  const void *call_memory;    // for a load or store that the fast path does not do
  const void *look_up;        // goes on in another page of shared code
};

}  // namespace firesim::functional
