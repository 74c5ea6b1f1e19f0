// SPDX-License-Identifier: BSD-3-Clause
// What the code of all blocks uses: entering it, leaving it, and calling what it does not do
// itself.
#include "functional/core/core.h"
#include "x86_emitter.h"

namespace firesim::functional {

std::span<const uint8_t> X86Emitter::common(Frame &frame) {
  setSize(0);
  const auto here = [&] {
    align(16);
    return reinterpret_cast<const void *>(getSize());
  };
  for (int i = 0; i < 2; ++i) dq(0);  // sanitizers look at what lies before a function
  frame.enter = here();
  enter();
  frame.leave_by_link = here();
  mov(in_frame(offsetof(Frame, slot)), rcx);
  mov(eax, static_cast<uint32_t>(Left::kLink));
  frame.leave = reinterpret_cast<const void *>(getSize());
  leave();
  frame.call_helper = here();
  call_out(translated_helper);
  frame.call_memory = here();
  call_out(translated_memory);
  frame.look_up = here();
  look_up_shared();
  return {getCode(), getSize()};
}

// uint32_t enter(uint64_t *middle, const void *code), called by the interpreter.
void X86Emitter::enter() {
  for (const Reg64 &each : {rbx, rbp, r12, r13, r14, r15}) push(each);
  sub(rsp, 8);
  mov(rbx, rdi);
  mov(rax, rsi);
  mov(rbp, in_frame(offsetof(Frame, base)));
  mov(r12, in_frame(offsetof(Frame, remaining)));
  mov(r13, in_frame(offsetof(Frame, tlb)));
  load_registers();
  jmp(rax);
}

// With a Left in eax.
void X86Emitter::leave() {
  keep_registers();
  mov(in_frame(offsetof(Frame, base)), rbp);
  mov(in_frame(offsetof(Frame, remaining)), r12);
  add(rsp, 8);
  for (const Reg64 &each : {r15, r14, r13, r12, rbp, rbx}) pop(each);
  ret();
}

void X86Emitter::keep_registers() {
  for (uint8_t x = kFirstPinned; x < kFirstPinned + kPinned; ++x) mov(in_core(x), pinned(x));
}

void X86Emitter::load_registers() {
  for (uint8_t x = kFirstPinned; x < kFirstPinned + kPinned; ++x) mov(pinned(x), in_core(x));
}

// The Op is in rdx, a third argument in eax. What is called finds all registers in the Core, and
// the time of this instruction.
void X86Emitter::before_call() {
  mov(in_frame(offsetof(Frame, op)), rdx);
  movzx(ecx, byte[rdx + offsetof(Op, rest)]);
  lea(rcx, ptr[r12 + rcx + 1]);
  mov(ptr[rbx + layout_.slots_left], rcx);
  keep_registers();
  sub(rsp, 8);
  lea(rdi, ptr[rbx + layout_.core]);
  mov(rsi, rdx);
  mov(edx, eax);
}

void X86Emitter::after_call() {
  add(rsp, 8);
  load_registers();
  ret();
}

void X86Emitter::call_out(uint32_t (*helper)(Core *, const Op *)) {
  before_call();
  mov(rax, reinterpret_cast<uint64_t>(helper));
  call(rax);
  after_call();
}

void X86Emitter::call_out(uint32_t (*memory)(Core *, const Op *, uint32_t)) {
  before_call();
  mov(rax, reinterpret_cast<uint64_t>(memory));
  call(rax);
  after_call();
}

}  // namespace firesim::functional
