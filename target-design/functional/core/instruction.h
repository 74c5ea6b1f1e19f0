// SPDX-License-Identifier: BSD-3-Clause
// The instructions of RV64IMAFDC as the decoder names them, and their decoded form.
//
// FIRESIM_INLINE_OPS have a handler in execute.cc; FIRESIM_HELPER_OPS are functions of their own,
// called by one handler. The lists make the enumeration, the handler table and the helper table.
#pragma once

#include <cstdint>

// clang-format off
#define FIRESIM_INLINE_OPS(X)                                                                     \
  X(lui) X(auipc) X(jal) X(jalr) X(beq) X(bne) X(blt) X(bge) X(bltu) X(bgeu)                      \
  X(lb) X(lh) X(lw) X(ld) X(lbu) X(lhu) X(lwu) X(sb) X(sh) X(sw) X(sd)                            \
  X(addi) X(slti) X(sltiu) X(xori) X(ori) X(andi) X(slli) X(srli) X(srai)                         \
  X(add) X(sub) X(sll) X(slt) X(sltu) X(xor_) X(srl) X(sra) X(or_) X(and_)                        \
  X(addiw) X(slliw) X(srliw) X(sraiw) X(addw) X(subw) X(sllw) X(srlw) X(sraw)                     \
  X(mul) X(mulh) X(mulhsu) X(mulhu) X(div) X(divu) X(rem) X(remu)                                 \
  X(mulw) X(divw) X(divuw) X(remw) X(remuw) X(nop) X(flw) X(fld) X(fsw) X(fsd)                    \
  /* Made by the block builder, not by the decoder. */                                            \
  X(li) X(mv) X(link) X(jump) X(fall) X(fetched) X(arrive) X(told_link) X(told_jalr)           \
  X(call_helper)

#define FIRESIM_HELPER_OPS(X)                                                                     \
  X(illegal) X(ecall) X(ebreak) X(mret) X(sret) X(wfi) X(sfence_vma) X(region_start) X(fence_i)   \
  X(csrrw) X(csrrs) X(csrrc) X(csrrwi) X(csrrsi) X(csrrci)                                        \
  X(lr_w) X(sc_w) X(amoswap_w) X(amoadd_w) X(amoxor_w) X(amoand_w) X(amoor_w) X(amomin_w)         \
  X(amomax_w) X(amominu_w) X(amomaxu_w)                                                           \
  X(lr_d) X(sc_d) X(amoswap_d) X(amoadd_d) X(amoxor_d) X(amoand_d) X(amoor_d) X(amomin_d)         \
  X(amomax_d) X(amominu_d) X(amomaxu_d)                                                           \
  X(fmadd_s) X(fmsub_s) X(fnmsub_s) X(fnmadd_s) X(fadd_s) X(fsub_s) X(fmul_s) X(fdiv_s)           \
  X(fsqrt_s) X(fsgnj_s) X(fsgnjn_s) X(fsgnjx_s) X(fmin_s) X(fmax_s) X(feq_s) X(flt_s) X(fle_s)    \
  X(fclass_s) X(fcvt_w_s) X(fcvt_wu_s) X(fcvt_l_s) X(fcvt_lu_s) X(fcvt_s_w) X(fcvt_s_wu)          \
  X(fcvt_s_l) X(fcvt_s_lu) X(fmv_x_w) X(fmv_w_x)                                                  \
  X(fmadd_d) X(fmsub_d) X(fnmsub_d) X(fnmadd_d) X(fadd_d) X(fsub_d) X(fmul_d) X(fdiv_d)           \
  X(fsqrt_d) X(fsgnj_d) X(fsgnjn_d) X(fsgnjx_d) X(fmin_d) X(fmax_d) X(feq_d) X(flt_d) X(fle_d)    \
  X(fclass_d) X(fcvt_w_d) X(fcvt_wu_d) X(fcvt_l_d) X(fcvt_lu_d) X(fcvt_d_w) X(fcvt_d_wu)          \
  X(fcvt_d_l) X(fcvt_d_lu) X(fmv_x_d) X(fmv_d_x) X(fcvt_s_d) X(fcvt_d_s)
// clang-format on

namespace firesim::functional {

enum class Opcode : uint16_t {
#define FIRESIM_NAME(name) name,
  FIRESIM_INLINE_OPS(FIRESIM_NAME) FIRESIM_HELPER_OPS(FIRESIM_NAME)
#undef FIRESIM_NAME
};

inline constexpr uint16_t kFirstHelper = static_cast<uint16_t>(Opcode::illegal);

struct Decoded {
  Opcode opcode = Opcode::illegal;
  uint8_t rd = 0, rs1 = 0, rs2 = 0, rs3 = 0;
  uint8_t rounding = 0;   // the rm field of floating-point instructions
  uint8_t bytes = 4;      // 2 when compressed
  int32_t immediate = 0;  // also the CSR number, and the shift amount
};

// The 32-bit instruction that a compressed one stands for; 0, which is illegal, when there is none.
uint32_t expand_compressed(uint16_t half);

// Decodes the instruction whose low bits are in `word` (the upper half counts only if it has one).
Decoded decode(uint32_t word);

}  // namespace firesim::functional
