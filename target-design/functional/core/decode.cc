// SPDX-License-Identifier: BSD-3-Clause
// Decoding of 32-bit instructions.
#include <array>

#include "instruction.h"

namespace firesim::functional {
namespace {

using enum Opcode;

struct Word {
  uint32_t bits;
  uint32_t f3() const { return bits >> 12 & 7; }
  uint32_t f7() const { return bits >> 25; }
  uint32_t rs2() const { return bits >> 20 & 31; }
  int32_t i() const { return static_cast<int32_t>(bits) >> 20; }
  int32_t s() const {
    return (static_cast<int32_t>(bits) >> 25) * 32 + static_cast<int32_t>(bits >> 7 & 31);
  }
  int32_t b() const {
    return (static_cast<int32_t>(bits) >> 31) * 4096 +
           static_cast<int32_t>((bits >> 7 & 1) << 11 | (bits >> 25 & 0x3f) << 5 |
                                (bits >> 8 & 0xf) << 1);
  }
  int32_t u() const { return static_cast<int32_t>(bits & 0xffff'f000); }
  int32_t j() const {
    return (static_cast<int32_t>(bits) >> 31) * (1 << 20) +
           static_cast<int32_t>((bits >> 12 & 0xff) << 12 | (bits >> 20 & 1) << 11 |
                                (bits >> 21 & 0x3ff) << 1);
  }
};

constexpr std::array kLoads{lb, lh, lw, ld, lbu, lhu, lwu, illegal};
constexpr std::array kStores{sb, sh, sw, sd, illegal, illegal, illegal, illegal};
constexpr std::array kBranches{beq, bne, illegal, illegal, blt, bge, bltu, bgeu};
constexpr std::array kOps{add, sll, slt, sltu, xor_, srl, or_, and_};
constexpr std::array kMuls{mul, mulh, mulhsu, mulhu, div, divu, rem, remu};
constexpr std::array kOps32{addw, sllw, illegal, illegal, illegal, srlw, illegal, illegal};
constexpr std::array kMuls32{mulw, illegal, illegal, illegal, divw, divuw, remw, remuw};
constexpr std::array kCsrs{illegal, csrrw, csrrs, csrrc, illegal, csrrwi, csrrsi, csrrci};

Opcode op_imm(Word w, int32_t &immediate) {
  constexpr std::array kNames{addi, slli, slti, sltiu, xori, srli, ori, andi};
  if (w.f3() != 1 && w.f3() != 5) return kNames[w.f3()];
  const uint32_t f6 = w.bits >> 26;
  immediate &= 63;
  if (f6 == 0) return kNames[w.f3()];
  return f6 == 0x10 && w.f3() == 5 ? srai : illegal;
}

Opcode op_imm32(Word w, int32_t &immediate) {
  if (w.f3() == 0) return addiw;
  immediate &= 31;
  if (w.f3() == 1 && w.f7() == 0) return slliw;
  if (w.f3() != 5) return illegal;
  return w.f7() == 0 ? srliw : w.f7() == 0x20 ? sraiw : illegal;
}

Opcode op(Word w) {
  if (w.f7() == 0) return kOps[w.f3()];
  if (w.f7() == 1) return kMuls[w.f3()];
  if (w.f7() != 0x20) return illegal;
  return w.f3() == 0 ? sub : w.f3() == 5 ? sra : illegal;
}

Opcode op32(Word w) {
  if (w.f7() == 0) return kOps32[w.f3()];
  if (w.f7() == 1) return kMuls32[w.f3()];
  if (w.f7() != 0x20) return illegal;
  return w.f3() == 0 ? subw : w.f3() == 5 ? sraw : illegal;
}

Opcode amo(Word w) {
  const auto pick = [&](Opcode narrow, Opcode wide) {
    return w.f3() == 2 ? narrow : w.f3() == 3 ? wide : illegal;
  };
  switch (w.bits >> 27) {
    case 0x00:
      return pick(amoadd_w, amoadd_d);
    case 0x01:
      return pick(amoswap_w, amoswap_d);
    case 0x02:
      return w.rs2() != 0 ? illegal : pick(lr_w, lr_d);
    case 0x03:
      return pick(sc_w, sc_d);
    case 0x04:
      return pick(amoxor_w, amoxor_d);
    case 0x08:
      return pick(amoor_w, amoor_d);
    case 0x0c:
      return pick(amoand_w, amoand_d);
    case 0x10:
      return pick(amomin_w, amomin_d);
    case 0x14:
      return pick(amomax_w, amomax_d);
    case 0x18:
      return pick(amominu_w, amominu_d);
    case 0x1c:
      return pick(amomaxu_w, amomaxu_d);
    default:
      return illegal;
  }
}

Opcode float_pick(Word w, std::array<Opcode, 3> single, std::array<Opcode, 3> twice) {
  if (w.f3() > 2) return illegal;
  return w.f7() & 1 ? twice[w.f3()] : single[w.f3()];
}

Opcode float_convert(Word w) {
  constexpr std::array kFromSingle{fcvt_w_s, fcvt_wu_s, fcvt_l_s, fcvt_lu_s};
  constexpr std::array kFromDouble{fcvt_w_d, fcvt_wu_d, fcvt_l_d, fcvt_lu_d};
  constexpr std::array kToSingle{fcvt_s_w, fcvt_s_wu, fcvt_s_l, fcvt_s_lu};
  constexpr std::array kToDouble{fcvt_d_w, fcvt_d_wu, fcvt_d_l, fcvt_d_lu};
  if (w.rs2() > 3) return illegal;
  switch (w.f7()) {
    case 0x60:
      return kFromSingle[w.rs2()];
    case 0x61:
      return kFromDouble[w.rs2()];
    case 0x68:
      return kToSingle[w.rs2()];
    default:
      return kToDouble[w.rs2()];
  }
}

Opcode float_move(Word w) {
  if (w.rs2() != 0) return illegal;
  switch (w.f7()) {
    case 0x70:
      return w.f3() == 0 ? fmv_x_w : w.f3() == 1 ? fclass_s : illegal;
    case 0x71:
      return w.f3() == 0 ? fmv_x_d : w.f3() == 1 ? fclass_d : illegal;
    case 0x78:
      return w.f3() == 0 ? fmv_w_x : illegal;
    default:
      return w.f3() == 0 ? fmv_d_x : illegal;
  }
}

Opcode float_op(Word w) {
  const bool wide = w.f7() & 1;
  switch (w.f7() >> 1) {
    case 0x00:
      return wide ? fadd_d : fadd_s;
    case 0x02:
      return wide ? fsub_d : fsub_s;
    case 0x04:
      return wide ? fmul_d : fmul_s;
    case 0x06:
      return wide ? fdiv_d : fdiv_s;
    case 0x16:
      return w.rs2() != 0 ? illegal : wide ? fsqrt_d : fsqrt_s;
    case 0x08:
      return float_pick(w, {fsgnj_s, fsgnjn_s, fsgnjx_s}, {fsgnj_d, fsgnjn_d, fsgnjx_d});
    case 0x0a:
      return float_pick(w, {fmin_s, fmax_s, illegal}, {fmin_d, fmax_d, illegal});
    case 0x28:
      return float_pick(w, {fle_s, flt_s, feq_s}, {fle_d, flt_d, feq_d});
    case 0x10:
      if (wide) return w.rs2() == 0 ? fcvt_d_s : illegal;
      return w.rs2() == 1 ? fcvt_s_d : illegal;
    case 0x30:
    case 0x34:
      return float_convert(w);
    case 0x38:
    case 0x3c:
      return float_move(w);
    default:
      return illegal;
  }
}

Opcode fused(Word w, Opcode single, Opcode twice) {
  const uint32_t format = w.bits >> 25 & 3;
  return format == 0 ? single : format == 1 ? twice : illegal;
}

Opcode system(Word w) {
  if (w.f3() != 0) return kCsrs[w.f3()];
  if (w.f7() == 0x09 && (w.bits >> 7 & 31) == 0) return sfence_vma;
  switch (w.bits) {
    case 0x0000'0073:
      return ecall;
    case 0x0010'0073:
      return ebreak;
    case 0x3020'0073:
      return mret;
    case 0x1020'0073:
      return sret;
    case 0x1050'0073:
      return wfi;
    default:
      return illegal;
  }
}

Opcode load_fp(Word w) { return w.f3() == 2 ? flw : w.f3() == 3 ? fld : illegal; }
Opcode store_fp(Word w) { return w.f3() == 2 ? fsw : w.f3() == 3 ? fsd : illegal; }

// A hint, committed by firesim-start-roi (docs/reference/interfaces/simulation.md).
constexpr uint32_t kRegionStart = 0x0000'8013;

void decode_word(Word w, Decoded &d) {
  const auto set = [&](Opcode opcode, int32_t immediate = 0) {
    d.opcode = opcode;
    d.immediate = immediate;
  };
  int32_t immediate = w.i();
  switch (w.bits & 0x7f) {
    case 0x03:
      return set(kLoads[w.f3()], w.i());
    case 0x07:
      return set(load_fp(w), w.i());
    case 0x0f:
      // A fence orders nothing here. Stores drop decoded code at once: fence.i is for FenceCheck.
      return set(w.f3() == 0 ? nop : w.f3() == 1 ? fence_i : illegal);
    case 0x13: {
      if (w.bits == kRegionStart) return set(region_start);
      const Opcode opcode = op_imm(w, immediate);
      return set(opcode, immediate);
    }
    case 0x17:
      return set(auipc, w.u());
    case 0x1b: {
      const Opcode opcode = op_imm32(w, immediate);
      return set(opcode, immediate);
    }
    case 0x23:
      return set(kStores[w.f3()], w.s());
    case 0x27:
      return set(store_fp(w), w.s());
    case 0x2f:
      return set(amo(w));
    case 0x33:
      return set(op(w));
    case 0x37:
      return set(lui, w.u());
    case 0x3b:
      return set(op32(w));
    case 0x43:
      return set(fused(w, fmadd_s, fmadd_d));
    case 0x47:
      return set(fused(w, fmsub_s, fmsub_d));
    case 0x4b:
      return set(fused(w, fnmsub_s, fnmsub_d));
    case 0x4f:
      return set(fused(w, fnmadd_s, fnmadd_d));
    case 0x53:
      return set(float_op(w));
    case 0x63:
      return set(kBranches[w.f3()], w.b());
    case 0x67:
      return set(w.f3() == 0 ? jalr : illegal, w.i());
    case 0x6f:
      return set(jal, w.j());
    case 0x73:
      return set(system(w), static_cast<int32_t>(w.bits >> 20));
    default:
      return set(illegal);
  }
}

}  // namespace

Decoded decode(uint32_t word) {
  Decoded d;
  d.bytes = (word & 3) == 3 ? 4 : 2;
  const uint32_t bits = d.bytes == 4 ? word : expand_compressed(static_cast<uint16_t>(word));
  d.rd = bits >> 7 & 31;
  d.rs1 = bits >> 15 & 31;
  d.rs2 = bits >> 20 & 31;
  d.rs3 = static_cast<uint8_t>(bits >> 27);
  d.rounding = bits >> 12 & 7;
  if ((bits & 3) == 3) decode_word(Word{bits}, d);
  return d;
}

}  // namespace firesim::functional
