// SPDX-License-Identifier: BSD-3-Clause
// The interpreter's loop: threaded code, one handler for each kind of Op. The handlers of integer
// arithmetic and of loads and stores are in execute_int.inc and execute_memory.inc; everything that
// is rare is a helper function, called by one handler.
//
// Time is kept in slots, one for each instruction: a block takes all of its slots when it is
// entered and gives back the rest (Op::rest) where it is left early.
#include <cstring>
#include <exception>
#include <utility>

#include "block_builder.h"
#include "code_store.h"
#include "core.h"

namespace firesim::functional {
namespace {

constexpr uint64_t kBox = 0xffff'ffff'0000'0000;

const void *const *g_handlers[kLoops] = {};

// Instructions as an observer of the flow is told of them: offsets are left out.
uint32_t jump_and_link(uint32_t rd) { return 0x6f | rd << 7; }

uint32_t jump_through(const Op &op, uint64_t bytes) {
  const uint32_t rd = op.rd == kZeroSink ? 0 : op.rd;
  if (bytes == 2) return (rd == 0 ? 0x8002 : 0x9002) | uint32_t{op.rs1} << 7;
  return 0x67 | rd << 7 | uint32_t{op.rs1} << 15;
}

uint32_t trap_return(const Op &op) {
  constexpr uint32_t kMret = 0x3020'0073, kSret = 0x1020'0073;
  const auto helper = static_cast<uint32_t>(op.immediate) >> kHelperShift;
  return helper + kFirstHelper == static_cast<uint32_t>(Opcode::mret) ? kMret : kSret;
}

}  // namespace

// Which part makes the helper of an instruction.
static Helper helper(Opcode opcode) {
  if (opcode < Opcode::csrrw) return system_helper(opcode);
  if (opcode < Opcode::lr_w) return csr_helper(opcode);
  if (opcode < Opcode::fmadd_s) return atomic_helper(opcode);
  return float_helper(opcode);
}

Helper Core::helper_of(const Op &op) { return kHelpers[op.immediate >> kHelperShift]; }

#define FIRESIM_HELPER(name) helper(Opcode::name),
const Helper Core::kHelpers[] = {FIRESIM_HELPER_OPS(FIRESIM_HELPER)};
#undef FIRESIM_HELPER

const void *Core::handler(Opcode opcode, Loop loop) {
  const void *const *&handlers = g_handlers[static_cast<size_t>(loop)];
  if (handlers == nullptr) {
    constexpr int64_t (*kExecute[kLoops])(Core *, int64_t, const void *const **) = {
        execute<Loop::kPlain>, execute<Loop::kTold>, execute<Loop::kCached>};
    kExecute[static_cast<size_t>(loop)](nullptr, 0, &handlers);
  }
  return handlers[static_cast<uint16_t>(opcode)];
}

// The dispatch is repeated in every handler: each then has its own history in the branch predictor.
#define NEXT()          \
  do {                  \
    ++op;               \
    goto * op->handler; \
  } while (false)

// `base` is where it lies.
#define ENTER(target)                               \
  do {                                              \
    block = (target);                               \
    remaining -= block->instructions;               \
    if (remaining < 0) [[unlikely]]                 \
      goto too_long;                                \
    if (kTranslates && is_hot(*block)) [[unlikely]] \
      goto hot;                                     \
    op = block->ops;                                \
    goto * op->handler;                             \
  } while (false)

// Leaves the block for the place the Link behind this Op leads to.
#define FOLLOW()                                               \
  do {                                                         \
    remaining += op->rest;                                     \
    const Link *link = reinterpret_cast<const Link *>(op + 1); \
    const uint64_t under = link_tag(*link);                    \
    if (under != tag && under != kAnyTag) [[unlikely]]         \
      goto relink;                                             \
    base += static_cast<int64_t>(op->immediate);               \
    ENTER(link_target(*link));                                 \
  } while (false)

#define BRANCH(name, type, comparison)                                            \
  op_##name : {                                                                   \
    if (static_cast<type>(x[op->rs1]) comparison static_cast<type>(x[op->rs2])) { \
      FOLLOW();                                                                   \
    }                                                                             \
    op += 2;                                                                      \
    goto * op->handler;                                                           \
  }

template <Loop kLoop>
int64_t Core::execute(Core *core, int64_t slots, const void *const **handlers) {
#define FIRESIM_LABEL(name) &&op_##name,
  static const void *const kLabels[] = {FIRESIM_INLINE_OPS(FIRESIM_LABEL)};
#undef FIRESIM_LABEL
  if (handlers != nullptr) {
    *handlers = kLabels;
    return 0;
  }
  constexpr bool kTold = kLoop == Loop::kTold, kCached = kLoop == Loop::kCached;
  constexpr bool kTranslates = kLoop == Loop::kPlain;
  L1Caches *const l1 = kCached ? core->l1 : nullptr;
  const uint64_t dram_data = reinterpret_cast<uint64_t>(core->dram.data);
  uint64_t *const x = core->x.data();
  uint64_t *const f = core->f.data();
  TlbEntry *loads = nullptr, *stores = nullptr;
  Block *block = nullptr;
  Op *op = nullptr;
  uint64_t tag = 0, base = 0, pc = core->pc;
  int64_t remaining = slots;

resync:
  if (remaining <= 0 || core->stop_requested || core->waiting) goto out;
  core->leave_requested = false;
  core->pc = pc;
  core->slots_left = remaining;
  core->take_interrupts();
  if constexpr (kTold) core->tell_trap();
  pc = core->pc;
  tag = core->tag;
  loads = core->tlb->load.data();
  stores = core->tlb->store.data();

lookup : {
  base = pc;
  const CodeEntry &code = core->code_tlb[pc / kPageBytes % kCodeEntries];
  if (code.tag == ((pc & ~(kPageBytes - 1)) | (tag & 3))) {
    if (Block *found = code.page->find(pc % kPageBytes)) ENTER(found);
  }
  JumpEntry &entry = core->jump_cache[pc / 2 % kJumpEntries];
  if (entry.pc == pc && entry.tag == tag) [[likely]]
    ENTER(entry.block);
  if (remaining <= 0) goto out;
  core->slots_left = remaining;
  Block *found = core->find_block(pc, remaining);
  if (found == nullptr) goto fetch_trap;
  if (found->cached) entry = {pc, tag, found};
  ENTER(found);
}

relink : {
  pc = base + static_cast<int64_t>(op->immediate);
  if (remaining <= 0) goto out;
  if (block->page != nullptr) {
    Block *next = (pc ^ base) < kPageBytes ? block->page->find(pc % kPageBytes) : nullptr;
    if (next == nullptr) goto lookup;
    set_shared_link(*reinterpret_cast<Link *>(op + 1), next);
    base = pc;
    ENTER(next);
  }
  core->slots_left = remaining;
  const uint64_t generation = core->blocks_.generation();
  Block *found = core->find_block(pc, remaining);
  if (found == nullptr) goto fetch_trap;
  if (found->cached && block->cached && generation == core->blocks_.generation()) {
    *reinterpret_cast<Link *>(op + 1) = {found, tag};
  }
  base = pc;
  ENTER(found);
}

hot:
  // From here on, the host's code: until what comes next has none, or one of the ways below.
  remaining += block->instructions;
  if (!core->has_code(*block)) {
    pc = base;
    goto lookup;
  }
  switch (const Left left = core->run_code(*block, base, remaining, tag);
          remaining = core->frame.remaining, base = core->frame.base, left) {
    case Left::kLookup:
      pc = core->frame.pc;
      goto lookup;
    case Left::kLink:
      op = const_cast<Op *>(core->frame.slot->op);
      block = core->frame.slot->block;
      base -= static_cast<int64_t>(op->immediate);
      goto link_code;
    case Left::kThrew:
      std::rethrow_exception(std::exchange(core->thrown, nullptr));
    default:
      op = const_cast<Op *>(core->frame.op);
      block = core->frame.block;
      if (left == Left::kTrap) goto trap;
      if (left == Left::kLeave) goto leave_block;
      remaining += op->rest;
      pc = core->pc;
      goto resync;
  }

link_code : {
  const Link *link = reinterpret_cast<const Link *>(op + 1);
  const uint64_t under = link_tag(*link);
  if (under != tag && under != kAnyTag) goto relink;
  Block *target = link_target(*link);
  core->link_code(*core->frame.slot, *target, base);
  base += static_cast<int64_t>(op->immediate);
  ENTER(target);
}

too_long:
  remaining += block->instructions;
  pc = base;
  if (remaining <= 0) goto out;
  core->slots_left = remaining;
  block = core->find_block(pc, remaining);
  if (block == nullptr) goto fetch_trap;
  ENTER(block);

fetch_trap:
  if constexpr (kTold) core->tell_trap();
  --remaining;
  pc = core->pc;
  goto resync;

trap:
  remaining += op->rest;
  pc = base + block->offsets[op - block->ops];
  if (core->cause == cause::kIllegal) {
    core->tval = core->instruction_at(pc);
    core->cause = cause::kIllegal;
  }
  core->take_trap(pc, core->cause, core->tval);
  if constexpr (kTold) {
    core->slots_left = remaining + 1;
    core->tell_trap();
  }
  pc = core->pc;
  goto resync;

leave_block:
  remaining += op->rest;
  pc = base + block->offsets[op + 1 - block->ops];
  goto resync;

out:
  core->pc = pc;
  core->slots_left = remaining;
  return remaining;

op_call_helper:
  core->slots_left = remaining + op->rest + 1;
  switch (helper_of(*op)(*core, *op)) {
    case Next::kContinue:
      NEXT();
    case Next::kLeave:
      goto leave_block;
    case Next::kTrap:
      goto trap;
    default:
      if constexpr (kTold) {
        core->tell_jump(base + block->offsets[op - block->ops], trap_return(*op));
      }
      remaining += op->rest;
      pc = core->pc;
      goto resync;
  }

op_jalr : {
  pc = (x[op->rs1] + static_cast<int64_t>(op->immediate)) & ~uint64_t{1};
  x[op->rd] = base + block->bytes;
  goto lookup;
}

op_jump:
op_fall:
  FOLLOW();

  BRANCH(beq, uint64_t, ==)
  BRANCH(bne, uint64_t, !=)
  BRANCH(blt, int64_t, <)
  BRANCH(bge, int64_t, >=)
  BRANCH(bltu, uint64_t, <)
  BRANCH(bgeu, uint64_t, >=)

op_jal:  // the builder makes link and jump of it
  goto trap;

#include "execute_int.inc"
#include "execute_memory.inc"

// The hart goes on in a line of code.
op_fetched:
  if constexpr (kCached) core->fetch_line(*block, op->immediate);
  NEXT();

// Ops of blocks that tell. Of a block, so much is run as need not be told.
op_arrive:
  if constexpr (kTold) {
    if (base < core->quiet.low || base + block->bytes > core->quiet.high) [[unlikely]] {
      const uint32_t whole = block->instructions;
      core->slots_left = remaining + whole;
      Block *within = core->tell_arrival(block, base);
      if (within != block || within->instructions != whole) {
        remaining += whole;
        ENTER(within);
      }
    }
    NEXT();
  }

op_told_link:
  if constexpr (kTold) {
    x[op->rd] = base + static_cast<int64_t>(op->immediate);
    core->slots_left = remaining + op->rest + 1;
    core->tell_jump(base + block->offsets[op - block->ops], jump_and_link(op->rd));
    NEXT();
  }

op_told_jalr:
  if constexpr (kTold) {
    pc = (x[op->rs1] + static_cast<int64_t>(op->immediate)) & ~uint64_t{1};
    x[op->rd] = base + block->bytes;
    core->slots_left = remaining + op->rest + 1;
    const uint64_t at = block->offsets[op - block->ops];
    core->tell_jump(base + at, jump_through(*op, block->bytes - at));
    goto lookup;
  }
  goto trap;  // no other block has them
}

template int64_t Core::execute<Loop::kPlain>(Core *, int64_t, const void *const **);
template int64_t Core::execute<Loop::kTold>(Core *, int64_t, const void *const **);
template int64_t Core::execute<Loop::kCached>(Core *, int64_t, const void *const **);

}  // namespace firesim::functional
