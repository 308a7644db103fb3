// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/unit/fusion/kernels_fixture.h"

namespace faultline::fusion::cpu {
namespace {

template <typename T>
using Wide = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;

template <typename T>
T Divide(T a, T b) {
  if (b == 0) return static_cast<T>(-1);
  return static_cast<T>(Wide<T>{a} / Wide<T>{b});
}

template <typename T>
T FloorMod(T a, T b) {
  if (b == 0) return a;
  Wide<T> r = Wide<T>{a} % Wide<T>{b};
  if (r != 0 && (r < 0) != (b < 0)) r += b;
  return static_cast<T>(r);
}

TEMPLATE_TEST_CASE("int arithmetic wraps and has no undefined case", "", int32_t, uint32_t, int64_t,
                   uint64_t) {
  using T = TestType;
  using W = Wide<T>;
  ForEachIsa([](const KernelSet& set) {
    CheckBinary<T>(set, Op::kAdd, [](T a, T b) { return static_cast<T>(W{a} + W{b}); });
    CheckBinary<T>(set, Op::kSub, [](T a, T b) { return static_cast<T>(W{a} - W{b}); });
    CheckBinary<T>(set, Op::kMul, [](T a, T b) { return static_cast<T>(W{a} * W{b}); });
    CheckBinary<T>(set, Op::kDiv, Divide<T>);
    CheckBinary<T>(set, Op::kRem, FloorMod<T>);
    CheckBinary<T>(set, Op::kMin, [](T a, T b) { return b < a ? b : a; });
    CheckBinary<T>(set, Op::kMax, [](T a, T b) { return b > a ? b : a; });
    CheckBinary<T>(set, Op::kAnd, [](T a, T b) { return static_cast<T>(a & b); });
    CheckBinary<T>(set, Op::kOr, [](T a, T b) { return static_cast<T>(a | b); });
    CheckBinary<T>(set, Op::kXor, [](T a, T b) { return static_cast<T>(a ^ b); });
    const auto kernel = [&](Op op) { return KernelsOf<T>(set).ops[static_cast<size_t>(op)]; };
    CheckUnary<T>(kernel(Op::kNeg), [](T a) { return static_cast<T>(-W{a}); });
    CheckUnary<T>(kernel(Op::kAbs), [](T a) { return static_cast<T>(a < 0 ? -W{a} : W{a}); });
    CheckUnary<T>(kernel(Op::kNot), [](T a) { return static_cast<T>(~a); });
    using Narrow8 = std::conditional_t<std::is_signed_v<T>, int8_t, uint8_t>;
    using Narrow16 = std::conditional_t<std::is_signed_v<T>, int16_t, uint16_t>;
    CheckUnary<T>(kernel(Op::kWrap8), [](T a) { return T{static_cast<Narrow8>(a)}; });
    CheckUnary<T>(kernel(Op::kWrap16), [](T a) { return T{static_cast<Narrow16>(a)}; });
  });
}

// By multiplying as often as the exponent says.
template <typename T>
T Power(T base, int64_t n) {
  if (n < 0) {
    const bool minus_one = std::is_signed_v<T> && base == static_cast<T>(-1);
    return base == 1 ? T{1} : !minus_one ? T{0} : n % 2 == 0 ? T{1} : base;
  }
  std::make_unsigned_t<T> power = 1;
  for (int64_t i = 0; i < n; ++i) power *= static_cast<std::make_unsigned_t<T>>(base);
  return static_cast<T>(power);
}

TEMPLATE_TEST_CASE("powers of ints wrap, those to a negative exponent are 0 but of 1 and -1", "",
                   int32_t, uint32_t, int64_t, uint64_t) {
  using T = TestType;
  std::vector<T> a;
  std::vector<int64_t> n;
  for (const T x : EdgeValues<T>()) {
    for (const int64_t exponent : {0, 1, 2, 3, 5, 31, 64, 100, -1, -2, INT32_MIN}) {
      a.push_back(x);
      n.push_back(exponent);
    }
  }
  ForEachIsa([&](const KernelSet& set) {
    const auto got =
        Apply<T, T, int64_t>(KernelsOf<T>(set).ops[static_cast<size_t>(Op::kPowi)], a, n);
    for (size_t i = 0; i < a.size(); ++i) {
      if (got[i] != Power(a[i], n[i])) FAIL(+a[i] << " to " << n[i] << " gives " << +got[i]);
    }
    SUCCEED();
  });
}

TEMPLATE_TEST_CASE("int comparisons and selects", "", int32_t, uint32_t, int64_t, uint64_t) {
  using T = TestType;
  ForEachIsa([](const KernelSet& set) {
    CheckBinary<T, uint8_t>(set, Op::kEqual, [](T a, T b) { return uint8_t{a == b}; });
    CheckBinary<T, uint8_t>(set, Op::kNotEqual, [](T a, T b) { return uint8_t{a != b}; });
    CheckBinary<T, uint8_t>(set, Op::kLower, [](T a, T b) { return uint8_t{a < b}; });
    CheckBinary<T, uint8_t>(set, Op::kLowerEqual, [](T a, T b) { return uint8_t{a <= b}; });
    std::vector<T> a;
    std::vector<T> b;
    EdgePairs(&a, &b);
    std::vector<uint8_t> mask(a.size());
    for (size_t i = 0; i < mask.size(); ++i) mask[i] = i % 5 < 2;
    const auto got = Apply<T>(KernelsOf<T>(set).ops[static_cast<size_t>(Op::kSelect)], mask, a, b);
    for (size_t i = 0; i < a.size(); ++i) REQUIRE(got[i] == (mask[i] != 0 ? a[i] : b[i]));
  });
}

TEMPLATE_TEST_CASE("shifts take the amount modulo the width of the dtype", "", int32_t, uint32_t,
                   int64_t, uint64_t) {
  using T = TestType;
  using U = std::make_unsigned_t<T>;
  ForEachIsa([](const KernelSet& set) {
    std::vector<T> a;
    std::vector<T> b;
    EdgePairs(&a, &b);
    for (const uint64_t width : {8u, 16u, 32u, 64u}) {
      if (width > 8 * sizeof(T)) continue;
      const auto left =
          Apply<T>(KernelsOf<T>(set).ops[static_cast<size_t>(Op::kShiftLeft)], a, b, {}, width);
      const auto right =
          Apply<T>(KernelsOf<T>(set).ops[static_cast<size_t>(Op::kShiftRight)], a, b, {}, width);
      for (size_t i = 0; i < a.size(); ++i) {
        const auto amount = static_cast<unsigned>(static_cast<U>(b[i]) % width);
        REQUIRE(left[i] == static_cast<T>(static_cast<U>(a[i]) << amount));
        REQUIRE(right[i] == static_cast<T>(a[i] >> amount));
      }
    }
  });
}

TEST_CASE("masks are 0 and 1") {
  ForEachIsa([](const KernelSet& set) {
    const std::vector<uint8_t> a = {0, 0, 1, 1};
    const std::vector<uint8_t> b = {0, 1, 0, 1};
    const auto& kernels = *set.regs[static_cast<size_t>(Reg::kMask)];
    const auto apply = [&](Op op) {
      return Apply<uint8_t>(kernels.ops[static_cast<size_t>(op)], a, b);
    };
    CHECK(apply(Op::kAnd) == std::vector<uint8_t>{0, 0, 0, 1});
    CHECK(apply(Op::kOr) == std::vector<uint8_t>{0, 1, 1, 1});
    CHECK(apply(Op::kXor) == std::vector<uint8_t>{0, 1, 1, 0});
    CHECK(apply(Op::kEqual) == std::vector<uint8_t>{1, 0, 0, 1});
    CHECK(apply(Op::kNotEqual) == std::vector<uint8_t>{0, 1, 1, 0});
    CHECK(apply(Op::kNot) == std::vector<uint8_t>{1, 1, 0, 0});
    CHECK(Apply<uint8_t>(kernels.ops[static_cast<size_t>(Op::kSelect)], b, a,
                         std::vector<uint8_t>{1, 1, 0, 0}) == std::vector<uint8_t>{1, 0, 0, 1});
    for (size_t reg = 0; reg < 6; ++reg) CHECK(kernels.convert[reg] != nullptr);
    CHECK(Apply<double>(kernels.convert[static_cast<size_t>(Reg::kF64)], a) ==
          std::vector<double>{0, 0, 1, 1});
    CHECK(Apply<int64_t>(kernels.convert[static_cast<size_t>(Reg::kI64)], b) ==
          std::vector<int64_t>{0, 1, 0, 1});
  });
}

}  // namespace
}  // namespace faultline::fusion::cpu
