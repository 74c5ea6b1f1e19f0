// SPDX-License-Identifier: BSD-3-Clause
// Integer arithmetic for x86-64, as core/execute_int.inc says what each instruction does.
#include "functional/core/block.h"
#include "x86_emitter.h"

namespace firesim::functional {

bool X86Emitter::integer(const Op *op, Opcode opcode) {
  using enum Opcode;
  switch (opcode) {
    case add:
      binary(op, Kind::kPlain, true,
             [&](const auto &a, const auto &b) { CodeGenerator::add(a, b); });
      return true;
    case sub:
      binary(op, Kind::kPlain, false,
             [&](const auto &a, const auto &b) { CodeGenerator::sub(a, b); });
      return true;
    case Opcode::xor_:
      binary(op, Kind::kPlain, true,
             [&](const auto &a, const auto &b) { CodeGenerator::xor_(a, b); });
      return true;
    case Opcode::or_:
      binary(op, Kind::kPlain, true,
             [&](const auto &a, const auto &b) { CodeGenerator::or_(a, b); });
      return true;
    case Opcode::and_:
      binary(op, Kind::kPlain, true,
             [&](const auto &a, const auto &b) { CodeGenerator::and_(a, b); });
      return true;
    case addw:
      binary(op, Kind::kWord, true,
             [&](const auto &a, const auto &b) { CodeGenerator::add(a, b); });
      return true;
    case subw:
      binary(op, Kind::kWord, false,
             [&](const auto &a, const auto &b) { CodeGenerator::sub(a, b); });
      return true;
    case sll:
    case sllw:
      shift(op, opcode == sll ? Kind::kPlain : Kind::kWord, [&](const auto &a) { shl(a, cl); });
      return true;
    case srl:
    case srlw:
      shift(op, opcode == srl ? Kind::kPlain : Kind::kWord, [&](const auto &a) { shr(a, cl); });
      return true;
    case sra:
    case sraw:
      shift(op, opcode == sra ? Kind::kPlain : Kind::kWord, [&](const auto &a) { sar(a, cl); });
      return true;
    case slt:
    case sltu:
      less(op, opcode == slt, false);
      return true;
    default:
      return integer_immediate(op, opcode) || multiply(op, opcode);
  }
}

bool X86Emitter::integer_immediate(const Op *op, Opcode opcode) {
  const int32_t i = op->immediate;
  const Kind kind = opcode >= Opcode::addiw && opcode <= Opcode::sraiw ? Kind::kWord : Kind::kPlain;
  using enum Opcode;
  switch (opcode) {
    case nop:
    case fetched:
      return true;
    case li:
    case lui:
      set_constant(op->rd, i);
      return true;
    case mv:
      if (in_register(op->rd)) {
        copy(pinned(op->rd), op->rs1);
      } else {
        put(op->rd, read(op->rs1, rax));
      }
      return true;
    case auipc:
    case link:
      set_relative(op->rd, i);
      return true;
    case addi:
      add_immediate(op);
      return true;
    case slti:
    case sltiu:
      less(op, opcode == slti, true);
      return true;
    case xori:
      with_immediate(op, kind, [&](const auto &a) { CodeGenerator::xor_(a, i); });
      return true;
    case ori:
      with_immediate(op, kind, [&](const auto &a) { CodeGenerator::or_(a, i); });
      return true;
    case andi:
      with_immediate(op, kind, [&](const auto &a) { CodeGenerator::and_(a, i); });
      return true;
    case slli:
    case slliw:
      with_immediate(op, kind, [&](const auto &a) { shl(a, i); });
      return true;
    case srli:
    case srliw:
      with_immediate(op, kind, [&](const auto &a) { shr(a, i); });
      return true;
    case srai:
    case sraiw:
      with_immediate(op, kind, [&](const auto &a) { sar(a, i); });
      return true;
    case addiw:
      with_immediate(op, kind, [&](const auto &a) { CodeGenerator::add(a, i); });
      return true;
    default:
      return false;
  }
}

bool X86Emitter::multiply(const Op *op, Opcode opcode) {
  using enum Opcode;
  switch (opcode) {
    case mul:
      binary(op, Kind::kPlain, true, [&](const auto &a, const auto &b) { imul(a, b); });
      return true;
    case mulw:
      binary(op, Kind::kWord, true, [&](const auto &a, const auto &b) { imul(a, b); });
      return true;
    case mulh:
    case mulhsu:
    case mulhu:
      high_product(op, opcode);
      return true;
    case Opcode::div:
    case divw:
    case rem:
    case remw:
      divide(op, true, opcode == rem || opcode == remw,
             opcode == Opcode::div || opcode == rem ? Kind::kPlain : Kind::kWord);
      return true;
    case divu:
    case divuw:
    case remu:
    case remuw:
      divide(op, false, opcode == remu || opcode == remuw,
             opcode == divu || opcode == remu ? Kind::kPlain : Kind::kWord);
      return true;
    default:
      return false;
  }
}

void X86Emitter::set_constant(uint8_t rd, int64_t value) {
  if (!in_register(rd)) {
    mov(in_core(rd), static_cast<uint64_t>(value));
  } else if (value == 0) {
    xor_(pinned(rd).cvt32(), pinned(rd).cvt32());
  } else {
    mov(pinned(rd), static_cast<uint64_t>(value));
  }
}

void X86Emitter::set_relative(uint8_t rd, int32_t offset) {
  const Reg64 to = target(rd);
  lea(to, ptr[rbp + offset]);
  put(rd, to);
}

void X86Emitter::add_immediate(const Op *op) {
  if (op->rd == op->rs1) {
    with(op->rd, Kind::kPlain, [&](const auto &a) { add(a, op->immediate); });
    return;
  }
  const Reg64 to = target(op->rd);
  if (in_register(op->rs1)) {
    lea(to, ptr[pinned(op->rs1) + op->immediate]);
  } else {
    copy(to, op->rs1);
    add(to, op->immediate);
  }
  put(op->rd, to);
}

// `what` makes of its first operand, the first source, the result.
template <typename Do>
void X86Emitter::binary(const Op *op, Kind kind, bool commutes, Do what) {
  uint8_t first = op->rs1, second = op->rs2;
  if (commutes && op->rd == second) std::swap(first, second);
  if (kind == Kind::kWord) {
    copy_word(eax, first);
    with(second, kind, [&](const auto &b) { what(eax, b); });
    const Reg64 to = target(op->rd);
    movsxd(to, eax);
    put(op->rd, to);
    return;
  }
  // The target may be the second source, which is still to be read.
  const Reg64 to = op->rd == second && op->rd != first ? rax : target(op->rd);
  copy(to, first);
  with(second, kind, [&](const auto &b) { what(to, b); });
  put(op->rd, to);
}

template <typename Do>
void X86Emitter::with_immediate(const Op *op, Kind kind, Do what) {
  const Reg64 to = target(op->rd);
  if (kind == Kind::kWord) {
    copy_word(eax, op->rs1);
    what(eax);
    movsxd(to, eax);
  } else {
    copy(to, op->rs1);
    what(to);
  }
  put(op->rd, to);
}

// The processor takes of cl as many bits as the instruction does.
template <typename Do>
void X86Emitter::shift(const Op *op, Kind kind, Do what) {
  copy_word(ecx, op->rs2);
  if (kind == Kind::kWord) {
    copy_word(eax, op->rs1);
    what(eax);
    movsxd(rax, eax);
  } else {
    copy(rax, op->rs1);
    what(rax);
  }
  put(op->rd, rax);
}

void X86Emitter::less(const Op *op, bool is_signed, bool immediate) {
  const Reg64 a = read(op->rs1, rax);
  if (immediate) {
    cmp(a, op->immediate);
  } else {
    with(op->rs2, Kind::kPlain, [&](const auto &b) { cmp(a, b); });
  }
  is_signed ? setl(al) : setb(al);
  const Reg64 to = target(op->rd);
  movzx(to.cvt32(), al);
  put(op->rd, to);
}

void X86Emitter::high_product(const Op *op, Opcode opcode) {
  copy(rax, op->rs1);
  with(op->rs2, Kind::kPlain, [&](const auto &b) { opcode == Opcode::mulh ? imul(b) : mul(b); });
  if (opcode == Opcode::mulhsu) {  // a negative first factor was taken for one larger by 2^64
    copy(rcx, op->rs1);
    sar(rcx, 63);
    with(op->rs2, Kind::kPlain, [&](const auto &b) { and_(rcx, b); });
    sub(rdx, rcx);
  }
  put(op->rd, rdx);
}

// By zero and by -1 the processor cannot divide always: -1 is done by the negative.
void X86Emitter::divide(const Op *op, bool is_signed, bool remainder, Kind kind) {
  const bool word = kind == Kind::kWord;
  const Xbyak::Reg a = rax.changeBit(word ? 32 : 64), b = rcx.changeBit(word ? 32 : 64);
  const Xbyak::Reg d = rdx.changeBit(word ? 32 : 64);
  Mark by_zero, by_minus_one, done;
  with(op->rs1, kind, [&](const auto &from) { mov(a, from); });
  with(op->rs2, kind, [&](const auto &from) { mov(b, from); });
  test(b, b);
  jump_to(kEqual, by_zero);
  if (is_signed) {
    cmp(b, -1);
    jump_to(kEqual, by_minus_one);
    word ? cdq() : cqo();
    idiv(b);
  } else {
    xor_(edx, edx);
    div(b);
  }
  if (remainder) mov(a, d);
  jump_to(kAlways, done);
  mark(by_zero);
  if (!remainder) mov(rax, ~uint64_t{0});
  if (is_signed) {
    jump_to(kAlways, done);
    mark(by_minus_one);
    remainder ? xor_(eax, eax) : neg(a);
  }
  mark(done);
  if (word) movsxd(rax, eax);
  put(op->rd, rax);
}

}  // namespace firesim::functional
