// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Groups of 16 lanes as vector types, and the loops of a kernel around a function of lanes. For
// kernel units alone: everything is in an anonymous namespace and nothing comes from the standard
// library, so that code built for one instruction set stays in its unit.

#ifndef FUSION_CPU_KERNELS_LANES_H_
#define FUSION_CPU_KERNELS_LANES_H_

#include "fusion/cpu/kernels/kernels.h"

namespace faultline::fusion::cpu {
namespace {

#define FAULTLINE_INLINE inline __attribute__((always_inline))

template <typename T>
struct LanesOf {
  typedef T Type __attribute__((vector_size(16 * sizeof(T))));
};
template <typename T>
using Lanes = typename LanesOf<T>::Type;

// Same-sized signed and unsigned ints.
template <int kBytes>
struct IntOf;
template <>
struct IntOf<1> {
  using Signed = int8_t;
  using Unsigned = uint8_t;
};
template <>
struct IntOf<2> {
  using Signed = int16_t;
  using Unsigned = uint16_t;
};
template <>
struct IntOf<4> {
  using Signed = int32_t;
  using Unsigned = uint32_t;
};
template <>
struct IntOf<8> {
  using Signed = int64_t;
  using Unsigned = uint64_t;
};
template <typename T>
using SignedOf = typename IntOf<sizeof(T)>::Signed;
template <typename T>
using UnsignedOf = typename IntOf<sizeof(T)>::Unsigned;

// A comparison's result: all bits of a lane set, or none.
template <typename T>
using Truth = Lanes<SignedOf<T>>;

template <typename T>
FAULTLINE_INLINE Lanes<T> Read(const std::byte* from) {
  Lanes<T> lanes;
  __builtin_memcpy(&lanes, from, sizeof(lanes));
  return lanes;
}

template <typename T>
FAULTLINE_INLINE void Write(std::byte* to, Lanes<T> lanes) {
  __builtin_memcpy(to, &lanes, sizeof(lanes));
}

template <typename To, typename From>
FAULTLINE_INLINE To Bits(From from) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}

template <typename T>
FAULTLINE_INLINE Lanes<T> All(T value) {
  return Lanes<T>{} + value;
}

template <>
FAULTLINE_INLINE Lanes<float> All(float value) {
  return Lanes<float>{value, value, value, value, value, value, value, value,
                      value, value, value, value, value, value, value, value};
}
template <>
FAULTLINE_INLINE Lanes<double> All(double value) {
  return Lanes<double>{value, value, value, value, value, value, value, value,
                       value, value, value, value, value, value, value, value};
}

// Bitwise choice, so that NaN payloads pass unchanged.
template <typename T>
FAULTLINE_INLINE Lanes<T> Choose(Truth<T> where, Lanes<T> if_true, Lanes<T> if_false) {
  using Ints = Lanes<SignedOf<T>>;
  return Bits<Lanes<T>>((where & Bits<Ints>(if_true)) | (~where & Bits<Ints>(if_false)));
}

FAULTLINE_INLINE Lanes<uint8_t> ToMask(Lanes<int8_t> truth) {
  return Bits<Lanes<uint8_t>>(truth) & uint8_t{1};
}
FAULTLINE_INLINE Lanes<uint8_t> ToMask(Lanes<int32_t> truth) {
  return ToMask(__builtin_convertvector(truth, Lanes<int8_t>));
}
FAULTLINE_INLINE Lanes<uint8_t> ToMask(Lanes<int64_t> truth) {
  return ToMask(__builtin_convertvector(truth, Lanes<int8_t>));
}

template <typename T>
FAULTLINE_INLINE Truth<T> FromMask(Lanes<uint8_t> mask) {
  return __builtin_convertvector(Bits<Lanes<int8_t>>(mask != uint8_t{0}), Truth<T>);
}

// Kernels around a function object of lanes. `To` and `From` are element types of the tiles. The
// loops are unrolled by hand of the compiler; a broadcast operand stays in its register.
#define FAULTLINE_UNROLL _Pragma("clang loop unroll_count(4)")

template <typename To, typename From, typename F>
void UnaryLoop(std::byte* dst, const Operand& a, const Operand&, const Operand&, int64_t groups,
               uint64_t) {
  constexpr int64_t kTo = sizeof(Lanes<To>);
  const std::byte* from = a.data;
  const int64_t step = a.step;
  FAULTLINE_UNROLL
  for (int64_t g = 0; g < groups; ++g) Write<To>(dst + g * kTo, F{}(Read<From>(from + g * step)));
}

template <typename To, typename From, typename F>
void BinaryLoop(std::byte* dst, const Operand& a, const Operand& b, const Operand&, int64_t groups,
                uint64_t) {
  constexpr int64_t kTo = sizeof(Lanes<To>);
  constexpr int64_t kFrom = sizeof(Lanes<From>);
  const std::byte* left = a.data;
  const std::byte* right = b.data;
  if (a.step != 0 && b.step != 0) {
    FAULTLINE_UNROLL
    for (int64_t g = 0; g < groups; ++g) {
      Write<To>(dst + g * kTo, F{}(Read<From>(left + g * kFrom), Read<From>(right + g * kFrom)));
    }
  } else if (a.step != 0) {
    const Lanes<From> same = Read<From>(right);
    FAULTLINE_UNROLL
    for (int64_t g = 0; g < groups; ++g) {
      Write<To>(dst + g * kTo, F{}(Read<From>(left + g * kFrom), same));
    }
  } else {
    const Lanes<From> same = Read<From>(left);
    const int64_t step = b.step;
    FAULTLINE_UNROLL
    for (int64_t g = 0; g < groups; ++g) {
      Write<To>(dst + g * kTo, F{}(same, Read<From>(right + g * step)));
    }
  }
}

// The second operand is i64.
template <typename T, typename F>
void PowerLoop(std::byte* dst, const Operand& a, const Operand& b, const Operand&, int64_t groups,
               uint64_t) {
  const std::byte* base = a.data;
  const std::byte* exponent = b.data;
  for (int64_t g = 0; g < groups; ++g, base += a.step, exponent += b.step) {
    Write<T>(dst, F{}(Read<T>(base), Read<int64_t>(exponent)));
    dst += sizeof(Lanes<T>);
  }
}

template <typename T>
void SelectLoop(std::byte* dst, const Operand& a, const Operand& b, const Operand& c,
                int64_t groups, uint64_t) {
  const std::byte* mask = a.data;
  const std::byte* yes = b.data;
  const std::byte* no = c.data;
  for (int64_t g = 0; g < groups;
       ++g, mask += a.step, yes += b.step, no += c.step, dst += sizeof(Lanes<T>)) {
    Write<T>(dst, Choose<T>(FromMask<T>(Read<uint8_t>(mask)), Read<T>(yes), Read<T>(no)));
  }
}

// Lane i of the result is first + i.
template <typename T>
FAULTLINE_INLINE Lanes<T> Count(T first) {
  Lanes<T> lanes;
  for (int i = 0; i < 16; ++i) lanes[i] = static_cast<T>(first + static_cast<T>(i));
  return lanes;
}

// The lanes before `count` keep their value, the others become `rest`.
template <typename T>
FAULTLINE_INLINE Lanes<T> Head(Lanes<T> lanes, int64_t count, T rest) {
  using Int = SignedOf<T>;
  return Choose<T>(Count<Int>(0) < static_cast<Int>(count), lanes, All<T>(rest));
}

// F: associative, with kStart that changes nothing.
template <typename T, typename F>
void AccumulateLoop(std::byte* accumulators, const Operand& a, int64_t count) {
  constexpr int64_t kBytes = sizeof(Lanes<T>);
  Lanes<T> acc[kAccumulators];
  for (int k = 0; k < kAccumulators; ++k) acc[k] = Read<T>(accumulators + k * kBytes);
  const std::byte* from = a.data;
  const int64_t groups = count / kGroup;
  int64_t g = 0;
  for (; g + kAccumulators <= groups; g += kAccumulators) {
    for (int k = 0; k < kAccumulators; ++k, from += a.step) {
      acc[k] = F{}(acc[k], F::Take(Read<T>(from)));
    }
  }
  int k = 0;
  for (; g < groups; ++g, ++k, from += a.step) acc[k] = F{}(acc[k], F::Take(Read<T>(from)));
  const int64_t rest = count % kGroup;
  if (rest != 0) acc[k] = F{}(acc[k], Head<T>(F::Take(Read<T>(from)), rest, F::kStart));
  for (int j = 0; j < kAccumulators; ++j) Write<T>(accumulators + j * kBytes, acc[j]);
}

template <typename T, typename F>
void Fold(std::byte* result, const std::byte* accumulators) {
  constexpr int64_t kBytes = sizeof(Lanes<T>);
  Lanes<T> low = F{}(Read<T>(accumulators), Read<T>(accumulators + kBytes));
  Lanes<T> high = F{}(Read<T>(accumulators + 2 * kBytes), Read<T>(accumulators + 3 * kBytes));
  Lanes<T> lanes = F{}(low, high);
  for (int width = 8; width >= 1; width /= 2) {
    Lanes<T> shifted = lanes;
    for (int i = 0; i < width; ++i) shifted[i] = lanes[i + width];
    lanes = F{}(lanes, shifted);
  }
  const T value = lanes[0];
  __builtin_memcpy(result, &value, sizeof(T));
}

}  // namespace
}  // namespace faultline::fusion::cpu

#endif  // FUSION_CPU_KERNELS_LANES_H_
