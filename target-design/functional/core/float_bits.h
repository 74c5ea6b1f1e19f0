// SPDX-License-Identifier: BSD-3-Clause
// Single and double precision as bit patterns, and the host instructions that work on them. The
// instructions are in volatile asm, so that none moves across a change of MXCSR.
#pragma once

#include <immintrin.h>

#include <bit>
#include <cmath>
#include <cstdint>

namespace firesim::functional {

template <typename F>
struct Format;

template <>
struct Format<float> {
  using Bits = uint32_t;
  static constexpr Bits kSign = 0x8000'0000, kExponent = 0x7f80'0000, kQuiet = 0x0040'0000;
  static constexpr Bits kCanonicalNan = 0x7fc0'0000;
};

template <>
struct Format<double> {
  using Bits = uint64_t;
  static constexpr Bits kSign = 0x8000'0000'0000'0000, kExponent = 0x7ff0'0000'0000'0000;
  static constexpr Bits kQuiet = 0x0008'0000'0000'0000, kCanonicalNan = 0x7ff8'0000'0000'0000;
};

template <typename F>
using Bits = typename Format<F>::Bits;

template <typename F>
F from_bits(Bits<F> bits) {
  return std::bit_cast<F>(bits);
}
template <typename F>
Bits<F> to_bits(F value) {
  return std::bit_cast<Bits<F>>(value);
}
template <typename F>
bool is_nan(Bits<F> bits) {
  return (bits & ~Format<F>::kSign) > Format<F>::kExponent;
}
template <typename F>
bool is_signaling(Bits<F> bits) {
  return is_nan<F>(bits) && (bits & Format<F>::kQuiet) == 0;
}
template <typename F>
bool is_infinite(Bits<F> bits) {
  return (bits & ~Format<F>::kSign) == Format<F>::kExponent;
}
template <typename F>
bool is_zero(Bits<F> bits) {
  return (bits & ~Format<F>::kSign) == 0;
}

#define FIRESIM_HOST_BINARY(name, instruction)                \
  inline double name(double a, double b) {                    \
    asm volatile(instruction "sd %1, %0" : "+x"(a) : "x"(b)); \
    return a;                                                 \
  }                                                           \
  inline float name(float a, float b) {                       \
    asm volatile(instruction "ss %1, %0" : "+x"(a) : "x"(b)); \
    return a;                                                 \
  }
FIRESIM_HOST_BINARY(host_add, "add")
FIRESIM_HOST_BINARY(host_sub, "sub")
FIRESIM_HOST_BINARY(host_mul, "mul")
FIRESIM_HOST_BINARY(host_div, "div")
#undef FIRESIM_HOST_BINARY

inline double host_sqrt(double a) {
  asm volatile("sqrtsd %0, %0" : "+x"(a));
  return a;
}
inline float host_sqrt(float a) {
  asm volatile("sqrtss %0, %0" : "+x"(a));
  return a;
}

#ifdef __FMA__
inline double host_fma(double a, double b, double c) {
  asm volatile("vfmadd213sd %2, %1, %0" : "+x"(a) : "x"(b), "x"(c));
  return a;
}
inline float host_fma(float a, float b, float c) {
  asm volatile("vfmadd213ss %2, %1, %0" : "+x"(a) : "x"(b), "x"(c));
  return a;
}
#else
inline double host_fma(double a, double b, double c) { return std::fma(a, b, c); }
inline float host_fma(float a, float b, float c) { return std::fma(a, b, c); }
#endif

template <typename F>
F host_from_signed(int64_t value);
template <>
inline double host_from_signed(int64_t value) {
  double result = 0;
  asm volatile("cvtsi2sdq %1, %0" : "+x"(result) : "r"(value));
  return result;
}
template <>
inline float host_from_signed(int64_t value) {
  float result = 0;
  asm volatile("cvtsi2ssq %1, %0" : "+x"(result) : "r"(value));
  return result;
}
template <typename F>
F host_from_unsigned(uint64_t value) {
  if (value >> 63 == 0) return host_from_signed<F>(static_cast<int64_t>(value));
  // Half of it, with the lost bit kept sticky, rounds the same; doubling is exact.
  const F half = host_from_signed<F>(static_cast<int64_t>(value >> 1 | (value & 1)));
  return host_add(half, half);
}
inline float host_narrow(double value) {
  float result = 0;
  asm volatile("cvtsd2ss %1, %0" : "+x"(result) : "x"(value));
  return result;
}
inline double host_widen(float value) {
  double result = 0;
  asm volatile("cvtss2sd %1, %0" : "+x"(result) : "x"(value));
  return result;
}

}  // namespace firesim::functional
