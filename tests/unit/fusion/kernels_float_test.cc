// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "ir/base/half.h"
#include "tests/unit/fusion/kernels_fixture.h"

namespace faultline::fusion::cpu {
namespace {

// Floor-mod in a wider format: exact for these values where it matters, rounded once.
template <typename T>
T Remainder(T x, T y) {
  if (x != x || y != y || y == 0 || std::isinf(x)) return std::numeric_limits<T>::quiet_NaN();
  const T r = std::fmod(x, y);
  if (r == 0) return std::copysign(T{0}, y);
  return std::signbit(r) == std::signbit(y) ? r : r + y;
}

TEMPLATE_TEST_CASE("float arithmetic keeps the pinned rules", "", float, double) {
  using T = TestType;
  ForEachIsa([](const KernelSet& set) {
    CheckBinary<T>(set, Op::kAdd, [](T a, T b) { return a + b; });
    CheckBinary<T>(set, Op::kSub, [](T a, T b) { return a - b; });
    CheckBinary<T>(set, Op::kMul, [](T a, T b) { return a * b; });
    CheckBinary<T>(set, Op::kDiv, [](T a, T b) { return a / b; });
    CheckBinary<T>(set, Op::kRem, Remainder<T>);
    const T nan = std::numeric_limits<T>::quiet_NaN();
    CheckBinary<T>(
        set, Op::kMin, [&](T a, T b) { return a != a || b != b ? nan
                                              : b < a          ? b
                                                               : a; }, false);
    CheckBinary<T>(
        set, Op::kMax, [&](T a, T b) { return a != a || b != b ? nan
                                              : b > a          ? b
                                                               : a; }, false);
  });
}

TEMPLATE_TEST_CASE("float comparisons are false with NaN", "", float, double) {
  using T = TestType;
  ForEachIsa([](const KernelSet& set) {
    CheckBinary<T, uint8_t>(set, Op::kEqual, [](T a, T b) { return uint8_t{a == b}; });
    CheckBinary<T, uint8_t>(set, Op::kNotEqual, [](T a, T b) { return uint8_t{a != b}; });
    CheckBinary<T, uint8_t>(set, Op::kLower, [](T a, T b) { return uint8_t{a < b}; });
    CheckBinary<T, uint8_t>(set, Op::kLowerEqual, [](T a, T b) { return uint8_t{a <= b}; });
  });
}

TEMPLATE_TEST_CASE("exact float functions of one operand", "", float, double) {
  using T = TestType;
  ForEachIsa([](const KernelSet& set) {
    const auto kernel = [&](Op op) { return KernelsOf<T>(set).ops[static_cast<size_t>(op)]; };
    CheckUnary<T>(kernel(Op::kNeg), [](T a) { return -a; });
    CheckUnary<T>(kernel(Op::kAbs), [](T a) { return std::fabs(a); });
    CheckUnary<T>(kernel(Op::kRecip), [](T a) { return T{1} / a; });
    CheckUnary<T>(kernel(Op::kSqrt), [](T a) { return std::sqrt(a); });
    CheckUnary<T>(kernel(Op::kFloor), [](T a) { return std::floor(a); });
    CheckUnary<T>(kernel(Op::kCeil), [](T a) { return std::ceil(a); });
    CheckUnary<T>(kernel(Op::kTrunc), [](T a) { return std::trunc(a); });
    CheckUnary<T>(kernel(Op::kRoundEven), [](T a) { return std::nearbyint(a); });
  });
}

// Distance in units of the last place of T at `exact`.
template <typename T>
long double Ulps(T got, long double exact) {
  const T nearest = static_cast<T>(exact);
  if (std::isinf(nearest) || nearest == 0) return got == nearest ? 0 : 1e9L;
  const long double unit =
      std::max(static_cast<long double>(
                   std::nextafter(std::fabs(nearest), std::numeric_limits<T>::infinity()) -
                   std::fabs(nearest)),
               static_cast<long double>(std::numeric_limits<T>::denorm_min()));
  return std::fabs(static_cast<long double>(got) - exact) / unit;
}

template <typename T>
void CheckFunction(const KernelSet& set, Op op, long double (*exact)(long double),
                   long double ulps) {
  std::vector<T> a = EdgeValues<T>();
  for (int i = -4000; i < 4000; ++i) a.push_back(static_cast<T>(i) * static_cast<T>(0.0303));
  const double top = std::log(static_cast<double>(std::numeric_limits<T>::max()));
  for (int i = -50; i < 50; ++i) {
    a.push_back(static_cast<T>(top + i * 1e-7));
    a.push_back(static_cast<T>(-top - 35 * (i + 50) / 50.0 - 0.3));
    a.push_back(static_cast<T>(1 + i * 1e-3));
  }
  for (int i = 0; i < 300; ++i) a.push_back(std::ldexp(static_cast<T>(1.37), i - 150));
  const std::vector<T> got = Apply<T>(KernelsOf<T>(set).ops[static_cast<size_t>(op)], a);
  for (size_t i = 0; i < a.size(); ++i) {
    const long double want = exact(static_cast<long double>(a[i]));
    const bool good = want != want ? got[i] != got[i]
                      : std::isinf(want)
                          ? static_cast<long double>(got[i]) == want
                          : Ulps(got[i], want) <= ulps ||
                                (std::isinf(static_cast<T>(want)) && std::isinf(got[i]));
    if (!good) {
      FAIL("op " << static_cast<int>(op) << " of " << a[i] << ": " << got[i] << ", not "
                 << static_cast<double>(want));
    }
  }
  SUCCEED();
}

TEMPLATE_TEST_CASE("functions stay within their bound", "", float, double) {
  using T = TestType;
  ForEachIsa([](const KernelSet& set) {
    // A little room for the long double function itself.
    const long double one = 1.001L;
    CheckFunction<T>(set, Op::kExp, std::exp, one);
    CheckFunction<T>(set, Op::kLog, std::log, one);
    CheckFunction<T>(set, Op::kTanh, std::tanh, one);
    CheckFunction<T>(set, Op::kErf, std::erf, 2.001L);
    CheckFunction<T>(set, Op::kLog1p, std::log1p, one);
    CheckFunction<T>(set, Op::kSin, std::sin, one);
    CheckFunction<T>(set, Op::kCos, std::cos, one);
    CheckFunction<T>(set, Op::kTan, std::tan, one);
    CheckFunction<T>(set, Op::kSinh, std::sinh, one);
    CheckFunction<T>(set, Op::kCosh, std::cosh, one);
    CheckFunction<T>(set, Op::kAsin, std::asin, one);
    CheckFunction<T>(set, Op::kAcos, std::acos, one);
    CheckFunction<T>(set, Op::kAtan, std::atan, one);
    CheckFunction<T>(set, Op::kAsinh, std::asinh, one);
    CheckFunction<T>(set, Op::kAcosh, std::acosh, one);
    CheckFunction<T>(set, Op::kAtanh, std::atanh, one);
  });
}

TEMPLATE_TEST_CASE("odd functions keep the sign of zero, and the domain ends are exact", "", float,
                   double) {
  using T = TestType;
  ForEachIsa([](const KernelSet& set) {
    const auto at = [&](Op op, T x) {
      return Apply<T>(KernelsOf<T>(set).ops[static_cast<size_t>(op)], std::vector<T>{x})[0];
    };
    for (const Op op : {Op::kLog1p, Op::kSin, Op::kTan, Op::kSinh, Op::kAsin, Op::kAtan, Op::kAsinh,
                        Op::kAtanh}) {
      INFO("op " << static_cast<int>(op));
      CHECK(Same(at(op, T{0}), T{0}));
      CHECK(Same(at(op, -T{0}), -T{0}));
    }
    const T infinity = std::numeric_limits<T>::infinity();
    CHECK(Same(at(Op::kAcos, T{1}), T{0}));
    CHECK(Same(at(Op::kAcosh, T{1}), T{0}));
    CHECK(Same(at(Op::kAtanh, T{-1}), -infinity));
    CHECK(Same(at(Op::kLog1p, T{-1}), -infinity));
    CHECK(Same(at(Op::kCos, -T{0}), T{1}));
  });
}

template <typename T>
void CheckFunctionOfTwo(const KernelSet& set, Op op,
                        long double (*exact)(long double, long double)) {
  std::vector<T> a;
  std::vector<T> b;
  EdgePairs(&a, &b);
  const auto got = Apply<T>(KernelsOf<T>(set).ops[static_cast<size_t>(op)], a, b);
  for (size_t i = 0; i < a.size(); ++i) {
    const long double want = exact(static_cast<long double>(a[i]), static_cast<long double>(b[i]));
    const T nearest = static_cast<T>(want);
    const bool good = want != want ? got[i] != got[i]
                      : nearest == 0 || std::isinf(nearest)
                          ? Same(got[i], nearest) || (want != 0 && Ulps(got[i], want) <= 1.001L)
                          : Ulps(got[i], want) <= 1.001L;
    if (!good) FAIL("of " << a[i] << " and " << b[i] << ": " << got[i] << ", not " << nearest);
  }
  SUCCEED();
}

TEMPLATE_TEST_CASE("atan2 and hypot have the special cases of C", "", float, double) {
  using T = TestType;
  ForEachIsa([](const KernelSet& set) {
    CheckFunctionOfTwo<T>(set, Op::kAtan2, std::atan2);
    CheckFunctionOfTwo<T>(set, Op::kHypot, std::hypot);
  });
}

TEMPLATE_TEST_CASE("powi keeps the parity of every exponent", "", float, double) {
  using T = TestType;
  constexpr int64_t kTwo53 = int64_t{1} << 53;
  const int64_t exponents[] = {0,         1,           2,         -1,         3,
                               -2,        16777217,    -16777217, kTwo53 + 1, INT64_MAX,
                               INT64_MIN, -kTwo53 - 1, INT32_MIN, 127};
  ForEachIsa([&](const KernelSet& set) {
    std::vector<T> a;
    std::vector<int64_t> n;
    for (const T x : EdgeValues<T>()) {
      for (const int64_t exponent : exponents) {
        a.push_back(x);
        n.push_back(exponent);
      }
    }
    const auto got =
        Apply<T, T, int64_t>(KernelsOf<T>(set).ops[static_cast<size_t>(Op::kPowi)], a, n);
    for (size_t i = 0; i < a.size(); ++i) {
      const auto magnitude = std::fabs(static_cast<long double>(a[i]));
      long double want = std::pow(magnitude, static_cast<long double>(n[i]));
      if (std::signbit(a[i]) && n[i] % 2 != 0) want = -want;
      // The long double power of -1 and 2 is rounded twice.
      const T nearest = n[i] == -1 ? T{1} / a[i] : n[i] == 2 ? a[i] * a[i] : static_cast<T>(want);
      const bool pinned = n[i] >= -1 && n[i] <= 2;
      const bool good = want != want ? got[i] != got[i]
                        : pinned || std::isinf(nearest) || nearest == 0
                            ? Same(got[i], nearest)
                            : Ulps(got[i], want) <= 1.001L;
      if (!good) FAIL(a[i] << " to " << n[i] << ": " << got[i] << ", not " << nearest);
    }
    SUCCEED();
  });
}

TEMPLATE_TEST_CASE("pow has the special cases of C", "", float, double) {
  using T = TestType;
  ForEachIsa([](const KernelSet& set) {
    std::vector<T> a;
    std::vector<T> b;
    EdgePairs(&a, &b);
    const auto got = Apply<T>(KernelsOf<T>(set).ops[static_cast<size_t>(Op::kPow)], a, b);
    for (size_t i = 0; i < a.size(); ++i) {
      // The long double function of the system gets powers of infinity wrong.
      const long double exact = std::isinf(a[i]) ? static_cast<long double>(std::pow(a[i], b[i]))
                                                 : std::pow(static_cast<long double>(a[i]),
                                                            static_cast<long double>(b[i]));
      const bool good = exact != exact ? got[i] != got[i]
                        : std::isinf(static_cast<T>(exact))
                            ? std::isinf(got[i]) && std::signbit(got[i]) == std::signbit(exact)
                            : Ulps(got[i], exact) <= 1.001L;
      if (!good)
        FAIL("pow of " << a[i] << " and " << b[i] << " gives " << got[i] << ", not "
                       << static_cast<double>(exact));
    }
    SUCCEED();
  });
}

TEST_CASE("round_f16 and round_bf16 round every neighbourhood") {
  std::vector<float> values;
  std::vector<double> doubles;
  for (uint32_t h = 0; h < 0x10000; h += 7) {
    for (const double x :
         {ir::DecodeF16(static_cast<uint16_t>(h)), ir::DecodeBf16(static_cast<uint16_t>(h))}) {
      const auto f = static_cast<float>(x);
      for (const float near : {f, std::nextafter(f, 1e38f), f * 1.00048828125f, f * 1.00390625f}) {
        values.push_back(near);
        doubles.push_back(static_cast<double>(near));
        doubles.push_back(std::nextafter(static_cast<double>(near), 1e300));
      }
    }
  }
  for (const double x : {65519.99, 65520.0, 1e-8, 2.98e-8, 0x1p-25, 0x1.8p-24, 3.4e38, 1e300,
                         0x1p-134, 0x1.8p-133, 1e-320}) {
    doubles.push_back(x);
    doubles.push_back(-x);
  }
  ForEachIsa([&](const KernelSet& set) {
    const auto check = [](const auto& from, const auto& got, bool f16) {
      using T = std::decay_t<decltype(from[0])>;
      for (size_t i = 0; i < from.size(); ++i) {
        const double x = static_cast<double>(from[i]);
        const double want =
            f16 ? ir::DecodeF16(ir::EncodeF16(x)) : ir::DecodeBf16(ir::EncodeBf16(x));
        if (!Same(got[i], static_cast<T>(want))) FAIL("of " << x << ": " << got[i]);
      }
      SUCCEED();
    };
    const auto& f32 = KernelsOf<float>(set);
    const auto& f64 = KernelsOf<double>(set);
    const size_t f16 = static_cast<size_t>(Op::kRoundF16);
    const size_t bf16 = static_cast<size_t>(Op::kRoundBf16);
    check(values, Apply<float>(f32.ops[f16], values), true);
    check(values, Apply<float>(f32.ops[bf16], values), false);
    check(doubles, Apply<double>(f64.ops[f16], doubles), true);
    check(doubles, Apply<double>(f64.ops[bf16], doubles), false);
  });
}

TEST_CASE("select moves bits, payloads included") {
  ForEachIsa([](const KernelSet& set) {
    const std::vector<uint32_t> yes(20, 0x7f812345u);
    const std::vector<uint32_t> no(20, 0xffc54321u);
    std::vector<uint8_t> mask(20);
    for (size_t i = 0; i < mask.size(); ++i) mask[i] = i % 3 == 0;
    const auto got =
        Apply<uint32_t>(KernelsOf<float>(set).ops[static_cast<size_t>(Op::kSelect)], mask, yes, no);
    for (size_t i = 0; i < mask.size(); ++i) CHECK(got[i] == (mask[i] != 0 ? yes[i] : no[i]));
  });
}

}  // namespace
}  // namespace faultline::fusion::cpu
