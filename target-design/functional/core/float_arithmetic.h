// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic in any RISC-V rounding mode with the flags gathered in the host's MXCSR.
#pragma once

#include "float_bits.h"

namespace firesim::functional {

enum Rounding : uint8_t { kRne = 0, kRtz = 1, kRdn = 2, kRup = 3, kRmm = 4, kDynamic = 7 };
inline constexpr uint32_t kMxcsrMasked = 0x1f80, kMxcsrFlags = 0x3f, kMxcsrRounding = 0x6000;
inline constexpr uint32_t kMxcsrToZero = 0x6000;

// The host's rounding control for a rounding mode other than RMM.
inline uint32_t host_rounding(uint8_t mode) {
  constexpr uint32_t kControl[] = {0, 0x6000, 0x2000, 0x4000};
  return kControl[mode];
}

// While it lives, MXCSR rounds in a mode; the flags raised meanwhile are kept.
class HostRounding {
 public:
  explicit HostRounding(uint8_t mode) { _mm_setcsr(_mm_getcsr() | host_rounding(mode)); }
  ~HostRounding() { _mm_setcsr(_mm_getcsr() & ~kMxcsrRounding); }
  HostRounding(const HostRounding &) = delete;
  HostRounding &operator=(const HostRounding &) = delete;
};

// RMM differs from RNE in ties only. `nearest` is the RNE result and `exact()` computes the value
// in quadruple precision, truncated. When that is the middle between `nearest` and its neighbour
// away from zero, it is a tie: a larger true value would have made `nearest` the neighbour.
template <typename F, typename Exact>
F ties_away(F nearest, Exact exact) {
  const Bits<F> bits = to_bits(nearest);
  if (is_nan<F>(bits) || is_infinite<F>(bits)) return nearest;
  const F away = from_bits<F>(static_cast<Bits<F>>(bits + 1));
  if (is_infinite<F>(to_bits(away))) return nearest;
  const uint32_t control = _mm_getcsr();
  _mm_setcsr(kMxcsrMasked | kMxcsrToZero);
  const __float128 value = exact();
  const __float128 middle = (static_cast<__float128>(nearest) + static_cast<__float128>(away)) / 2;
  const bool tie = value == middle;
  _mm_setcsr(control);
  return tie ? away : nearest;
}

// Computes with `host` in a rounding mode; `exact` as for ties_away.
template <typename F, typename Host, typename Exact>
F rounded(uint8_t mode, Host host, Exact exact) {
  if (mode == kRne) return host();
  if (mode == kRmm) return ties_away<F>(host(), exact);
  const HostRounding control(mode);
  return host();
}

// Rounds a finite value to an integral one, exactly and without raising flags.
inline double round_integral(double value, uint8_t mode) {
  const __m128d v = _mm_set_sd(value);
  switch (mode) {
    case kRne:
      return _mm_cvtsd_f64(_mm_round_sd(v, v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
    case kRdn:
      return _mm_cvtsd_f64(_mm_round_sd(v, v, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC));
    case kRup:
      return _mm_cvtsd_f64(_mm_round_sd(v, v, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC));
    default: {
      const double toward =
          _mm_cvtsd_f64(_mm_round_sd(v, v, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC));
      if (mode != kRmm || std::fabs(value - toward) < 0.5) return toward;
      return toward + std::copysign(1.0, value);
    }
  }
}

}  // namespace firesim::functional
