// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Float semantics of single primitives as the pinned table has them.

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "reference/algebra.h"

namespace faultline::reference {
namespace {

using ir::Dtype;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const Contract kContract = ExactContract();
const Exact kF32(kContract, Dtype::kF32, Dtype::kF32);
const Exact kF16(kContract, Dtype::kF16, Dtype::kF16);

double Rem(double x, double y) { return kF32.Rem(x, y); }

bool Is(double value, double expected) {
  return std::isnan(expected) ? ToCell(value) == kFreeNan : ToCell(value) == ToCell(expected);
}

TEST_CASE("remainder has the divisor's sign and is rounded once") {
  CHECK(Is(Rem(5.5, 2), 1.5));
  CHECK(Is(Rem(-5.5, 2), 0.5));
  CHECK(Is(Rem(5.5, -2), -0.5));
  CHECK(Is(Rem(4, -2), -0.0));
  CHECK(Is(Rem(-4, 2), 0.0));
  CHECK(Is(Rem(-0.0, 2), 0.0));
  CHECK(Is(Rem(0.0, -2), -0.0));
  CHECK(Is(Rem(3, kInfinity), 3));
  CHECK(Is(Rem(-3, kInfinity), kInfinity));
  CHECK(Is(Rem(3, -kInfinity), -kInfinity));
  CHECK(Is(Rem(-0.0, kInfinity), 0.0));
  CHECK(Is(Rem(kInfinity, 3), FreeNan()));
  CHECK(Is(Rem(3, 0), FreeNan()));
  // The exact result is 1 - 2^-149, which rounds to the divisor.
  CHECK(Is(Rem(-0x1p-149, 1), 1));
}

TEST_CASE("NaN propagates through min and max, and leaves as the free one") {
  CHECK(Is(kF32.Max(std::nan("5"), 1), FreeNan()));
  CHECK(Is(kF32.Min(1, std::nan("5")), FreeNan()));
  CHECK(Is(kF32.Abs(std::nan("5")), FreeNan()));
  CHECK(Is(kF32.Neg(std::nan("5")), FreeNan()));
  CHECK(Is(kF32.Floor(std::nan("5")), FreeNan()));
  CHECK(Is(kF32.Add(kInfinity, -kInfinity), FreeNan()));
}

TEST_CASE("rounding to integers") {
  CHECK(Is(kF32.RoundEven(2.5), 2));
  CHECK(Is(kF32.RoundEven(3.5), 4));
  CHECK(Is(kF32.RoundEven(-0.5), -0.0));
  CHECK(Is(kF32.Floor(-0.0), -0.0));
  CHECK(Is(kF32.Floor(-0.5), -1));
  CHECK(Is(kF32.Ceil(-0.5), -0.0));
  CHECK(Is(kF32.Trunc(-0.5), -0.0));
}

TEST_CASE("the sign of NaN is NaN, that of a zero the zero itself") {
  CHECK(Is(kF32.Sign(std::nan("5")), FreeNan()));
  CHECK(Is(kF32.Sign(-0.0), -0.0));
  CHECK(Is(kF32.Sign(0.0), 0.0));
  CHECK(Is(kF32.Sign(-0x1p-149), -1));
  CHECK(Is(kF32.Sign(kInfinity), 1));
}

TEST_CASE("pow has the special cases of C") {
  CHECK(Is(kF32.Pow(FreeNan(), 0), 1));
  CHECK(Is(kF32.Pow(1, FreeNan()), 1));
  CHECK(Is(kF32.Pow(-0.0, -1), -kInfinity));
  CHECK(Is(kF32.Pow(-0.0, -2), kInfinity));
  CHECK(Is(kF32.Pow(-kInfinity, 3), -kInfinity));
  CHECK(Is(kF32.Pow(-2, 0.5), FreeNan()));
  CHECK(Is(kF32.Pow(-2, 3), -8));
}

TEST_CASE("composites follow their formula") {
  CHECK(Is(kF32.Sigmoid(0), 0.5));
  CHECK(Is(kF32.Sigmoid(-kInfinity), 0.0));
  CHECK(Is(kF32.Sigmoid(kInfinity), 1));
  CHECK(Is(kF32.Sigmoid(FreeNan()), FreeNan()));
  CHECK(Is(kF32.Gelu(-kInfinity), FreeNan()));
  CHECK(Is(kF32.Gelu(kInfinity), kInfinity));
  CHECK(Is(kF32.Gelu(-0.0), -0.0));
  CHECK(Is(kF32.LogSigmoid(kInfinity), 0.0));
  CHECK(Is(kF32.LogSigmoid(-kInfinity), -kInfinity));
  CHECK(Is(kF32.LogSigmoid(-0x1p+100), -0x1p+100));
  CHECK(Is(kF32.LogSigmoid(FreeNan()), FreeNan()));
  // Far out the erf is -1 and the product a zero of x's sign.
  CHECK(Is(kF32.Gelu(-20), -0.0));
  CHECK(std::fabs(kF32.Gelu(1) - 0.8413447460685429) < 1e-6);
}

TEST_CASE("powi has the special cases of C pown, with the parity of the integer") {
  const auto powi = [](double x, int64_t n) { return kF32.Powi(x, n); };
  CHECK(Is(powi(FreeNan(), 0), 1));
  CHECK(Is(powi(-kInfinity, -3), -0.0));
  CHECK(Is(powi(-kInfinity, 2), kInfinity));
  CHECK(Is(powi(-2, 16777217), -kInfinity));
  CHECK(Is(powi(-0.5, (int64_t{1} << 53) + 1), -0.0));
  CHECK(Is(powi(-1, INT64_MIN), 1));
  CHECK(Is(powi(-3, 3), -27));
}

TEST_CASE("atan2 and hypot have the special cases of C") {
  CHECK(Is(kF32.Atan2(-0.0, 0.0), -0.0));
  CHECK(Is(kF32.Atan2(0.0, -0.0), Round(Dtype::kF32, M_PI)));
  CHECK(Is(kF32.Hypot(FreeNan(), -kInfinity), kInfinity));
  CHECK(Is(kF32.Hypot(0x1.fffffep+127, 0x1.fffffep+127), kInfinity));
}

TEST_CASE("f16 functions are computed in f32 and rounded once") {
  CHECK(Is(kF16.Call(Function::kExp, 12), kInfinity));
  CHECK(Is(kF16.Call(Function::kExp, 11), 59872));
  CHECK(Is(kF16.Call(Function::kExp, -20), 0.0));
}

}  // namespace
}  // namespace faultline::reference
