// SPDX-License-Identifier: BSD-3-Clause
// Floating point for x86-64, to nearest even and, to integers, towards zero: what compilers make.
// The host gathers the flags, as it does for core/execute_fp.cc. What rounds otherwise, has or
// makes a NaN, or is not boxed goes to the helper, which does it again: flags only accumulate.
#include "functional/core/block_builder.h"
#include "functional/core/core.h"
#include "functional/core/float_arithmetic.h"
#include "x86_emitter.h"

namespace firesim::functional {
namespace {

constexpr uint64_t kBox = 0xffff'ffff'0000'0000;

}  // namespace

bool X86Emitter::floating(const Op *op, Opcode called) {
  using enum Opcode;
  switch (called) {
    case fadd_s:
      return float_binary(op, false, [&](const auto &a, const auto &b) { addss(a, b); });
    case fsub_s:
      return float_binary(op, false, [&](const auto &a, const auto &b) { subss(a, b); });
    case fmul_s:
      return float_binary(op, false, [&](const auto &a, const auto &b) { mulss(a, b); });
    case fdiv_s:
      return float_binary(op, false, [&](const auto &a, const auto &b) { divss(a, b); });
    case fadd_d:
      return float_binary(op, true, [&](const auto &a, const auto &b) { addsd(a, b); });
    case fsub_d:
      return float_binary(op, true, [&](const auto &a, const auto &b) { subsd(a, b); });
    case fmul_d:
      return float_binary(op, true, [&](const auto &a, const auto &b) { mulsd(a, b); });
    case fdiv_d:
      return float_binary(op, true, [&](const auto &a, const auto &b) { divsd(a, b); });
    case feq_d:
    case flt_d:
    case fle_d:
      return float_compare(op, called);
    case fsgnj_d:
      return float_copy(op);
    default:
      return float_fused(op, called) || float_move(op, called);
  }
}

X86Emitter::Rare &X86Emitter::float_rare(const Op *op) {
  Rare &slow = rare(op, Opcode::call_helper);
  test(byte[rbx + (layout_.frame + static_cast<int32_t>(offsetof(Frame, tag)))], kFloatTag);
  jump_to(kEqual, slow.at);
  return slow;
}

bool X86Emitter::rounds_to_nearest(const Op *op) {
  return op_rounding(*op) == kRne || op_rounding(*op) == kDynamic;
}

void X86Emitter::check_rounding(const Op *op, Rare &slow) {
  if (op_rounding(*op) != kDynamic) return;
  cmp(dword[rbx + layout_.rounding], kRne);
  jump_to(kNotEqual, slow.at);
}

void X86Emitter::load_float(const Xbyak::Xmm &to, uint8_t f, bool is_double, Rare &slow) {
  if (is_double) {
    movsd(to, in_floats(f));
    return;
  }
  cmp(dword[rbx + (layout_.floats + kXBytes * f + 4)], -1);
  jump_to(kNotEqual, slow.at);
  movss(to, dword[rbx + (layout_.floats + kXBytes * f)]);
}

// xmm0, unless it is a NaN.
void X86Emitter::put_float(uint8_t f, bool is_double, Rare &slow) {
  is_double ? ucomisd(xmm0, xmm0) : ucomiss(xmm0, xmm0);
  jump_to(kUnordered, slow.at);
  if (is_double) {
    movsd(in_floats(f), xmm0);
  } else {
    movd(eax, xmm0);
    mov(rcx, kBox);
    CodeGenerator::or_(rax, rcx);
    mov(in_floats(f), rax);
  }
  mark(slow.back);
}

template <typename Do>
bool X86Emitter::float_binary(const Op *op, bool is_double, Do what) {
  if (!rounds_to_nearest(op)) return false;
  Rare &slow = float_rare(op);
  check_rounding(op, slow);
  load_float(xmm0, op->rs1, is_double, slow);
  load_float(xmm1, op->rs2, is_double, slow);
  what(xmm0, xmm1);
  put_float(op->rd, is_double, slow);
  return true;
}

bool X86Emitter::float_fused(const Op *op, Opcode called) {
  using enum Opcode;
  const bool is_double =
      called == fmadd_d || called == fmsub_d || called == fnmadd_d || called == fnmsub_d;
  const bool is_single =
      called == fmadd_s || called == fmsub_s || called == fnmadd_s || called == fnmsub_s;
  if ((!is_double && !is_single) || !has_fused_ || !rounds_to_nearest(op)) return false;
  Rare &slow = float_rare(op);
  check_rounding(op, slow);
  load_float(xmm1, op->rs1, is_double, slow);
  load_float(xmm2, op->rs2, is_double, slow);
  load_float(xmm0, op_rs3(*op), is_double, slow);
  // The host names the last two as the product is negated, and the guest as its whole result is.
  if (called == fmadd_d) vfmadd231sd(xmm0, xmm1, xmm2);
  if (called == fmsub_d) vfmsub231sd(xmm0, xmm1, xmm2);
  if (called == fnmsub_d) vfnmadd231sd(xmm0, xmm1, xmm2);
  if (called == fnmadd_d) vfnmsub231sd(xmm0, xmm1, xmm2);
  if (called == fmadd_s) vfmadd231ss(xmm0, xmm1, xmm2);
  if (called == fmsub_s) vfmsub231ss(xmm0, xmm1, xmm2);
  if (called == fnmsub_s) vfnmadd231ss(xmm0, xmm1, xmm2);
  if (called == fnmadd_s) vfnmsub231ss(xmm0, xmm1, xmm2);
  put_float(op->rd, is_double, slow);
  return true;
}

bool X86Emitter::float_compare(const Op *op, Opcode called) {
  Rare &slow = float_rare(op);
  const bool equal = called == Opcode::feq_d;
  movsd(xmm0, in_floats(equal ? op->rs1 : op->rs2));
  ucomisd(xmm0, in_floats(equal ? op->rs2 : op->rs1));
  jump_to(kUnordered, slow.at);
  if (equal) {
    sete(al);
  } else {
    called == Opcode::flt_d ? seta(al) : setae(al);
  }
  movzx(eax, al);
  put(op->rd == 0 ? kZeroSink : op->rd, rax);
  mark(slow.back);
  return true;
}

// The sign of a register put to its own bits is a move.
bool X86Emitter::float_copy(const Op *op) {
  if (op->rs1 != op->rs2) return false;
  Rare &slow = float_rare(op);
  mov(rax, in_floats(op->rs1));
  mov(in_floats(op->rd), rax);
  mark(slow.back);
  return true;
}

// Between registers, and conversions of double precision.
bool X86Emitter::float_move(const Op *op, Opcode called) {
  using enum Opcode;
  const uint8_t rd = op->rd == 0 ? kZeroSink : op->rd;
  const bool to_integer = called == fcvt_w_d || called == fcvt_l_d;
  const bool from_integer = called == fcvt_d_w || called == fcvt_d_l;
  const bool moves = called == fmv_x_d || called == fmv_d_x;
  if (to_integer && op_rounding(*op) != kRtz) return false;
  if (from_integer && !rounds_to_nearest(op)) return false;
  if (!to_integer && !from_integer && !moves) return false;
  Rare &slow = float_rare(op);
  if (called == fmv_x_d) {
    mov(rax, in_floats(op->rs1));
    put(rd, rax);
  } else if (called == fmv_d_x) {
    mov(in_floats(op->rd), read(op->rs1, rax));
  } else if (to_integer) {  // out of range it is the least integer
    const Xbyak::Reg to = rax.changeBit(called == fcvt_w_d ? 32 : 64);
    cvttsd2si(to, in_floats(op->rs1));
    mov(rcx, called == fcvt_w_d ? uint64_t{0x8000'0000} : uint64_t{1} << 63);
    cmp(rax, rcx);
    jump_to(kEqual, slow.at);
    if (called == fcvt_w_d) movsxd(rax, eax);
    put(rd, rax);
  } else {
    check_rounding(op, slow);
    xorps(xmm0, xmm0);
    copy(rax, op->rs1);
    called == fcvt_d_w ? cvtsi2sd(xmm0, eax) : cvtsi2sd(xmm0, rax);
    movsd(in_floats(op->rd), xmm0);
  }
  mark(slow.back);
  return true;
}

}  // namespace firesim::functional
