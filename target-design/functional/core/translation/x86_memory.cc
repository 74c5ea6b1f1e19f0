// SPDX-License-Identifier: BSD-3-Clause
// Loads, stores and AMOs for x86-64. As in core/execute_memory.inc, one comparison with the tag of
// a TLB entry tells pages that are there and addresses that are aligned from all others, which are
// rare.
#include "functional/core/core.h"
#include "x86_emitter.h"

namespace firesim::functional {
namespace {

constexpr uint64_t kBox = 0xffff'ffff'0000'0000;

uint32_t bytes_of(Opcode opcode) {
  using enum Opcode;
  switch (opcode) {
    case lb:
    case lbu:
    case sb:
      return 1;
    case lh:
    case lhu:
    case sh:
      return 2;
    case lw:
    case lwu:
    case sw:
    case flw:
    case fsw:
      return 4;
    case ld:
    case sd:
    case fld:
    case fsd:
      return 8;
    default:
      return 0;
  }
}

bool is_float(Opcode opcode) { return opcode >= Opcode::flw && opcode <= Opcode::fsd; }

bool is_store(Opcode opcode) {
  return (opcode >= Opcode::sb && opcode <= Opcode::sd) || opcode == Opcode::fsw ||
         opcode == Opcode::fsd;
}

}  // namespace

bool X86Emitter::memory(const Op *op, Opcode opcode) {
  const uint32_t bytes = bytes_of(opcode);
  if (bytes == 0) return false;
  const bool stores = is_store(opcode);
  Rare &slow = rare(op, opcode);
  if (is_float(opcode)) {
    test(byte[rbx + (layout_.frame + static_cast<int32_t>(offsetof(Frame, tag)))], kFloatTag);
    jump_to(kEqual, slow.at);
  }
  look_up_page(op->rs1, op->immediate, bytes, stores, slow);
  stores ? store(op, opcode, bytes) : load(op, opcode);
  mark(slow.back);
  return true;
}

// As core/atomic.cc; the rarer ones, LR and SC are the helper's. Harts of one memory do not run at
// the same time.
bool X86Emitter::atomic(const Op *op, Opcode called) {
  using enum Opcode;
  const bool swap = called == amoswap_w || called == amoswap_d;
  const bool sum = called == amoadd_w || called == amoadd_d;
  const bool any = called == amoor_w || called == amoor_d;
  const bool all = called == amoand_w || called == amoand_d;
  const bool differ = called == amoxor_w || called == amoxor_d;
  if (!swap && !sum && !any && !all && !differ) return false;
  const bool word = called < lr_d;
  Rare &slow = rare(op, call_helper);
  look_up_page(op->rs1, 0, word ? 4 : 8, true, slow);
  word ? movsxd(rcx, dword[rax]) : mov(rcx, qword[rax]);
  copy(rdx, op->rs2);
  if (sum) CodeGenerator::add(rdx, rcx);
  if (any) CodeGenerator::or_(rdx, rcx);
  if (all) CodeGenerator::and_(rdx, rcx);
  if (differ) CodeGenerator::xor_(rdx, rcx);
  word ? mov(dword[rax], edx) : mov(qword[rax], rdx);
  if (op->rd != 0) put(op->rd, rcx);
  mark(slow.back);
  return true;
}

// Makes rax the host's address.
void X86Emitter::look_up_page(uint8_t x, int32_t offset, uint32_t bytes, bool store, Rare &slow) {
  static_assert(sizeof(TlbEntry) == 16 && kTlbEntries == 256);
  if (in_register(x)) {
    lea(rax, ptr[pinned(x) + offset]);
  } else {
    copy(rax, x);
    if (offset != 0) add(rax, offset);
  }
  mov(ecx, eax);
  shr(ecx, 12 - 4);
  and_(ecx, (kTlbEntries - 1) << 4);
  mov(rdx, rax);
  and_(rdx, -static_cast<int32_t>(kPageBytes - bytes) - 1);
  const auto entries = static_cast<int32_t>(store ? offsetof(Tlb, store) : offsetof(Tlb, load));
  cmp(rdx, ptr[r13 + rcx + (entries + static_cast<int32_t>(offsetof(TlbEntry, tag)))]);
  jump_to(kNotEqual, slow.at);
  add(rax, ptr[r13 + rcx + (entries + static_cast<int32_t>(offsetof(TlbEntry, addend)))]);
}

void X86Emitter::load(const Op *op, Opcode opcode) {
  using enum Opcode;
  if (is_float(opcode)) {
    if (opcode == flw) {
      mov(eax, dword[rax]);
      mov(rcx, kBox);
      CodeGenerator::or_(rax, rcx);
    } else {
      mov(rax, qword[rax]);
    }
    mov(in_floats(op->rd), rax);
    return;
  }
  const Reg64 to = target(op->rd);
  if (opcode == lb) movsx(to, byte[rax]);
  if (opcode == lh) movsx(to, word[rax]);
  if (opcode == lw) movsxd(to, dword[rax]);
  if (opcode == ld) mov(to, qword[rax]);
  if (opcode == lbu) movzx(to.cvt32(), byte[rax]);
  if (opcode == lhu) movzx(to.cvt32(), word[rax]);
  if (opcode == lwu) mov(to.cvt32(), dword[rax]);
  put(op->rd, to);
}

void X86Emitter::store(const Op *op, Opcode opcode, uint32_t bytes) {
  Reg64 from = rcx;
  if (is_float(opcode)) {
    mov(rcx, in_floats(op->rs2));
  } else {
    from = read(op->rs2, rcx);
  }
  if (bytes == 1) mov(byte[rax], from.cvt8());
  if (bytes == 2) mov(word[rax], from.cvt16());
  if (bytes == 4) mov(dword[rax], from.cvt32());
  if (bytes == 8) mov(qword[rax], from);
}

}  // namespace firesim::functional
