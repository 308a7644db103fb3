// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Functions of a group by SLEEF's u10 family (at most 1 ULP), in the widest vectors of the unit's
// instruction set, completed where that family is not. For kernel units alone.

#ifndef FUSION_CPU_KERNELS_FUNCTIONS_H_
#define FUSION_CPU_KERNELS_FUNCTIONS_H_

#include <sleef.h>

#include "fusion/cpu/kernels/float_kernels.h"

namespace faultline::fusion::cpu {
namespace {

#if defined(__AVX512F__)
using FloatVector = __m512;
using DoubleVector = __m512d;
#define FAULTLINE_SLEEF_F(name, family) Sleef_##name##f16_##family##avx512f
#define FAULTLINE_SLEEF_D(name, family) Sleef_##name##d8_##family##avx512f
#elif defined(__AVX2__)
using FloatVector = __m256;
using DoubleVector = __m256d;
#define FAULTLINE_SLEEF_F(name, family) Sleef_##name##f8_##family##avx2
#define FAULTLINE_SLEEF_D(name, family) Sleef_##name##d4_##family##avx2
#else
using FloatVector = __m128;
using DoubleVector = __m128d;
#define FAULTLINE_SLEEF_F(name, family) Sleef_##name##f4_##family##sse2
#define FAULTLINE_SLEEF_D(name, family) Sleef_##name##d2_##family##sse2
#endif

// f over the parts of a group.
template <typename V, typename T, typename F>
FAULTLINE_INLINE Lanes<T> Apart(F f, Lanes<T> a) {
  constexpr size_t kParts = sizeof(Lanes<T>) / sizeof(V);
  V parts[kParts];
  __builtin_memcpy(parts, &a, sizeof(a));
  for (size_t i = 0; i < kParts; ++i) parts[i] = f(parts[i]);
  __builtin_memcpy(&a, parts, sizeof(a));
  return a;
}
template <typename V, typename T, typename F>
FAULTLINE_INLINE Lanes<T> Apart(F f, Lanes<T> a, Lanes<T> b) {
  constexpr size_t kParts = sizeof(Lanes<T>) / sizeof(V);
  V left[kParts];
  V right[kParts];
  __builtin_memcpy(left, &a, sizeof(a));
  __builtin_memcpy(right, &b, sizeof(b));
  for (size_t i = 0; i < kParts; ++i) left[i] = f(left[i], right[i]);
  __builtin_memcpy(&a, left, sizeof(a));
  return a;
}

#define FAULTLINE_FUNCTION(Name, name)                                  \
  template <typename T>                                                 \
  struct Name {                                                         \
    FAULTLINE_INLINE Lanes<T> operator()(Lanes<T> a) {                  \
      if constexpr (sizeof(T) == 4) {                                   \
        return Apart<FloatVector, T>(FAULTLINE_SLEEF_F(name, u10), a);  \
      } else {                                                          \
        return Apart<DoubleVector, T>(FAULTLINE_SLEEF_D(name, u10), a); \
      }                                                                 \
    }                                                                   \
  };
FAULTLINE_FUNCTION(SleefExp, exp)
FAULTLINE_FUNCTION(LogOp, log)
FAULTLINE_FUNCTION(TanhOp, tanh)
FAULTLINE_FUNCTION(ErfOp, erf)
FAULTLINE_FUNCTION(SleefLog1p, log1p)
FAULTLINE_FUNCTION(SinOp, sin)
FAULTLINE_FUNCTION(CosOp, cos)
FAULTLINE_FUNCTION(SleefTan, tan)
FAULTLINE_FUNCTION(SleefSinh, sinh)
FAULTLINE_FUNCTION(SleefCosh, cosh)
FAULTLINE_FUNCTION(AsinOp, asin)
FAULTLINE_FUNCTION(AcosOp, acos)
FAULTLINE_FUNCTION(AtanOp, atan)
FAULTLINE_FUNCTION(SleefAsinh, asinh)
FAULTLINE_FUNCTION(SleefAcosh, acosh)
FAULTLINE_FUNCTION(SleefAtanh, atanh)
#undef FAULTLINE_FUNCTION

#define FAULTLINE_FUNCTION_OF_TWO(Name, name, family)                         \
  template <typename T>                                                       \
  struct Name {                                                               \
    FAULTLINE_INLINE Lanes<T> operator()(Lanes<T> a, Lanes<T> b) {            \
      if constexpr (sizeof(T) == 4) {                                         \
        return Apart<FloatVector, T>(FAULTLINE_SLEEF_F(name, family), a, b);  \
      } else {                                                                \
        return Apart<DoubleVector, T>(FAULTLINE_SLEEF_D(name, family), a, b); \
      }                                                                       \
    }                                                                         \
  };
FAULTLINE_FUNCTION_OF_TWO(SleefPow, pow, u10)
FAULTLINE_FUNCTION_OF_TWO(Atan2Op, atan2, u10)
FAULTLINE_FUNCTION_OF_TWO(HypotOp, hypot, u05)
#undef FAULTLINE_FUNCTION_OF_TWO

FAULTLINE_INLINE float LibraryExp(float a) { return __builtin_expf(a); }
FAULTLINE_INLINE double LibraryExp(double a) { return __builtin_exp(a); }
FAULTLINE_INLINE float LibraryPow(float a, float b) { return __builtin_powf(a, b); }
FAULTLINE_INLINE double LibraryPow(double a, double b) { return __builtin_pow(a, b); }

// Whether a lane is infinite though its operands are not.
template <typename T>
FAULTLINE_INLINE Truth<T> Overflowed(Lanes<T> result, Lanes<T> a) {
  const Lanes<T> zero = Lanes<T>{};
  return (result - result != zero) & (a - a == zero);
}

template <typename T>
FAULTLINE_INLINE bool AnyLane(Truth<T> truth) {
  return __builtin_reduce_or(truth) != 0;
}

// SLEEF calls overflow a little early (exp of f64 from 709.7827111 on, where the last finite result
// belongs to 709.7827128), so the library of the system decides those lanes, one by one.
template <typename T>
struct ExpOp {
  FAULTLINE_INLINE Lanes<T> operator()(Lanes<T> a) {
    Lanes<T> result = SleefExp<T>{}(a);
    const Truth<T> again = Overflowed<T>(result, a);
    if (__builtin_expect(!AnyLane<T>(again), 1)) return result;
    for (int i = 0; i < 16; ++i) {
      if (again[i] != 0) result[i] = LibraryExp(a[i]);
    }
    return result;
  }
};

template <typename T>
struct PowOp {
  FAULTLINE_INLINE Lanes<T> operator()(Lanes<T> a, Lanes<T> b) {
    Lanes<T> result = SleefPow<T>{}(a, b);
    const Truth<T> again = Overflowed<T>(result, a) & (b - b == Lanes<T>{});
    if (__builtin_expect(!AnyLane<T>(again), 1)) return result;
    for (int i = 0; i < 16; ++i) {
      if (again[i] != 0) result[i] = LibraryPow(a[i], b[i]);
    }
    return result;
  }
};

// The function of the system in a wider type, rounded once.
#define FAULTLINE_LIBRARY(Name, name)                                               \
  struct Name {                                                                     \
    static FAULTLINE_INLINE float Of(float a) {                                     \
      return static_cast<float>(__builtin_##name(static_cast<double>(a)));          \
    }                                                                               \
    static FAULTLINE_INLINE double Of(double a) {                                   \
      return static_cast<double>(__builtin_##name##l(static_cast<long double>(a))); \
    }                                                                               \
  };
FAULTLINE_LIBRARY(LibraryLog1p, log1p)
FAULTLINE_LIBRARY(LibrarySinh, sinh)
FAULTLINE_LIBRARY(LibraryCosh, cosh)
FAULTLINE_LIBRARY(LibraryAsinh, asinh)
FAULTLINE_LIBRARY(LibraryAcosh, acosh)
#undef FAULTLINE_LIBRARY

// SLEEF's log1p, asinh and acosh are infinite for large arguments (from 2^64 on in f32, say), its
// sinh and cosh early: the system decides those lanes.
template <typename T, typename Sleef, typename Library>
struct Completed {
  FAULTLINE_INLINE Lanes<T> operator()(Lanes<T> a) {
    Lanes<T> result = Sleef{}(a);
    const Truth<T> again =
        (Magnitude<T>(result) == All<T>(Limits<T>::kGreatest)) & (a - a == Lanes<T>{});
    if (__builtin_expect(!AnyLane<T>(again), 1)) return result;
    for (int i = 0; i < 16; ++i) {
      if (again[i] != 0) result[i] = Library::Of(a[i]);
    }
    return result;
  }
};

// Where |x| is below the limit f(x) = x to less than half a place: odd functions differ from it by
// x^3/3 at most. SLEEF is off by a little more than 1 ULP there.
template <typename T, typename F>
struct ItselfNearZero {
  FAULTLINE_INLINE Lanes<T> operator()(Lanes<T> a) {
    constexpr T kLimit = sizeof(T) == 4 ? T(0x1p-13) : T(0x1p-28);
    return Choose<T>(Magnitude<T>(a) < kLimit, a, F{}(a));
  }
};

// log1p differs from x by x^2/2.
template <typename T>
struct Log1pOp {
  FAULTLINE_INLINE Lanes<T> operator()(Lanes<T> a) {
    constexpr T kLimit = sizeof(T) == 4 ? T(0x1p-25) : T(0x1p-54);
    const Lanes<T> result = Completed<T, SleefLog1p<T>, LibraryLog1p>{}(a);
    return Choose<T>(Magnitude<T>(a) < kLimit, a, result);
  }
};

FAULTLINE_INLINE bool IsBeyondDouble(int64_t n) {
  constexpr int64_t kExact = int64_t{1} << 53;
  return n > kExact || n < -kExact;
}

// |x| to the n, within 1 ULP. For f32 in f64, which holds every n that matters: beyond 2^53 the
// power of anything but 1 is 0 or infinite.
FAULTLINE_INLINE Lanes<float> MagnitudeToThe(Lanes<float> x, Lanes<int64_t> n) {
  const Lanes<double> power = SleefPow<double>{}(__builtin_convertvector(x, Lanes<double>),
                                                 __builtin_convertvector(n, Lanes<double>));
  return __builtin_convertvector(power, Lanes<float>);
}
FAULTLINE_INLINE Lanes<double> MagnitudeToThe(Lanes<double> x, Lanes<int64_t> n) {
  Lanes<double> power = PowOp<double>{}(x, __builtin_convertvector(n, Lanes<double>));
  for (int i = 0; i < 16; ++i) {
    if (__builtin_expect(IsBeyondDouble(n[i]), 0) && x[i] != 0 && x[i] - x[i] == 0) {
      power[i] = static_cast<double>(
          __builtin_powl(static_cast<long double>(x[i]), static_cast<long double>(n[i])));
    }
  }
  return power;
}

// The pinned cases 0, 1, 2 and -1, else the power with the sign of an odd one.
template <typename T>
struct PowiOp {
  FAULTLINE_INLINE Lanes<T> operator()(Lanes<T> a, Lanes<int64_t> n) {
    const auto is = [&](Lanes<int64_t> where) { return __builtin_convertvector(where, Truth<T>); };
    const Lanes<T> power = MagnitudeToThe(Magnitude<T>(a), n);
    Lanes<T> result = Choose<T>(is((n & int64_t{1}) != int64_t{0}), WithSignOf<T>(power, a), power);
    result = Choose<T>(is(n == int64_t{0}), All<T>(1), result);
    result = Choose<T>(is(n == int64_t{1}), a, result);
    result = Choose<T>(is(n == int64_t{2}), a * a, result);
    return Choose<T>(is(n == int64_t{-1}), All<T>(1) / a, result);
  }
};

template <typename T>
constexpr void SetFunctions(RegKernels& kernels) {
  SetUnary<T, ExpOp<T>>(kernels, Op::kExp);
  SetUnary<T, LogOp<T>>(kernels, Op::kLog);
  SetUnary<T, TanhOp<T>>(kernels, Op::kTanh);
  SetUnary<T, ErfOp<T>>(kernels, Op::kErf);
  SetBinary<T, PowOp<T>>(kernels, Op::kPow);
  kernels.ops[static_cast<int>(Op::kPowi)] = PowerLoop<T, PowiOp<T>>;
  SetUnary<T, Log1pOp<T>>(kernels, Op::kLog1p);
  SetUnary<T, SinOp<T>>(kernels, Op::kSin);
  SetUnary<T, CosOp<T>>(kernels, Op::kCos);
  SetUnary<T, ItselfNearZero<T, SleefTan<T>>>(kernels, Op::kTan);
  SetUnary<T, ItselfNearZero<T, Completed<T, SleefSinh<T>, LibrarySinh>>>(kernels, Op::kSinh);
  SetUnary<T, Completed<T, SleefCosh<T>, LibraryCosh>>(kernels, Op::kCosh);
  SetUnary<T, AsinOp<T>>(kernels, Op::kAsin);
  SetUnary<T, AcosOp<T>>(kernels, Op::kAcos);
  SetUnary<T, AtanOp<T>>(kernels, Op::kAtan);
  SetUnary<T, ItselfNearZero<T, Completed<T, SleefAsinh<T>, LibraryAsinh>>>(kernels, Op::kAsinh);
  SetUnary<T, Completed<T, SleefAcosh<T>, LibraryAcosh>>(kernels, Op::kAcosh);
  SetUnary<T, ItselfNearZero<T, SleefAtanh<T>>>(kernels, Op::kAtanh);
  SetBinary<T, Atan2Op<T>>(kernels, Op::kAtan2);
  SetBinary<T, HypotOp<T>>(kernels, Op::kHypot);
}

}  // namespace
}  // namespace faultline::fusion::cpu

#endif  // FUSION_CPU_KERNELS_FUNCTIONS_H_
