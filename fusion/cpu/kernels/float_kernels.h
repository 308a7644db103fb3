// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Kernels of the float registers but for the functions. For kernel units alone.

#ifndef FUSION_CPU_KERNELS_FLOAT_KERNELS_H_
#define FUSION_CPU_KERNELS_FLOAT_KERNELS_H_

#include "fusion/cpu/kernels/number_kernels.h"

namespace faultline::fusion::cpu {
namespace {

template <typename T>
inline constexpr UnsignedOf<T> kSignBit = UnsignedOf<T>{1} << (8 * sizeof(T) - 1);

template <typename T>
FAULTLINE_INLINE Lanes<T> Magnitude(Lanes<T> a) {
  using Ints = Lanes<UnsignedOf<T>>;
  return Bits<Lanes<T>>(Bits<Ints>(a) & ~kSignBit<T>);
}

template <typename T>
FAULTLINE_INLINE Lanes<T> WithSignOf(Lanes<T> magnitude, Lanes<T> sign) {
  using Ints = Lanes<UnsignedOf<T>>;
  return Bits<Lanes<T>>(Bits<Ints>(magnitude) | (Bits<Ints>(sign) & kSignBit<T>));
}

template <typename T>
struct NegOp {
  FAULTLINE_INLINE Lanes<T> operator()(Lanes<T> a) {
    return Bits<Lanes<T>>(Bits<Lanes<UnsignedOf<T>>>(a) ^ kSignBit<T>);
  }
};
template <typename T>
struct AbsOp {
  FAULTLINE_INLINE Lanes<T> operator()(Lanes<T> a) { return Magnitude<T>(a); }
};
template <typename T>
struct RecipOp {
  FAULTLINE_INLINE Lanes<T> operator()(Lanes<T> a) { return All<T>(1) / a; }
};
template <typename T>
struct DivOp {
  FAULTLINE_INLINE Lanes<T> operator()(Lanes<T> a, Lanes<T> b) { return a / b; }
};
#define FAULTLINE_BUILTIN(Name, builtin)               \
  template <typename T>                                \
  struct Name {                                        \
    FAULTLINE_INLINE Lanes<T> operator()(Lanes<T> a) { \
      return __builtin_elementwise_##builtin(a);       \
    }                                                  \
  };
FAULTLINE_BUILTIN(SqrtOp, sqrt)
FAULTLINE_BUILTIN(FloorOp, floor)
FAULTLINE_BUILTIN(CeilOp, ceil)
FAULTLINE_BUILTIN(TruncOp, trunc)
FAULTLINE_BUILTIN(RoundEvenOp, roundeven)
#undef FAULTLINE_BUILTIN

FAULTLINE_INLINE float Modulo(float a, float b) { return __builtin_fmodf(a, b); }
FAULTLINE_INLINE double Modulo(double a, double b) { return __builtin_fmod(a, b); }
FAULTLINE_INLINE float ZeroLike(float sign) { return __builtin_copysignf(0, sign); }
FAULTLINE_INLINE double ZeroLike(double sign) { return __builtin_copysign(0, sign); }

// fmod is exact, so moving it to the divisor's side is the one rounding. y = +-inf falls out: fmod
// gives x, and x + y is y.
template <typename T>
struct RemOp {
  FAULTLINE_INLINE Lanes<T> operator()(Lanes<T> a, Lanes<T> b) {
    Lanes<T> result;
    for (int i = 0; i < 16; ++i) {
      const T r = Modulo(a[i], b[i]);
      const bool other_side = (r < 0) != (b[i] < 0);
      result[i] = r == 0 ? ZeroLike(b[i]) : other_side ? r + b[i] : r;
    }
    return result;
  }
};

// Where a float format of 1 + kExponentBits + kMantissa bits lies in T.
template <typename T>
struct FormatOfFloat;
template <>
struct FormatOfFloat<float> {
  static constexpr int kMantissa = 23;
  static constexpr int kBias = 127;
};
template <>
struct FormatOfFloat<double> {
  static constexpr int kMantissa = 52;
  static constexpr int kBias = 1023;
};

// To the nearest value of a narrow format with kMantissa explicit bits and exponents kLeast (of the
// least normal) to kGreatest, ties to even, overflow to infinity. NaN stays NaN, made quiet.
template <typename T, int kMantissa, int kLeast, int kGreatest>
struct RoundOp {
  FAULTLINE_INLINE Lanes<T> operator()(Lanes<T> a) {
    using U = UnsignedOf<T>;
    using S = SignedOf<T>;
    using Own = FormatOfFloat<T>;
    constexpr int kDrop = Own::kMantissa - kMantissa;
    constexpr U kInfinity = U{2 * Own::kBias + 1} << Own::kMantissa;
    constexpr U kOverflow = U{Own::kBias + kGreatest + 1} << Own::kMantissa;
    const Lanes<T> magnitude = Magnitude<T>(a);
    const Lanes<U> bits = Bits<Lanes<U>>(magnitude);
    Lanes<U> normal = bits + ((U{1} << (kDrop - 1)) - 1) + ((bits >> kDrop) & U{1});
    normal &= ~((U{1} << kDrop) - 1);
    const Lanes<S> too_large = Bits<Lanes<S>>(normal) >= static_cast<S>(kOverflow);
    normal = Bits<Lanes<U>>(
        Choose<T>(too_large, Bits<Lanes<T>>(Lanes<U>{} + kInfinity), Bits<Lanes<T>>(normal)));
    Lanes<T> result = Bits<Lanes<T>>(normal);
    if constexpr (kLeast > 1 - Own::kBias) {
      // Below the least normal the grid is even: adding a number whose last place is the quantum
      // rounds to it.
      constexpr int kQuantum = kLeast - kMantissa;
      constexpr U kAnchor = static_cast<U>(Own::kBias + kQuantum + Own::kMantissa)
                            << Own::kMantissa;
      constexpr U kNormal = static_cast<U>(Own::kBias + kLeast) << Own::kMantissa;
      const Lanes<T> anchor = Bits<Lanes<T>>(Lanes<U>{} + kAnchor);
      const Lanes<T> subnormal = (magnitude + anchor) - anchor;
      const Lanes<S> small = Bits<Lanes<S>>(bits) < static_cast<S>(kNormal);
      result = Choose<T>(small, subnormal, result);
    }
    result = WithSignOf<T>(result, a);
    constexpr U kQuiet = U{1} << (Own::kMantissa - 1);
    const Lanes<T> nan = Bits<Lanes<T>>(Bits<Lanes<U>>(a) | kQuiet);
    return Choose<T>(IsNan<T>(a), nan, result);
  }
};
template <typename T>
using RoundF16Op = RoundOp<T, 10, -14, 15>;
template <typename T>
using RoundBf16Op = RoundOp<T, 7, -126, 127>;

// Truncates, saturates; NaN gives 0.
template <typename From, typename To>
struct SaturatingConvert {
  FAULTLINE_INLINE Lanes<To> operator()(Lanes<From> a) {
    constexpr bool kSigned = static_cast<To>(-1) < To{0};
    constexpr int kBits = 8 * static_cast<int>(sizeof(To)) - (kSigned ? 1 : 0);
    // 2^kBits, one beyond the greatest; exact in either float.
    constexpr From kEnd = kBits == 64   ? From(18446744073709551616.0)
                          : kBits == 63 ? From(9223372036854775808.0)
                          : kBits == 32 ? From(4294967296.0)
                                        : From(2147483648.0);
    const Truth<From> above = a >= kEnd;
    const Truth<From> inside = kSigned ? (a >= -kEnd) & ~above : (a > From{0}) & ~above;
    const Lanes<From> safe = Choose<From>(inside, a, Lanes<From>{});
    Lanes<To> result = __builtin_convertvector(safe, Lanes<To>);
    const Truth<To> high = __builtin_convertvector(above, Truth<To>);
    result = Choose<To>(high, Lanes<To>{} + Limits<To>::kGreatest, result);
    if constexpr (kSigned) {
      const Truth<To> low = __builtin_convertvector(a < -kEnd, Truth<To>);
      result = Choose<To>(low, Lanes<To>{} + Limits<To>::kLeast, result);
    }
    return result;
  }
};

template <typename T>
struct ReversedSubOp {
  FAULTLINE_INLINE Lanes<T> operator()(Lanes<T> a, Lanes<T> b) { return b - a; }
};

template <typename T, typename First, typename Second>
void PairLoop(std::byte* dst, const Operand& a, const Operand& b, const Operand& c, int64_t groups,
              uint64_t) {
  constexpr int64_t kBytes = sizeof(Lanes<T>);
  const std::byte* x = a.data;
  const std::byte* y = b.data;
  const std::byte* z = c.data;
  const int64_t x_step = a.step;
  const int64_t y_step = b.step;
  const int64_t z_step = c.step;
  FAULTLINE_UNROLL
  for (int64_t g = 0; g < groups; ++g) {
    Write<T>(dst + g * kBytes, Second{}(First{}(Read<T>(x), Read<T>(y)), Read<T>(z)));
    x += x_step;
    y += y_step;
    z += z_step;
  }
}

template <typename T, typename First, typename Second, typename Third>
void TripleLoop(std::byte* dst, const Operand& a, const Operand& b, const Operand& c,
                int64_t groups, uint64_t) {
  constexpr int64_t kBytes = sizeof(Lanes<T>);
  const Operand& d = (&c)[1];
  const std::byte* x = a.data;
  const std::byte* y = b.data;
  const std::byte* z = c.data;
  const std::byte* w = d.data;
  const int64_t x_step = a.step;
  const int64_t y_step = b.step;
  const int64_t z_step = c.step;
  const int64_t w_step = d.step;
  _Pragma("clang loop unroll_count(2)") for (int64_t g = 0; g < groups; ++g) {
    const Lanes<T> pair = Second{}(First{}(Read<T>(x), Read<T>(y)), Read<T>(z));
    Write<T>(dst + g * kBytes, Third{}(pair, Read<T>(w)));
    x += x_step;
    y += y_step;
    z += z_step;
    w += w_step;
  }
}

template <typename T, typename First, typename Second>
constexpr void SetTriples(OpKernel* kernels) {
  kernels[0] = TripleLoop<T, First, Second, AddOp<T>>;
  kernels[1] = TripleLoop<T, First, Second, SubOp<T>>;
  kernels[2] = TripleLoop<T, First, Second, MulOp<T>>;
  kernels[3] = TripleLoop<T, First, Second, ReversedSubOp<T>>;
}

template <typename T, typename First>
constexpr void SetPairs(RegKernels& kernels, int first) {
  OpKernel* pairs = kernels.pairs[first];
  pairs[0] = PairLoop<T, First, AddOp<T>>;
  pairs[1] = PairLoop<T, First, SubOp<T>>;
  pairs[2] = PairLoop<T, First, MulOp<T>>;
  pairs[3] = PairLoop<T, First, ReversedSubOp<T>>;
  SetTriples<T, First, AddOp<T>>(kernels.triples[first][0]);
  SetTriples<T, First, SubOp<T>>(kernels.triples[first][1]);
  SetTriples<T, First, MulOp<T>>(kernels.triples[first][2]);
  SetTriples<T, First, ReversedSubOp<T>>(kernels.triples[first][3]);
}

template <typename T>
constexpr RegKernels FloatKernels() {
  RegKernels kernels = NumberKernels<T>();
  SetPairs<T, AddOp<T>>(kernels, 0);
  SetPairs<T, SubOp<T>>(kernels, 1);
  SetPairs<T, MulOp<T>>(kernels, 2);
  SetBinary<T, DivOp<T>>(kernels, Op::kDiv);
  SetBinary<T, RemOp<T>>(kernels, Op::kRem);
  SetUnary<T, NegOp<T>>(kernels, Op::kNeg);
  SetUnary<T, AbsOp<T>>(kernels, Op::kAbs);
  SetUnary<T, RecipOp<T>>(kernels, Op::kRecip);
  SetUnary<T, SqrtOp<T>>(kernels, Op::kSqrt);
  SetUnary<T, FloorOp<T>>(kernels, Op::kFloor);
  SetUnary<T, CeilOp<T>>(kernels, Op::kCeil);
  SetUnary<T, TruncOp<T>>(kernels, Op::kTrunc);
  SetUnary<T, RoundEvenOp<T>>(kernels, Op::kRoundEven);
  SetUnary<T, RoundF16Op<T>>(kernels, Op::kRoundF16);
  SetUnary<T, RoundBf16Op<T>>(kernels, Op::kRoundBf16);
  auto convert = [&](Reg to) -> OpKernel& { return kernels.convert[static_cast<int>(to)]; };
  convert(Reg::kI32) = UnaryLoop<int32_t, T, SaturatingConvert<T, int32_t>>;
  convert(Reg::kU32) = UnaryLoop<uint32_t, T, SaturatingConvert<T, uint32_t>>;
  convert(Reg::kI64) = UnaryLoop<int64_t, T, SaturatingConvert<T, int64_t>>;
  convert(Reg::kU64) = UnaryLoop<uint64_t, T, SaturatingConvert<T, uint64_t>>;
  convert(Reg::kMask) = UnaryLoop<uint8_t, T, ToMaskOp<T>>;
  return kernels;
}

}  // namespace
}  // namespace faultline::fusion::cpu

#endif  // FUSION_CPU_KERNELS_FLOAT_KERNELS_H_
