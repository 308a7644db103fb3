// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/oracle/certify/real.h"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace faultline::harness {
namespace {

using ir::Dtype;

uint64_t Hash(uint64_t z) {
  z += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  return z ^ (z >> 27);
}

TEST_CASE("rounding to f32 and f64 is the processor's") {
  for (uint64_t i = 0; i < 100000; ++i) {
    // Exponents around those of f32, subnormals and overflow included.
    const double value = std::ldexp(1 + static_cast<double>(Hash(i) >> 11) * 0x1p-53,
                                    static_cast<int>(i % 300) - 160);
    CHECK(RoundTo(Dtype::kF32, value) == static_cast<double>(static_cast<float>(value)));
    CHECK(RoundTo(Dtype::kF64, value) == value);
  }
  const auto sum = Real(1) + 0x1p-53;
  CHECK(RoundTo(Dtype::kF64, sum) == 1);
  CHECK(RoundTo(Dtype::kF64, sum + 0x1p-1074) == 1 + 0x1p-52);
}

TEST_CASE("rounding to the narrow formats: ties, subnormals, overflow, signs") {
  CHECK(RoundTo(Dtype::kF16, 1 + 0x1p-11) == 1);
  CHECK(RoundTo(Dtype::kF16, 1 + 0x3p-11) == 1 + 0x1p-9);
  CHECK(RoundTo(Dtype::kF16, 65519) == 65504);
  CHECK(std::isinf(RoundTo(Dtype::kF16, 65520)));
  CHECK(RoundTo(Dtype::kF16, 0x1p-25) == 0);
  CHECK(RoundTo(Dtype::kF16, 0x1.8p-25) == 0x1p-24);
  CHECK(RoundTo(Dtype::kF16, 0x1p-26) == 0);
  CHECK(RoundTo(Dtype::kF16, 0x1.8p-24) == 0x1p-23);
  CHECK(std::signbit(RoundTo(Dtype::kF16, -0x1p-30)));
  CHECK(RoundTo(Dtype::kBf16, 1 + 0x1p-8) == 1);
  CHECK(RoundTo(Dtype::kBf16, 1 + 0x3p-8) == 1 + 0x1p-6);
  CHECK(RoundTo(Dtype::kBf16, -0x1.ffp+127) == -std::numeric_limits<double>::infinity());
}

TEST_CASE("what is cut off is not forgotten") {
  // exp(2^-200) is 1 and a little: one rounding up would need half a unit, a nearest-even of a
  // tie would not show it.
  const Real tiny(0x1p-200);
  const Real power =
      Real::Odd([&](mpfr_ptr r, mpfr_rnd_t rounding) { return mpfr_exp(r, tiny.get(), rounding); });
  CHECK(mpfr_cmp_ui(power.get(), 1) > 0);
  CHECK(RoundTo(Dtype::kF64, power) == 1);
  CHECK(RoundTo(Dtype::kF64, Real(1) + 0x1p-53) == 1);
  CHECK(RoundTo(Dtype::kF64, power + 0x1p-53) == 1 + 0x1p-52);
}

TEST_CASE("sums and dots are exact before their one rounding") {
  CHECK(RoundTo(Dtype::kF64, SumOf(std::vector<double>{1e300, 1, -1e300, 0x1p-1074})) == 1);
  CHECK(RoundTo(Dtype::kF64, SumOf(std::vector<double>{})) == 0);
  const std::vector<double> a = {1e300, 3, 1e300};
  const std::vector<double> b = {1e8, 7, -1e8};
  CHECK(RoundTo(Dtype::kF64, DotOf(a, b)) == 21);
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(std::isnan(RoundTo(Dtype::kF32, SumOf(std::vector<double>{infinity, -infinity}))));
}

TEST_CASE("integers beyond f64 are exact") {
  CHECK(RoundTo(Dtype::kF32, Real::OfInteger(Dtype::kI64, (int64_t{1} << 62) + (int64_t{1} << 38) +
                                                              1)) == 0x1.000002p+62);
  CHECK(RoundTo(Dtype::kF64, Real::OfInteger(Dtype::kU64, -1)) == 0x1p64);
}

}  // namespace
}  // namespace faultline::harness
