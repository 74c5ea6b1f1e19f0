// SPDX-License-Identifier: BSD-3-Clause
// Sums of integers and floats; see reduce.h.
#include "parts/rdma/functional/reduce.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace firesim::functional::rdma {
namespace {

constexpr uint32_t kSign = uint32_t{1} << 31, kFraction = 0x7f'ffff, kInfinite = 0xff;
constexpr uint32_t kNotANumber = 0x7fc0'0000;
constexpr uint32_t kRoundingBits = 3, kLeading = uint32_t{1} << (23 + kRoundingBits);

uint32_t exponent(uint32_t number) { return number >> 23 & 0xff; }
bool is_nan(uint32_t number) { return exponent(number) == kInfinite && (number & kFraction) != 0; }
// With the leading bit, and bits behind for rounding; a subnormal number has the least exponent.
uint32_t significand(uint32_t number) {
  return (exponent(number) == 0 ? 0 : kLeading) | (number & kFraction) << kRoundingBits;
}
uint32_t scale(uint32_t number) { return std::max(exponent(number), 1u); }

// Shifted to the right; what is lost counts as a bit behind the last one.
uint32_t shifted(uint32_t value, uint32_t by) {
  by = std::min(by, 27u);
  return value >> by | ((value & ((1u << by) - 1)) != 0 ? 1 : 0);
}

}  // namespace

uint32_t add_fp32(uint32_t a, uint32_t b) {
  if ((a & ~kSign) < (b & ~kSign)) std::swap(a, b);  // `a` is the greater one
  const bool opposed = ((a ^ b) & kSign) != 0;
  if (is_nan(a) || is_nan(b) || (exponent(b) == kInfinite && opposed)) return kNotANumber;
  if (exponent(a) == kInfinite) return a;
  uint32_t power = scale(a);
  const uint32_t less = shifted(significand(b), power - scale(b));
  uint32_t total = opposed ? significand(a) - less : significand(a) + less;
  if (total == 0) return opposed ? 0 : a & kSign;
  if (total >= 2 * kLeading) {
    total = shifted(total, 1);
    ++power;
  } else {
    const auto zeros = static_cast<uint32_t>(std::countl_zero(total) - (31 - 26));
    const uint32_t left = std::min(zeros, power - 1);
    total <<= left;
    power -= left;
  }
  const uint32_t kept = total >> kRoundingBits;
  const bool up = (total & 4) != 0 && ((total & 3) != 0 || (kept & 1) != 0);
  const uint32_t biased = (total & kLeading) != 0 ? power : 0;
  if (biased >= kInfinite) return (a & kSign) | kInfinite << 23;
  // A carry goes into the exponent.
  return (a & kSign) | ((biased << 23 | (kept & kFraction)) + (up ? 1 : 0));
}

void reduce(Reduction kind, std::span<uint8_t> there, std::span<const uint8_t> more) {
  for (size_t at = 0; at + 4 <= there.size(); at += 4) {
    uint32_t a = 0, b = 0;
    std::memcpy(&a, there.data() + at, 4);
    std::memcpy(&b, more.data() + at, 4);
    uint32_t sum = b;
    if (kind == Reduction::kInt32) sum = a + b;
    if (kind == Reduction::kFp32) sum = add_fp32(a, b);
    std::memcpy(there.data() + at, &sum, 4);
  }
}

}  // namespace firesim::functional::rdma
