// SPDX-License-Identifier: BSD-3-Clause
// Compressed instructions of RV64DC, expanded into 32-bit ones.
#include "instruction.h"

namespace firesim::functional {
namespace {

constexpr uint32_t kLoad = 0x03, kLoadFp = 0x07, kOpImm = 0x13, kOpImm32 = 0x1b, kStore = 0x23;
constexpr uint32_t kStoreFp = 0x27, kOp = 0x33, kLui = 0x37, kOp32 = 0x3b, kBranch = 0x63;
constexpr uint32_t kJalr = 0x67, kJal = 0x6f, kEbreak = 0x0010'0073;

struct Half {
  uint32_t bits;
  // Bits `high` to `low`, moved to start at bit `to`.
  uint32_t field(int high, int low, int to = 0) const {
    return ((bits >> low) & ((1u << (high - low + 1)) - 1)) << to;
  }
  uint32_t rd() const { return field(11, 7); }
  uint32_t rs2() const { return field(6, 2); }
  uint32_t rd_short() const { return field(4, 2) + 8; }
  uint32_t rs1_short() const { return field(9, 7) + 8; }
  int32_t imm6() const {
    return static_cast<int32_t>((field(12, 12, 5) | field(6, 2)) << 26) >> 26;
  }
  uint32_t shift() const { return field(12, 12, 5) | field(6, 2); }
};

uint32_t i_type(uint32_t opcode, uint32_t f3, uint32_t rd, uint32_t rs1, uint32_t imm) {
  return (imm & 0xfff) << 20 | rs1 << 15 | f3 << 12 | rd << 7 | opcode;
}
uint32_t s_type(uint32_t opcode, uint32_t f3, uint32_t rs1, uint32_t rs2, uint32_t imm) {
  return (imm >> 5 & 0x7f) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | (imm & 31) << 7 | opcode;
}
uint32_t r_type(uint32_t opcode, uint32_t f3, uint32_t f7, uint32_t rd, uint32_t rs1,
                uint32_t rs2) {
  return f7 << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | rd << 7 | opcode;
}
uint32_t b_type(uint32_t f3, uint32_t rs1, uint32_t imm) {
  return (imm >> 12 & 1) << 31 | (imm >> 5 & 0x3f) << 25 | rs1 << 15 | f3 << 12 |
         (imm >> 1 & 0xf) << 8 | (imm >> 11 & 1) << 7 | kBranch;
}
uint32_t jal(uint32_t rd, uint32_t imm) {
  return (imm >> 20 & 1) << 31 | (imm >> 1 & 0x3ff) << 21 | (imm >> 11 & 1) << 20 |
         (imm >> 12 & 0xff) << 12 | rd << 7 | kJal;
}

uint32_t quadrant0(Half c) {
  const uint32_t rd = c.rd_short(), rs1 = c.rs1_short();
  const uint32_t word = c.field(12, 10, 3) | c.field(6, 6, 2) | c.field(5, 5, 6);
  const uint32_t twice = c.field(12, 10, 3) | c.field(6, 5, 6);
  switch (c.field(15, 13)) {
    case 0: {
      const uint32_t imm =
          c.field(12, 11, 4) | c.field(10, 7, 6) | c.field(6, 6, 2) | c.field(5, 5, 3);
      return imm == 0 ? 0 : i_type(kOpImm, 0, rd, 2, imm);
    }
    case 1:
      return i_type(kLoadFp, 3, rd, rs1, twice);
    case 2:
      return i_type(kLoad, 2, rd, rs1, word);
    case 3:
      return i_type(kLoad, 3, rd, rs1, twice);
    case 5:
      return s_type(kStoreFp, 3, rs1, rd, twice);
    case 6:
      return s_type(kStore, 2, rs1, rd, word);
    case 7:
      return s_type(kStore, 3, rs1, rd, twice);
    default:
      return 0;
  }
}

uint32_t arithmetic(Half c) {
  const uint32_t rd = c.rs1_short(), rs2 = c.rd_short();
  switch (c.field(11, 10)) {
    case 0:
      return i_type(kOpImm, 5, rd, rd, c.shift());
    case 1:
      return i_type(kOpImm, 5, rd, rd, c.shift() | 0x400);
    case 2:
      return i_type(kOpImm, 7, rd, rd, static_cast<uint32_t>(c.imm6()));
    default:
      break;
  }
  switch (c.field(12, 12, 2) | c.field(6, 5)) {
    case 0:
      return r_type(kOp, 0, 0x20, rd, rd, rs2);
    case 1:
      return r_type(kOp, 4, 0, rd, rd, rs2);
    case 2:
      return r_type(kOp, 6, 0, rd, rd, rs2);
    case 3:
      return r_type(kOp, 7, 0, rd, rd, rs2);
    case 4:
      return r_type(kOp32, 0, 0x20, rd, rd, rs2);
    case 5:
      return r_type(kOp32, 0, 0, rd, rd, rs2);
    default:
      return 0;
  }
}

uint32_t upper_immediate(Half c) {
  if (c.imm6() == 0) return 0;
  if (c.rd() != 2) return (static_cast<uint32_t>(c.imm6()) & 0xfffff) << 12 | c.rd() << 7 | kLui;
  const uint32_t imm = c.field(12, 12, 9) | c.field(6, 6, 4) | c.field(5, 5, 6) | c.field(4, 3, 7) |
                       c.field(2, 2, 5);
  return i_type(kOpImm, 0, 2, 2, imm | (imm & 0x200 ? 0xc00 : 0));
}

uint32_t quadrant1(Half c) {
  const uint32_t imm = static_cast<uint32_t>(c.imm6());
  const uint32_t jump = c.field(12, 12, 11) | c.field(11, 11, 4) | c.field(10, 9, 8) |
                        c.field(8, 8, 10) | c.field(7, 7, 6) | c.field(6, 6, 7) | c.field(5, 3, 1) |
                        c.field(2, 2, 5);
  const uint32_t branch = c.field(12, 12, 8) | c.field(11, 10, 3) | c.field(6, 5, 6) |
                          c.field(4, 3, 1) | c.field(2, 2, 5);
  switch (c.field(15, 13)) {
    case 0:
      return i_type(kOpImm, 0, c.rd(), c.rd(), imm);
    case 1:
      return c.rd() == 0 ? 0 : i_type(kOpImm32, 0, c.rd(), c.rd(), imm);
    case 2:
      return i_type(kOpImm, 0, c.rd(), 0, imm);
    case 3:
      return upper_immediate(c);
    case 4:
      return arithmetic(c);
    case 5:
      return jal(0, jump | (jump & 0x800 ? 0xffff'f000 : 0));
    default:
      return b_type(c.field(13, 13), c.rs1_short(), branch | (branch & 0x100 ? 0xffff'fe00 : 0));
  }
}

uint32_t jump_or_move(Half c) {
  const uint32_t rd = c.rd(), rs2 = c.rs2();
  if (rs2 != 0) return r_type(kOp, 0, 0, rd, c.field(12, 12) ? rd : 0, rs2);
  if (c.field(12, 12) == 0) return rd == 0 ? 0 : i_type(kJalr, 0, 0, rd, 0);
  return rd == 0 ? kEbreak : i_type(kJalr, 0, 1, rd, 0);
}

uint32_t quadrant2(Half c) {
  const uint32_t rd = c.rd();
  const uint32_t load_word = c.field(12, 12, 5) | c.field(6, 4, 2) | c.field(3, 2, 6);
  const uint32_t load_twice = c.field(12, 12, 5) | c.field(6, 5, 3) | c.field(4, 2, 6);
  const uint32_t store_word = c.field(12, 9, 2) | c.field(8, 7, 6);
  const uint32_t store_twice = c.field(12, 10, 3) | c.field(9, 7, 6);
  switch (c.field(15, 13)) {
    case 0:
      return i_type(kOpImm, 1, rd, rd, c.shift());
    case 1:
      return i_type(kLoadFp, 3, rd, 2, load_twice);
    case 2:
      return rd == 0 ? 0 : i_type(kLoad, 2, rd, 2, load_word);
    case 3:
      return rd == 0 ? 0 : i_type(kLoad, 3, rd, 2, load_twice);
    case 4:
      return jump_or_move(c);
    case 5:
      return s_type(kStoreFp, 3, 2, c.rs2(), store_twice);
    case 6:
      return s_type(kStore, 2, 2, c.rs2(), store_word);
    default:
      return s_type(kStore, 3, 2, c.rs2(), store_twice);
  }
}

}  // namespace

uint32_t expand_compressed(uint16_t half) {
  const Half c{half};
  switch (half & 3) {
    case 0:
      return quadrant0(c);
    case 1:
      return quadrant1(c);
    default:
      return quadrant2(c);
  }
}

}  // namespace firesim::functional
