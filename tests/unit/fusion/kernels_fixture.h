// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Running single vector kernels on lists of values, under every instruction set this CPU has.

#ifndef TESTS_UNIT_FUSION_KERNELS_FIXTURE_H_
#define TESTS_UNIT_FUSION_KERNELS_FIXTURE_H_

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "fusion/cpu/kernels/kernels.h"

namespace faultline::fusion::cpu {

template <typename T>
constexpr Reg RegFor() {
  if constexpr (std::is_same_v<T, float>) return Reg::kF32;
  if constexpr (std::is_same_v<T, double>) return Reg::kF64;
  if constexpr (std::is_same_v<T, int32_t>) return Reg::kI32;
  if constexpr (std::is_same_v<T, uint32_t>) return Reg::kU32;
  if constexpr (std::is_same_v<T, int64_t>) return Reg::kI64;
  if constexpr (std::is_same_v<T, uint64_t>) return Reg::kU64;
  return Reg::kMask;
}

template <typename Body>
void ForEachIsa(const Body& body) {
  for (const char* isa : {"baseline", "avx2", "avx512"}) {
    const KernelSet* kernels = ChooseKernels(isa);
    if (kernels == nullptr) continue;
    INFO("isa " << isa);
    body(*kernels);
  }
}

// Values that tell rules apart: zeros, subnormals, neighbours of powers of two, halves, bounds.
template <typename T>
std::vector<T> EdgeValues() {
  using L = std::numeric_limits<T>;
  std::vector<T> values;
  if constexpr (std::is_floating_point_v<T>) {
    for (const double x : {0.0,
                           0.5,
                           1.0,
                           1.5,
                           2.0,
                           2.5,
                           3.0,
                           7.0,
                           10.0,
                           0.1,
                           1e-3,
                           87.5,
                           127.5,
                           2047.5,
                           65504.0,
                           65519.0,
                           65520.0,
                           2147483648.0,
                           4294967296.0,
                           9223372036854775808.0,
                           18446744073709551616.0,
                           1e30}) {
      values.push_back(static_cast<T>(x));
    }
    for (const T x : {L::denorm_min(), L::min(), L::max(), L::infinity(), L::epsilon()}) {
      values.push_back(x);
    }
    values.push_back(std::nextafter(T{1}, T{2}));
    values.push_back(std::nextafter(T{2147483648.0}, T{0}));
    const size_t positive = values.size();
    for (size_t i = 0; i < positive; ++i) values.push_back(-values[i]);
    values.push_back(L::quiet_NaN());
  } else {
    for (const int x :
         {0, 1, 2, 3, 5, 7, 8, 31, 32, 63, 64, 100, 127, 128, 255, 256, 32767, 65535}) {
      values.push_back(static_cast<T>(x));
      values.push_back(static_cast<T>(0u - static_cast<unsigned>(x)));
    }
    for (const T x : {L::min(), L::max()}) {
      values.push_back(x);
      values.push_back(static_cast<T>(x / 2));
      values.push_back(static_cast<T>(x - x / 3));
    }
  }
  return values;
}

// All pairs of edge values, as two lists.
template <typename T>
void EdgePairs(std::vector<T>* left, std::vector<T>* right) {
  for (const T a : EdgeValues<T>()) {
    for (const T b : EdgeValues<T>()) {
      left->push_back(a);
      right->push_back(b);
    }
  }
}

template <typename T>
Operand OperandOf(std::vector<T>* values) {
  values->resize((values->size() + 15) / 16 * 16);
  return {reinterpret_cast<const std::byte*>(values->data()), 16 * sizeof(T)};
}

// The kernel on copies of the lists (which may be empty), `count` results.
template <typename To, typename A, typename B = A, typename C = A>
std::vector<To> Apply(OpKernel kernel, std::vector<A> a, std::vector<B> b = {},
                      std::vector<C> c = {}, uint64_t immediate = 0) {
  REQUIRE(kernel != nullptr);
  const size_t count = a.size();
  std::vector<To> result((count + 15) / 16 * 16);
  kernel(reinterpret_cast<std::byte*>(result.data()), OperandOf(&a), OperandOf(&b), OperandOf(&c),
         static_cast<int64_t>(result.size() / 16), immediate);
  result.resize(count);
  return result;
}

// Same value; the sign of a zero counts, the payload of a NaN does not.
template <typename T>
bool Same(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a != a || b != b) return a != a && b != b;
    return a == b && std::signbit(a) == std::signbit(b);
  } else {
    return a == b;
  }
}

template <typename T>
const RegKernels& KernelsOf(const KernelSet& set) {
  return *set.regs[static_cast<size_t>(RegFor<T>())];
}

template <typename T, typename To = T, typename F>
void CheckBinary(const KernelSet& set, Op op, const F& expected, bool zero_sign_counts = true) {
  std::vector<T> a;
  std::vector<T> b;
  EdgePairs(&a, &b);
  const std::vector<To> got = Apply<To>(KernelsOf<T>(set).ops[static_cast<size_t>(op)], a, b);
  for (size_t i = 0; i < a.size(); ++i) {
    const To want = expected(a[i], b[i]);
    const bool same = Same(got[i], want) || (!zero_sign_counts && got[i] == want);
    if (!same) {
      FAIL("op " << static_cast<int>(op) << " of " << +a[i] << " and " << +b[i] << " gives "
                 << +got[i] << ", not " << +want);
    }
  }
  SUCCEED();
}

template <typename T, typename To = T, typename F>
void CheckUnary(OpKernel kernel, const F& expected) {
  const std::vector<T> a = EdgeValues<T>();
  const std::vector<To> got = Apply<To>(kernel, a);
  for (size_t i = 0; i < a.size(); ++i) {
    const To want = expected(a[i]);
    if (!Same(got[i], want)) FAIL("of " << +a[i] << ": " << +got[i] << ", not " << +want);
  }
  SUCCEED();
}

}  // namespace faultline::fusion::cpu

#endif  // TESTS_UNIT_FUSION_KERNELS_FIXTURE_H_
