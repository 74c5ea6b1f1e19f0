// SPDX-License-Identifier: BSD-3-Clause
// Encodings of the few instructions that tests put into memory.
#pragma once

#include <cstdint>

namespace firesim::functional::assembler {

inline uint32_t r(uint32_t op, uint32_t f3, uint32_t f7, uint32_t rd, uint32_t a, uint32_t b) {
  return f7 << 25 | b << 20 | a << 15 | f3 << 12 | rd << 7 | op;
}
inline uint32_t i(uint32_t op, uint32_t f3, uint32_t rd, uint32_t a, int32_t imm) {
  return static_cast<uint32_t>(imm) << 20 | a << 15 | f3 << 12 | rd << 7 | op;
}
inline uint32_t s(uint32_t op, uint32_t f3, uint32_t base, uint32_t value, int32_t imm) {
  const auto bits = static_cast<uint32_t>(imm);
  return (bits >> 5 & 127) << 25 | value << 20 | base << 15 | f3 << 12 | (bits & 31) << 7 | op;
}
inline uint32_t branch(uint32_t f3, uint32_t a, uint32_t b, int32_t offset) {
  const auto bits = static_cast<uint32_t>(offset);
  return (bits >> 12 & 1) << 31 | (bits >> 5 & 63) << 25 | b << 20 | a << 15 | f3 << 12 |
         (bits >> 1 & 15) << 8 | (bits >> 11 & 1) << 7 | 0x63;
}
inline uint32_t jal(uint32_t rd, int32_t offset) {
  const auto bits = static_cast<uint32_t>(offset);
  return (bits >> 20 & 1) << 31 | (bits >> 1 & 1023) << 21 | (bits >> 11 & 1) << 20 |
         (bits >> 12 & 255) << 12 | rd << 7 | 0x6f;
}
inline uint32_t lui(uint32_t rd, uint32_t value) { return (value & 0xffff'f000) | rd << 7 | 0x37; }
inline uint32_t addi(uint32_t rd, uint32_t a, int32_t imm) { return i(0x13, 0, rd, a, imm); }
inline uint32_t ld(uint32_t rd, uint32_t base, int32_t imm) { return i(0x03, 3, rd, base, imm); }
inline uint32_t sd(uint32_t base, uint32_t value, int32_t imm) {
  return s(0x23, 3, base, value, imm);
}
inline uint32_t csrrw(uint32_t rd, uint32_t csr, uint32_t a) {
  return i(0x73, 1, rd, a, static_cast<int32_t>(csr));
}
inline uint32_t csrrs(uint32_t rd, uint32_t csr, uint32_t a) {
  return i(0x73, 2, rd, a, static_cast<int32_t>(csr));
}
inline constexpr uint32_t kMret = 0x3020'0073, kWfi = 0x1050'0073, kEcall = 0x73;

}  // namespace firesim::functional::assembler
