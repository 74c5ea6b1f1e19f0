// SPDX-License-Identifier: BSD-3-Clause
// A block's code for x86-64: its budget, its instructions in order, jumps, and the ways out.
#include "x86_emitter.h"

#include <xbyak/xbyak_util.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "functional/core/block_builder.h"
#include "functional/core/code_store.h"
#include "functional/core/core.h"

namespace firesim::functional {
namespace {

bool jumps_by_link(Opcode opcode) {
  return (opcode >= Opcode::beq && opcode <= Opcode::bgeu) || opcode == Opcode::jump ||
         opcode == Opcode::fall;
}

bool ends_block(const Op &op, Opcode opcode) {
  using enum Opcode;
  if (opcode == jump || opcode == fall || opcode == jalr) return true;
  if (opcode != call_helper) return false;
  const Opcode called = helper_opcode(op);
  return called == illegal || called == ecall || called == ebreak || called == mret ||
         called == sret;
}

}  // namespace

std::unique_ptr<Emitter> Emitter::make(const Layout &layout) {
  return std::make_unique<X86Emitter>(layout);
}

X86Emitter::X86Emitter(const Layout &layout)
    : CodeGenerator(sizeof buffer, buffer.data()),
      layout_(layout),
      has_fused_(Xbyak::util::Cpu().has(Xbyak::util::Cpu::tFMA)),
      pinned_{r14, r15, rsi, rdi, r8, r9, r10, r11} {
  const auto handler = [](uint16_t i) {
    return static_cast<const std::byte *>(Core::handler(static_cast<Opcode>(i), Loop::kPlain));
  };
  const std::byte *last = first_handler_ = handler(0);
  for (uint16_t i = 1; i < kFirstHelper; ++i) {
    first_handler_ = std::min(first_handler_, handler(i));
    last = std::max(last, handler(i));
  }
  opcodes_.resize(static_cast<size_t>(last - first_handler_) + 1);
  // Ops that the compiler gives one handler do the same: the first one stands for them.
  for (uint16_t i = kFirstHelper; i-- > 0;) {
    opcodes_[static_cast<size_t>(handler(i) - first_handler_)] = static_cast<Opcode>(i);
  }
}

Emitter::Made X86Emitter::block(Block &block, bool shared) {
  rare_.clear();
  ways_.clear();
  body_ = too_long_ = failed_ = {};
  setSize(0);
  block_ = &block;
  shared_ = shared;
  uint32_t slots = 0;
  for (const Op *op = block.ops;;) {
    const Opcode opcode = opcode_of(*op);
    if (jumps_by_link(opcode)) ++slots;
    if (ends_block(*op, opcode)) break;
    op += jumps_by_link(opcode) ? 2 : 1;
  }
  for (size_t i = 0; i < slots * sizeof(Slot) / sizeof(uint64_t); ++i) dq(0);
  const auto entry = static_cast<uint32_t>(getSize());
  sub(r12, block.instructions);
  jump_to(kNegative, too_long_);
  mark(body_);
  for (const Op *op = block.ops; op != nullptr;) op = instruction(op);
  finish_rare();
  finish_ways();
  mark(too_long_);
  add(r12, block.instructions);
  leave_for(rbp);
  auto *code = const_cast<uint8_t *>(getCode());
  for (uint32_t i = 0; i < slots; ++i) {
    const auto out = static_cast<uint64_t>(ways_[i].out.at);
    const Slot slot{reinterpret_cast<const void *>(out), 0, ways_[i].op, &block};
    std::memcpy(code + i * sizeof(Slot), &slot, sizeof slot);
  }
  return {{code, getSize()}, slots, entry};
}

const Op *X86Emitter::instruction(const Op *op) {
  const Opcode opcode = opcode_of(*op);
  using enum Opcode;
  if (opcode >= beq && opcode <= bgeu) {
    branch(op, opcode);
    return op + 2;
  }
  if (opcode == jump || opcode == fall) {
    follow(op);
    return nullptr;
  }
  if (opcode == jalr) {
    jump_through(op);
    return nullptr;
  }
  if (integer(op, opcode) || memory(op, opcode)) return op + 1;
  if (opcode == call_helper) {
    const Opcode called = helper_opcode(*op);
    if (floating(op, called) || atomic(op, called)) return op + 1;
  }
  // All else is a helper, or cannot be in a block of the plain loop.
  mov(rdx, reinterpret_cast<uint64_t>(op));
  call(in_frame(offsetof(Frame, call_helper)));
  test(eax, eax);
  jump_to(kNotEqual, failed_);
  return ends_block(*op, opcode) ? nullptr : op + 1;
}

void X86Emitter::compare(uint8_t first, uint8_t second) {
  const Reg64 a = read(first, rax);
  if (second == 0) {
    test(a, a);
  } else {
    with(second, Kind::kPlain, [&](const auto &b) { cmp(a, b); });
  }
}

// Bit 0 of a condition inverts it.
X86Emitter::Condition X86Emitter::condition_of(Opcode opcode) {
  using enum Opcode;
  switch (opcode) {
    case beq:
      return kEqual;
    case bne:
      return kNotEqual;
    case blt:
      return kLess;
    case bge:
      return kNotLess;
    case bltu:
      return kBelow;
    default:
      return kNotBelow;
  }
}

void X86Emitter::jump_to(Condition condition, Mark &to) {
  if (condition == kAlways) {
    db(0xe9);
  } else {
    db(0x0f);
    db(0x80 | condition);
  }
  const auto at = static_cast<int32_t>(getSize());
  if (to.at != Mark::kNone) {
    dd(static_cast<uint32_t>(to.at - at - 4));
  } else {
    dd(static_cast<uint32_t>(std::exchange(to.last_jump, at)));
  }
}

void X86Emitter::mark(Mark &here) {
  here.at = static_cast<int32_t>(getSize());
  for (int32_t jump = here.last_jump; jump != Mark::kNone;) {
    int32_t before = 0;
    std::memcpy(&before, getCode() + jump, sizeof before);
    rewrite(static_cast<size_t>(jump), static_cast<uint32_t>(here.at - jump - 4), 4);
    jump = before;
  }
}

// A backward branch is mostly taken, so that its way lies here; that of a forward one behind.
void X86Emitter::branch(const Op *op, Opcode opcode) {
  compare(op->rs1, op->rs2);
  if (op->immediate - block_->offsets[op - block_->ops] < 0) {
    Mark not_taken;
    jump_to(static_cast<Condition>(condition_of(opcode) ^ 1), not_taken);
    follow(op);
    mark(not_taken);
  } else {
    Rare &taken = rare(op, opcode);
    jump_to(condition_of(opcode), taken.at);
  }
}

// The jump or branch is taken. The budget gets back what follows it in the block.
void X86Emitter::follow(const Op *op) {
  const size_t slot = ways_.size() * sizeof(Slot);
  Mark &out = ways_.emplace_back(op).out;
  if (op->immediate == 0) {  // to the block's begin
    sub(r12, block_->instructions - op->rest);
    jump_to(kNotNegative, body_);
    jump_to(kAlways, too_long_);
    return;
  }
  if (op->rest != 0) add(r12, op->rest);
  const int64_t within = static_cast<int64_t>(block_->physical % kPageBytes) + op->immediate;
  const bool same_page = within >= 0 && within < static_cast<int64_t>(kPageBytes);
  if (!same_page && shared_) {
    lea(rax, ptr[rbp + op->immediate]);
    jmp(in_frame(offsetof(Frame, look_up)));
    return;
  }
  add(rbp, op->immediate);
  if (!same_page) {
    mov(rax, slot_part(slot + offsetof(Slot, tag)));
    cmp(rax, in_frame(offsetof(Frame, tag)));
    jump_to(kNotEqual, out);
  }
  jmp(slot_part(slot));
}

void X86Emitter::jump_through(const Op *op) {
  const Reg64 from = read(op->rs1, rax);
  lea(rax, ptr[from + op->immediate]);
  and_(rax, -2);
  if (op->rd != kZeroSink) {
    const Reg64 to = in_register(op->rd) ? pinned(op->rd) : rcx;
    lea(to, ptr[rbp + static_cast<int32_t>(block_->bytes)]);
    put(op->rd, to);
  }
  shared_ ? look_up_shared() : look_up_own();
}

// Goes on at rax, as the interpreter's lookup does, if there is code.
void X86Emitter::look_up_own() {
  static_assert(sizeof(JumpEntry) == 24 && Core::kJumpEntries == 4096);
  Mark none;
  mov(ecx, eax);
  shr(ecx, 1);
  and_(ecx, Core::kJumpEntries - 1);
  lea(ecx, ptr[rcx + rcx * 2]);
  mov(rdx, in_frame(offsetof(Frame, jumps)));
  lea(rdx, ptr[rdx + rcx * 8]);
  cmp(ptr[rdx + offsetof(JumpEntry, pc)], rax);
  jump_to(kNotEqual, none);
  mov(rcx, in_frame(offsetof(Frame, tag)));
  cmp(ptr[rdx + offsetof(JumpEntry, tag)], rcx);
  jump_to(kNotEqual, none);
  mov(rdx, ptr[rdx + offsetof(JumpEntry, block)]);
  go_on(ptr[rdx + offsetof(Block, code)], none);
}

// At rax: by this code, if there is some; else, and at `none`, by the interpreter's lookup.
void X86Emitter::go_on(const Address &code, Mark &none) {
  mov(rdx, code);
  test(rdx, rdx);
  jump_to(kEqual, none);
  mov(rbp, rax);
  jmp(rdx);
  mark(none);
  leave_for(rax);
}

void X86Emitter::leave_for(const Reg64 &pc) {
  mov(in_frame(offsetof(Frame, pc)), pc);
  xor_(eax, eax);
  jmp(in_frame(offsetof(Frame, leave)));
}

void X86Emitter::look_up_shared() {
  static_assert(sizeof(CodeEntry) == 16 && Core::kCodeEntries == 256);
  Mark none;
  mov(ecx, eax);
  shr(ecx, 12 - 4);
  and_(ecx, (Core::kCodeEntries - 1) << 4);
  lea(rdx, ptr[rbx + rcx + layout_.code_entries]);
  mov(rcx, rax);
  and_(rcx, -static_cast<int32_t>(kPageBytes));
  or_(rcx, in_frame(offsetof(Frame, privilege)));
  cmp(ptr[rdx + offsetof(CodeEntry, tag)], rcx);
  jump_to(kNotEqual, none);
  mov(rdx, ptr[rdx + offsetof(CodeEntry, page)]);
  mov(ecx, eax);
  shr(ecx, 1);
  and_(ecx, kPageBytes / 2 - 1);
  static_assert(CodePage::kStepBytes == 16);
  movsxd(rcx, dword[rdx + rcx * 4 + CodePage::kStepsAt]);
  test(rcx, rcx);
  jump_to(kEqual, none);
  shl(rcx, 4);
  go_on(ptr[rdx + rcx + offsetof(Block, code)], none);
}

X86Emitter::Rare &X86Emitter::rare(const Op *op, Opcode opcode) {
  return rare_.emplace_back(Mark(), Mark(), op, opcode);
}

void X86Emitter::finish_rare() {
  for (Rare &each : rare_) {
    mark(each.at);
    if (jumps_by_link(each.opcode)) {
      follow(each.op);
      continue;
    }
    mov(rdx, reinterpret_cast<uint64_t>(each.op));
    if (each.opcode == Opcode::call_helper) {
      call(in_frame(offsetof(Frame, call_helper)));
    } else {
      mov(eax, static_cast<uint32_t>(each.opcode));
      call(in_frame(offsetof(Frame, call_memory)));
    }
    test(eax, eax);
    jump_to(kEqual, each.back);
    jump_to(kAlways, failed_);
  }
  mark(failed_);
  mov(rcx, reinterpret_cast<uint64_t>(block_));
  mov(in_frame(offsetof(Frame, block)), rcx);
  jmp(in_frame(offsetof(Frame, leave)));
}

void X86Emitter::finish_ways() {
  size_t slot = 0;
  for (Way &way : ways_) {
    mark(way.out);
    lea(rcx, slot_part(slot));
    jmp(in_frame(offsetof(Frame, leave_by_link)));
    slot += sizeof(Slot);
  }
}

X86Emitter::Reg64 X86Emitter::read(uint8_t x, const Reg64 &otherwise) {
  if (in_register(x)) return pinned(x);
  copy(otherwise, x);
  return otherwise;
}

void X86Emitter::copy(const Reg64 &to, uint8_t x) {
  if (x == 0) {
    xor_(to.cvt32(), to.cvt32());
  } else if (!in_register(x)) {
    mov(to, in_core(x));
  } else if (pinned(x) != to) {
    mov(to, pinned(x));
  }
}

void X86Emitter::copy_word(const Reg32 &to, uint8_t x) {
  with(x, Kind::kWord, [&](const auto &from) { mov(to, from); });
}

void X86Emitter::put(uint8_t x, const Reg64 &from) {
  if (!in_register(x)) {
    mov(in_core(x), from);
  } else if (pinned(x) != from) {
    mov(pinned(x), from);
  }
}

}  // namespace firesim::functional
