// SPDX-License-Identifier: BSD-3-Clause
// The F and D extensions on the host's floating point: exact results and flags in every rounding
// mode. While a hart runs, MXCSR rounds to nearest even and gathers the flags.
#include <limits>

#include "block_builder.h"
#include "core.h"
#include "float_arithmetic.h"

namespace firesim::functional {
namespace {

constexpr uint32_t kInvalid = 16, kInexact = 1;
constexpr uint64_t kBox = 0xffff'ffff'0000'0000;

uint32_t flags_of(uint32_t mxcsr) {
  return (mxcsr & 1) << 4 | (mxcsr & 4) << 1 | (mxcsr & 8) >> 1 | (mxcsr & 16) >> 3 |
         (mxcsr & 32) >> 5;
}

template <typename F>
Bits<F> get(const Core &core, uint8_t reg) {
  const uint64_t value = core.f[reg];
  if constexpr (sizeof(F) == 8) {
    return value;
  } else {
    return (value & kBox) == kBox ? static_cast<uint32_t>(value) : Format<F>::kCanonicalNan;
  }
}

template <typename F>
void put_bits(Core &core, uint8_t reg, Bits<F> bits) {
  core.f[reg] = sizeof(F) == 8 ? uint64_t{bits} : kBox | bits;
}

template <typename F>
void put(Core &core, uint8_t reg, F value) {
  const Bits<F> bits = to_bits(value);
  put_bits<F>(core, reg, is_nan<F>(bits) ? Format<F>::kCanonicalNan : bits);
}

void put_x(Core &core, uint8_t reg, uint64_t value) { core.x[reg == 0 ? kZeroSink : reg] = value; }

bool off(const Core &core) { return !core.floats_on(); }

// The rounding mode of an instruction, or one above kRmm when it is illegal.
uint8_t mode_of(const Core &core, const Op &op) {
  const uint8_t mode = op_rounding(op);
  if (off(core)) return kDynamic;
  return mode == kDynamic ? static_cast<uint8_t>(core.frm) : mode;
}

template <typename F, F (*kHost)(F, F), typename Exact>
Next binary(Core &core, const Op &op, Exact exact) {
  const uint8_t mode = mode_of(core, op);
  if (mode > kRmm) return core.illegal();
  const F a = from_bits<F>(get<F>(core, op.rs1)), b = from_bits<F>(get<F>(core, op.rs2));
  put(core, op.rd,
      rounded<F>(
          mode, [&] { return kHost(a, b); }, [&] { return exact(a, b); }));
  return Next::kContinue;
}

#define FIRESIM_BINARY(name, operation)                                                      \
  template <typename F>                                                                      \
  Next op_##name(Core &core, const Op &op) {                                                 \
    return binary<F, host_##name>(core, op,                                                  \
                                  [](__float128 a, __float128 b) { return a operation b; }); \
  }
FIRESIM_BINARY(add, +)
FIRESIM_BINARY(sub, -)
FIRESIM_BINARY(mul, *)
FIRESIM_BINARY(div, /)
#undef FIRESIM_BINARY

template <typename F>
Next op_sqrt(Core &core, const Op &op) {
  const uint8_t mode = mode_of(core, op);
  if (mode > kRmm) return core.illegal();
  const F a = from_bits<F>(get<F>(core, op.rs1));
  // A square root is never halfway between two numbers: RMM is RNE.
  const auto host = [&] { return host_sqrt(a); };
  put(core, op.rd, rounded<F>(mode == kRmm ? uint8_t{kRne} : mode, host, [] { return 0; }));
  return Next::kContinue;
}

// kNegateProduct and kNegateAddend tell fmadd, fmsub, fnmsub and fnmadd apart.
template <typename F, bool kNegateProduct, bool kNegateAddend>
Next op_fused(Core &core, const Op &op) {
  const uint8_t mode = mode_of(core, op);
  if (mode > kRmm) return core.illegal();
  const Bits<F> p = get<F>(core, op.rs1), q = get<F>(core, op.rs2), r = get<F>(core, op_rs3(op));
  const F a = from_bits<F>(kNegateProduct ? p ^ Format<F>::kSign : p), b = from_bits<F>(q);
  const F c = from_bits<F>(kNegateAddend ? r ^ Format<F>::kSign : r);
  const F result = rounded<F>(
      mode, [&] { return host_fma(a, b, c); }, [&] { return static_cast<__float128>(a) * b + c; });
  // Infinity times zero is invalid whatever is added.
  if ((is_infinite<F>(p) && is_zero<F>(q)) || (is_zero<F>(p) && is_infinite<F>(q))) {
    core.fflags |= kInvalid;
  }
  put(core, op.rd, result);
  return Next::kContinue;
}

enum class Sign { kCopy, kNegate, kXor };

template <typename F, Sign kSign>
Next op_sign(Core &core, const Op &op) {
  if (off(core)) return core.illegal();
  const Bits<F> a = get<F>(core, op.rs1), b = get<F>(core, op.rs2);
  const Bits<F> sign = kSign == Sign::kCopy ? b : kSign == Sign::kNegate ? ~b : a ^ b;
  put_bits<F>(core, op.rd, (a & ~Format<F>::kSign) | (sign & Format<F>::kSign));
  return Next::kContinue;
}

// a < b for numbers, with -0 below +0.
template <typename F>
bool total_less(Bits<F> a, Bits<F> b) {
  const bool a_negative = (a & Format<F>::kSign) != 0, b_negative = (b & Format<F>::kSign) != 0;
  if (a_negative != b_negative) return a_negative;
  return a_negative ? a > b : a < b;
}

template <typename F, bool kMax>
Next op_extreme(Core &core, const Op &op) {
  if (off(core)) return core.illegal();
  const Bits<F> a = get<F>(core, op.rs1), b = get<F>(core, op.rs2);
  if (is_signaling<F>(a) || is_signaling<F>(b)) core.fflags |= kInvalid;
  Bits<F> result = total_less<F>(a, b) != kMax ? a : b;
  if (is_nan<F>(a)) result = is_nan<F>(b) ? Format<F>::kCanonicalNan : b;
  if (!is_nan<F>(a) && is_nan<F>(b)) result = a;
  put_bits<F>(core, op.rd, result);
  return Next::kContinue;
}

enum class Compare { kEqual, kLess, kLessEqual };

template <typename F, Compare kCompare>
Next op_compare(Core &core, const Op &op) {
  if (off(core)) return core.illegal();
  const Bits<F> a = get<F>(core, op.rs1), b = get<F>(core, op.rs2);
  bool result = false;
  if (is_nan<F>(a) || is_nan<F>(b)) {
    const bool quiet = kCompare == Compare::kEqual && !is_signaling<F>(a) && !is_signaling<F>(b);
    if (!quiet) core.fflags |= kInvalid;
  } else {
    const bool equal = a == b || (is_zero<F>(a) && is_zero<F>(b));
    const bool less = !equal && total_less<F>(a, b);
    result = kCompare == Compare::kEqual  ? equal
             : kCompare == Compare::kLess ? less
                                          : less || equal;
  }
  put_x(core, op.rd, result);
  return Next::kContinue;
}

template <typename F>
Next op_class(Core &core, const Op &op) {
  if (off(core)) return core.illegal();
  const Bits<F> a = get<F>(core, op.rs1), size = a & ~Format<F>::kSign;
  const bool negative = (a & Format<F>::kSign) != 0;
  const bool normal = (a & Format<F>::kExponent) != 0;
  int bit = 0;
  if (is_nan<F>(a)) {
    bit = is_signaling<F>(a) ? 8 : 9;
  } else {
    const int kind = is_infinite<F>(a) ? 0 : size == 0 ? 3 : normal ? 1 : 2;
    bit = negative ? kind : 7 - kind;
  }
  put_x(core, op.rd, uint64_t{1} << bit);
  return Next::kContinue;
}

template <typename F, typename Int>
Next op_to_int(Core &core, const Op &op) {
  const uint8_t mode = mode_of(core, op);
  if (mode > kRmm) return core.illegal();
  const Bits<F> bits = get<F>(core, op.rs1);
  using Limits = std::numeric_limits<Int>;
  const auto extended = [](Int value) {
    return static_cast<uint64_t>(static_cast<int64_t>(static_cast<std::make_signed_t<Int>>(value)));
  };
  Int result = Limits::max();
  if (is_nan<F>(bits)) {
    core.fflags |= kInvalid;
  } else {
    const double value = static_cast<double>(from_bits<F>(bits));
    const bool infinite = is_infinite<F>(bits);
    const double integral = infinite ? value : round_integral(value, mode);
    // Both bounds are exact as doubles: the lowest, and one more than the highest.
    const double low = static_cast<double>(Limits::min());
    const double high = 2.0 * static_cast<double>(Int{1} << (Limits::digits - 1));
    if (integral < low || integral >= high) {
      result = integral < low ? Limits::min() : Limits::max();
      core.fflags |= kInvalid;
    } else {
      result = static_cast<Int>(integral);
      if (integral != value) core.fflags |= kInexact;
    }
  }
  put_x(core, op.rd, extended(result));
  return Next::kContinue;
}

template <typename F, typename Int>
Next op_from_int(Core &core, const Op &op) {
  const uint8_t mode = mode_of(core, op);
  if (mode > kRmm) return core.illegal();
  const Int value = static_cast<Int>(core.x[op.rs1]);
  const auto host = [&] {
    if constexpr (std::is_signed_v<Int>) return host_from_signed<F>(value);
    return host_from_unsigned<F>(value);
  };
  put(core, op.rd, rounded<F>(mode, host, [&] { return static_cast<__float128>(value); }));
  return Next::kContinue;
}

Next op_narrow(Core &core, const Op &op) {
  const uint8_t mode = mode_of(core, op);
  if (mode > kRmm) return core.illegal();
  const double a = from_bits<double>(core.f[op.rs1]);
  const auto exact = [&] { return static_cast<__float128>(a); };
  put(core, op.rd,
      rounded<float>(
          mode, [&] { return host_narrow(a); }, exact));
  return Next::kContinue;
}

Next op_widen(Core &core, const Op &op) {
  if (mode_of(core, op) > kRmm) return core.illegal();
  put(core, op.rd, host_widen(from_bits<float>(get<float>(core, op.rs1))));
  return Next::kContinue;
}

template <typename F>
Next op_move_to_x(Core &core, const Op &op) {
  if (off(core)) return core.illegal();
  const uint64_t value = core.f[op.rs1];
  put_x(core, op.rd,
        sizeof(F) == 8 ? value : static_cast<uint64_t>(int64_t{static_cast<int32_t>(value)}));
  return Next::kContinue;
}

template <typename F>
Next op_move_from_x(Core &core, const Op &op) {
  if (off(core)) return core.illegal();
  put_bits<F>(core, op.rd, static_cast<Bits<F>>(core.x[op.rs1]));
  return Next::kContinue;
}

}  // namespace

void Core::begin_host_float() {
  saved_host_float_ = _mm_getcsr();
  _mm_setcsr(kMxcsrMasked);
  host_float_is_ours_ = true;
}

void Core::end_host_float() {
  fflags |= flags_of(_mm_getcsr());
  _mm_setcsr(saved_host_float_);
  host_float_is_ours_ = false;
}

uint32_t Core::float_flags() const {
  return fflags | (host_float_is_ours_ ? flags_of(_mm_getcsr()) : 0);
}

void Core::set_float_flags(uint32_t flags) {
  fflags = flags;
  if (host_float_is_ours_) _mm_setcsr(_mm_getcsr() & ~kMxcsrFlags);
}

Helper float_helper(Opcode opcode) {
  using enum Opcode;
  switch (opcode) {
#define FIRESIM_FLOAT(s, F)                    \
  case fmadd_##s:                              \
    return op_fused<F, false, false>;          \
  case fmsub_##s:                              \
    return op_fused<F, false, true>;           \
  case fnmsub_##s:                             \
    return op_fused<F, true, false>;           \
  case fnmadd_##s:                             \
    return op_fused<F, true, true>;            \
  case fadd_##s:                               \
    return op_add<F>;                          \
  case fsub_##s:                               \
    return op_sub<F>;                          \
  case fmul_##s:                               \
    return op_mul<F>;                          \
  case fdiv_##s:                               \
    return op_div<F>;                          \
  case fsqrt_##s:                              \
    return op_sqrt<F>;                         \
  case fsgnj_##s:                              \
    return op_sign<F, Sign::kCopy>;            \
  case fsgnjn_##s:                             \
    return op_sign<F, Sign::kNegate>;          \
  case fsgnjx_##s:                             \
    return op_sign<F, Sign::kXor>;             \
  case fmin_##s:                               \
    return op_extreme<F, false>;               \
  case fmax_##s:                               \
    return op_extreme<F, true>;                \
  case feq_##s:                                \
    return op_compare<F, Compare::kEqual>;     \
  case flt_##s:                                \
    return op_compare<F, Compare::kLess>;      \
  case fle_##s:                                \
    return op_compare<F, Compare::kLessEqual>; \
  case fclass_##s:                             \
    return op_class<F>;                        \
  case fcvt_w_##s:                             \
    return op_to_int<F, int32_t>;              \
  case fcvt_wu_##s:                            \
    return op_to_int<F, uint32_t>;             \
  case fcvt_l_##s:                             \
    return op_to_int<F, int64_t>;              \
  case fcvt_lu_##s:                            \
    return op_to_int<F, uint64_t>;             \
  case fcvt_##s##_w:                           \
    return op_from_int<F, int32_t>;            \
  case fcvt_##s##_wu:                          \
    return op_from_int<F, uint32_t>;           \
  case fcvt_##s##_l:                           \
    return op_from_int<F, int64_t>;            \
  case fcvt_##s##_lu:                          \
    return op_from_int<F, uint64_t>;
    FIRESIM_FLOAT(s, float)
    FIRESIM_FLOAT(d, double)
#undef FIRESIM_FLOAT
    case fmv_x_w:
      return op_move_to_x<float>;
    case fmv_w_x:
      return op_move_from_x<float>;
    case fmv_x_d:
      return op_move_to_x<double>;
    case fmv_d_x:
      return op_move_from_x<double>;
    case fcvt_s_d:
      return op_narrow;
    default:
      return op_widen;
  }
}

}  // namespace firesim::functional
