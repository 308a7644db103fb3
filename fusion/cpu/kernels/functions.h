// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Functions of a group by SLEEF's u10 family (at most 1 ULP), in the widest vectors of the unit's
// instruction set. For kernel units alone.

#ifndef FUSION_CPU_KERNELS_FUNCTIONS_H_
#define FUSION_CPU_KERNELS_FUNCTIONS_H_

#include <sleef.h>

#include "fusion/cpu/kernels/number_kernels.h"

namespace faultline::fusion::cpu {
namespace {

#if defined(__AVX512F__)
using FloatVector = __m512;
using DoubleVector = __m512d;
#define FAULTLINE_SLEEF_F(name) Sleef_##name##f16_u10avx512f
#define FAULTLINE_SLEEF_D(name) Sleef_##name##d8_u10avx512f
#elif defined(__AVX2__)
using FloatVector = __m256;
using DoubleVector = __m256d;
#define FAULTLINE_SLEEF_F(name) Sleef_##name##f8_u10avx2
#define FAULTLINE_SLEEF_D(name) Sleef_##name##d4_u10avx2
#else
using FloatVector = __m128;
using DoubleVector = __m128d;
#define FAULTLINE_SLEEF_F(name) Sleef_##name##f4_u10sse2
#define FAULTLINE_SLEEF_D(name) Sleef_##name##d2_u10sse2
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

#define FAULTLINE_FUNCTION(Name, name)                             \
  template <typename T>                                            \
  struct Name {                                                    \
    FAULTLINE_INLINE Lanes<T> operator()(Lanes<T> a) {             \
      if constexpr (sizeof(T) == 4) {                              \
        return Apart<FloatVector, T>(FAULTLINE_SLEEF_F(name), a);  \
      } else {                                                     \
        return Apart<DoubleVector, T>(FAULTLINE_SLEEF_D(name), a); \
      }                                                            \
    }                                                              \
  };
FAULTLINE_FUNCTION(SleefExp, exp)
FAULTLINE_FUNCTION(LogOp, log)
FAULTLINE_FUNCTION(TanhOp, tanh)
FAULTLINE_FUNCTION(ErfOp, erf)
#undef FAULTLINE_FUNCTION

template <typename T>
struct SleefPow {
  FAULTLINE_INLINE Lanes<T> operator()(Lanes<T> a, Lanes<T> b) {
    if constexpr (sizeof(T) == 4) {
      return Apart<FloatVector, T>(FAULTLINE_SLEEF_F(pow), a, b);
    } else {
      return Apart<DoubleVector, T>(FAULTLINE_SLEEF_D(pow), a, b);
    }
  }
};

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

template <typename T>
constexpr void SetFunctions(RegKernels& kernels) {
  SetUnary<T, ExpOp<T>>(kernels, Op::kExp);
  SetUnary<T, LogOp<T>>(kernels, Op::kLog);
  SetUnary<T, TanhOp<T>>(kernels, Op::kTanh);
  SetUnary<T, ErfOp<T>>(kernels, Op::kErf);
  SetBinary<T, PowOp<T>>(kernels, Op::kPow);
}

}  // namespace
}  // namespace faultline::fusion::cpu

#endif  // FUSION_CPU_KERNELS_FUNCTIONS_H_
