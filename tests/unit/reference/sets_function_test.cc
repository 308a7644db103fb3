// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Functions and pinned formulas: every result that the contract's ULP permits of a member is a
// member; special cases are points; the hull is no wider than the allowance.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "reference/algebra.h"
#include "reference/function.h"
#include "tests/unit/reference/legal.h"

namespace faultline::reference {
namespace {

using ir::Dtype;

constexpr int kSets = 30000;

constexpr Function kOfOneOperand[] = {
    Function::kExp,   Function::kLog,   Function::kTanh,  Function::kErf,
    Function::kLog1p, Function::kSin,   Function::kCos,   Function::kTan,
    Function::kSinh,  Function::kCosh,  Function::kAsin,  Function::kAcos,
    Function::kAtan,  Function::kAsinh, Function::kAcosh, Function::kAtanh};

TEST_CASE("functions on sets contain every permitted result of members") {
  const Contract contract = FusionCpuContract();
  for (const Dtype dtype : {Dtype::kF64, Dtype::kF32, Dtype::kF16, Dtype::kBf16}) {
    for (const Function function : kOfOneOperand) {
      Draw draw(11 + static_cast<uint64_t>(function));
      const Sets sets(contract, dtype, dtype);
      int escapes = 0;
      std::string first;
      for (int i = 0; i < kSets; ++i) {
        const FloatSet x = draw.Set(dtype);
        const FloatSet result = sets.Call(function, x);
        const double a = draw.Member(dtype, x);
        const double computed =
            Legal(draw, ComputeDtype(dtype), FunctionValue(function, static_cast<long double>(a)),
                  IsExactAt(function, a) ? 0 : contract.ulp(function));
        double value = Round(dtype, computed);
        if (IsBelowOne(function)) value = std::clamp(value, -1.0, 1.0);
        if (result.Contains(value)) continue;
        if (escapes++ == 0) {
          first = Describe(dtype, x) + " gives " + Describe(dtype, result) + ", but " +
                  Describe(dtype, FloatSet::Of(a)) + " may give " +
                  Describe(dtype, FloatSet::Of(value));
        }
      }
      INFO(FunctionName(function) << " in " << ir::DtypeName(dtype) << ": " << first);
      CHECK(escapes == 0);
    }
  }
}

TEST_CASE("pow on sets contains every permitted result of members") {
  const Contract contract = FusionCpuContract();
  for (const Dtype dtype : {Dtype::kF64, Dtype::kF32, Dtype::kF16, Dtype::kBf16}) {
    Draw draw(20);
    const Sets sets(contract, dtype, dtype);
    int escapes = 0;
    std::string first;
    for (int i = 0; i < 2 * kSets; ++i) {
      const FloatSet x = draw.Set(dtype);
      const FloatSet y = draw.Set(dtype);
      const FloatSet result = sets.Pow(x, y);
      const double a = draw.Member(dtype, x);
      const double b = draw.Member(dtype, y);
      const long double exact = std::pow(static_cast<long double>(a), static_cast<long double>(b));
      // Where C defines the result it is exact.
      const bool special = a == 0 || b == 0 || a == 1 || !std::isfinite(a) || !std::isfinite(b);
      const double ulp = special ? 0 : contract.ulp(Function::kPow);
      const double value = Round(dtype, Legal(draw, ComputeDtype(dtype), exact, ulp));
      if (result.Contains(value)) continue;
      if (escapes++ == 0) {
        first = Describe(dtype, x) + " to " + Describe(dtype, y) + " gives " +
                Describe(dtype, result) + ", but " + Describe(dtype, FloatSet::Of(a)) + " to " +
                Describe(dtype, FloatSet::Of(b)) + " may give " +
                Describe(dtype, FloatSet::Of(value));
      }
    }
    INFO(ir::DtypeName(dtype) << ": " << first);
    CHECK(escapes == 0);
  }
}

// The pinned formulas with each primitive anywhere within the contract.
double NastySigmoid(Draw& draw, const Contract& contract, Dtype dtype, double x) {
  const Dtype compute = ComputeDtype(dtype);
  const Exact exact(contract, compute, compute);
  const double t = Legal(draw, compute, std::exp(-std::fabs(static_cast<long double>(x))),
                         x == 0 ? 0 : contract.ulp(Function::kExp));
  return Round(dtype, exact.Div(x >= 0 ? 1 : t, exact.Add(1, t)));
}

double NastyGelu(Draw& draw, const Contract& contract, Dtype dtype, double x) {
  const Dtype compute = ComputeDtype(dtype);
  const Exact exact(contract, compute, compute);
  const double z = exact.Mul(x, kGeluScale);
  const double erf = std::clamp(Legal(draw, compute, std::erf(static_cast<long double>(z)),
                                      std::isinf(z) ? 0 : contract.ulp(Function::kErf)),
                                -1.0, 1.0);
  return Round(dtype, exact.Mul(exact.Mul(0.5, x), exact.Add(1, erf)));
}

double NastyLogSigmoid(Draw& draw, const Contract& contract, Dtype dtype, double x) {
  const Dtype compute = ComputeDtype(dtype);
  const Exact exact(contract, compute, compute);
  const double t = Legal(draw, compute, std::exp(-std::fabs(static_cast<long double>(x))),
                         x == 0 ? 0 : contract.ulp(Function::kExp));
  const double log = Legal(draw, compute, std::log1p(static_cast<long double>(t)),
                           t == 0 ? 0 : contract.ulp(Function::kLog1p));
  return Round(dtype, exact.Sub(exact.Min(x, 0.0), log));
}

TEST_CASE("log_sigmoid on sets contains the pinned formula with permitted primitives") {
  const Contract contract = FusionCpuContract();
  for (const Dtype dtype : {Dtype::kF64, Dtype::kF32, Dtype::kF16, Dtype::kBf16}) {
    Draw draw(31);
    const Sets sets(contract, dtype, dtype);
    int escapes = 0;
    std::string first;
    for (int i = 0; i < 2 * kSets; ++i) {
      FloatSet x = draw.Set(dtype);
      if (i % 2 == 0) x = FloatSet::Of(Round(dtype, (static_cast<double>(i) / kSets - 1) * 120));
      const double a = draw.Member(dtype, x);
      const double value = NastyLogSigmoid(draw, contract, dtype, a);
      if (sets.LogSigmoid(x).Contains(value) || escapes++ != 0) continue;
      first = Describe(dtype, x) + " gives " + Describe(dtype, sets.LogSigmoid(x)) + ", but at " +
              Describe(dtype, FloatSet::Of(a)) + " " + Describe(dtype, FloatSet::Of(value));
    }
    INFO(ir::DtypeName(dtype) << ": " << first);
    CHECK(escapes == 0);
  }
}

TEST_CASE("sigmoid and gelu on sets contain the pinned formula with permitted primitives") {
  const Contract contract = FusionCpuContract();
  for (const Dtype dtype : {Dtype::kF64, Dtype::kF32, Dtype::kF16, Dtype::kBf16}) {
    Draw draw(30);
    const Sets sets(contract, dtype, dtype);
    int sigmoid = 0;
    int gelu = 0;
    std::string first;
    for (int i = 0; i < 2 * kSets; ++i) {
      FloatSet x = draw.Set(dtype);
      if (i % 2 == 0) x = FloatSet::Of(Round(dtype, (static_cast<double>(i) / kSets - 1) * 100));
      const double a = draw.Member(dtype, x);
      if (!sets.Sigmoid(x).Contains(NastySigmoid(draw, contract, dtype, a)) && sigmoid++ == 0) {
        first += "sigmoid of " + Describe(dtype, x) + " at " + Describe(dtype, FloatSet::Of(a));
      }
      const double value = NastyGelu(draw, contract, dtype, a);
      if (!sets.Gelu(x).Contains(value) && gelu++ == 0) {
        first += " gelu of " + Describe(dtype, x) + " gives " + Describe(dtype, sets.Gelu(x)) +
                 ", but at " + Describe(dtype, FloatSet::Of(a)) + " " +
                 Describe(dtype, FloatSet::Of(value));
      }
    }
    INFO(ir::DtypeName(dtype) << ": " << first);
    CHECK(sigmoid == 0);
    CHECK(gelu == 0);
  }
}

TEST_CASE("functions of points are no wider than their allowance") {
  const Contract contract = FusionCpuContract();
  const Sets sets(contract, Dtype::kF32, Dtype::kF32);
  Draw draw(40);
  int wide = 0;
  for (int i = 0; i < 10000; ++i) {
    const double x = std::ldexp(static_cast<double>(draw.Bits() >> 40), -20) - 8;
    const FloatSet exp = sets.Call(Function::kExp, FloatSet::Of(Round(Dtype::kF32, x)));
    REQUIRE(exp.simple());
    // 1 ulp on either side, inward: two or three values, one more across a power of two.
    if (exp.hi() - exp.lo() > 2 * UlpOf(Dtype::kF32, exp.hi())) ++wide;
  }
  CHECK(wide == 0);
}

TEST_CASE("one ulp of f32 is a point of f16 and bf16 nearly always") {
  const Contract contract = FusionCpuContract();
  for (const Dtype dtype : {Dtype::kF16, Dtype::kBf16}) {
    const Sets sets(contract, dtype, dtype);
    Draw draw(41);
    int points = 0;
    for (int i = 0; i < 10000; ++i) {
      points += sets.Call(Function::kTanh, FloatSet::Of(draw.Finite(dtype))).IsPoint() ? 1 : 0;
    }
    CHECK(points > 9900);
  }
}

TEST_CASE("special cases of functions are points") {
  const Contract contract = PluginDefaultContract();
  const Sets sets(contract, Dtype::kF32, Dtype::kF32);
  const double infinity = std::numeric_limits<double>::infinity();
  const auto is = [&](const FloatSet& set, double value) {
    return set.IsPoint() && (std::isnan(value) ? set.nan : ToCell(set.Value()) == ToCell(value));
  };
  CHECK(is(sets.Call(Function::kExp, FloatSet::Of(-0.0)), 1));
  CHECK(is(sets.Call(Function::kExp, FloatSet::Of(-infinity)), 0.0));
  CHECK(is(sets.Call(Function::kLog, FloatSet::Of(1)), 0.0));
  CHECK(is(sets.Call(Function::kLog, FloatSet::Of(-0.0)), -infinity));
  CHECK(is(sets.Call(Function::kLog, FloatSet::Of(-1)), FreeNan()));
  CHECK(is(sets.Call(Function::kTanh, FloatSet::Of(-0.0)), -0.0));
  CHECK(is(sets.Call(Function::kErf, FloatSet::Of(-infinity)), -1));
  CHECK(is(sets.Pow(FloatSet::Of(FreeNan()), FloatSet::Of(-0.0)), 1));
  CHECK(is(sets.Pow(FloatSet::Of(1), FloatSet::Of(FreeNan())), 1));
  CHECK(is(sets.Pow(FloatSet::Of(-0.0), FloatSet::Of(-3)), -infinity));
  CHECK(is(sets.Pow(FloatSet::Of(-0.0), FloatSet::Of(-2)), infinity));
  CHECK(is(sets.Pow(FloatSet::Of(-8), FloatSet::Of(0.5)), FreeNan()));
  CHECK(is(sets.Pow(FloatSet::Of(-1), FloatSet::Of(infinity)), 1));
  CHECK(is(sets.Sigmoid(FloatSet::Of(-infinity)), 0.0));
  CHECK(is(sets.Gelu(FloatSet::Of(-infinity)), FreeNan()));
  CHECK(is(sets.Gelu(FloatSet::Of(-0.0)), -0.0));
  CHECK(is(sets.Call(Function::kLog1p, FloatSet::Of(-1)), -infinity));
  CHECK(is(sets.Call(Function::kSin, FloatSet::Of(-0.0)), -0.0));
  CHECK(is(sets.Call(Function::kSin, FloatSet::Of(infinity)), FreeNan()));
  CHECK(is(sets.Call(Function::kCos, FloatSet::Between(-0.0, 0.0)), 1));
  CHECK(is(sets.Call(Function::kCosh, FloatSet::Of(-infinity)), infinity));
  CHECK(is(sets.Call(Function::kAcos, FloatSet::Of(1)), 0.0));
  CHECK(is(sets.Call(Function::kAsin, FloatSet::Of(1.5)), FreeNan()));
  CHECK(is(sets.Call(Function::kAcosh, FloatSet::Of(1)), 0.0));
  CHECK(is(sets.Call(Function::kAcosh, FloatSet::Of(0.0)), FreeNan()));
  CHECK(is(sets.Call(Function::kAtanh, FloatSet::Of(-1)), -infinity));
  // A part of pi is rounded like any other value.
  CHECK_FALSE(sets.Call(Function::kAtan, FloatSet::Of(infinity)).IsPoint());
  CHECK_FALSE(sets.Call(Function::kAcos, FloatSet::Of(0.0)).IsPoint());
  // A class stays apart: the smallest subnormal and zero give no hull between.
  const Contract stored = FusionCpuContract();
  const Sets narrow(stored, Dtype::kF32, Dtype::kF32);
  const FloatSet log = narrow.Call(Function::kLog, FloatSet::Between(0.0, 0x1p-149));
  CHECK(log.negative_infinity);
  CHECK(log.lo() > -104);
}

TEST_CASE("sets over a domain end hold the inside, and NaN if something lies outside") {
  const Contract contract = FusionCpuContract();
  const Sets sets(contract, Dtype::kF32, Dtype::kF32);
  const FloatSet asin = sets.Call(Function::kAsin, FloatSet::Between(0.5, 1));
  CHECK_FALSE(asin.nan);
  CHECK(asin.lo() > 0.5);
  CHECK(sets.Call(Function::kAsin, FloatSet::Between(0.5, 1.5)).nan);
  const FloatSet atanh = sets.Call(Function::kAtanh, FloatSet::Between(0.5, 1));
  CHECK(atanh.positive_infinity);
  CHECK_FALSE(atanh.nan);
  // The greatest value below 1 is 1 - 2^-24.
  CHECK(atanh.hi() < 8.7);
  CHECK(sets.Call(Function::kAtanh, FloatSet::Of(2)).IsPoint());
  const FloatSet acosh = sets.Call(Function::kAcosh, FloatSet::Between(0, 2));
  CHECK(acosh.nan);
  CHECK(acosh.Contains(0.0));
  CHECK(acosh.hi() < 1.4);
}

TEST_CASE("sets over an extremum of sin and cos hold it, those over a pole of tan are unbounded") {
  const Contract contract = FusionCpuContract();
  const Sets sets(contract, Dtype::kF32, Dtype::kF32);
  const FloatSet top = sets.Call(Function::kSin, FloatSet::Between(1, 2));
  CHECK(top.hi() == 1);
  CHECK(top.lo() > 0.84);
  const FloatSet bottom = sets.Call(Function::kCos, FloatSet::Between(3, 4));
  CHECK(bottom.lo() == -1);
  CHECK(bottom.hi() < -0.65);
  const FloatSet slope = sets.Call(Function::kSin, FloatSet::Between(-1, 1));
  CHECK(slope.lo() > -0.85);
  CHECK(slope.hi() < 0.85);
  const FloatSet all = sets.Call(Function::kCos, FloatSet::Between(-4, 0.5));
  CHECK(all.lo() == -1);
  CHECK(all.hi() == 1);
  CHECK(sets.Call(Function::kTan, FloatSet::Between(1.5, 1.6)).positive_infinity);
  CHECK(sets.Call(Function::kTan, FloatSet::Between(1, 1.5)).hi() < 14.2);
}

TEST_CASE("functions keep the sign and range of the exact result") {
  const Contract contract = FusionCpuContract();
  const Sets sets(contract, Dtype::kF32, Dtype::kF32);
  const FloatSet tiny = sets.Call(Function::kExp, FloatSet::Of(-200));
  CHECK(tiny.Contains(0.0));
  CHECK_FALSE(tiny.Contains(-0.0));
  CHECK(tiny.hi() == 0x1p-149);
  CHECK(sets.Call(Function::kTanh, FloatSet::Of(20)).hi() == 1);
  const Contract loose = PluginDefaultContract();
  CHECK(Sets(loose, Dtype::kF32, Dtype::kF32).Call(Function::kTanh, FloatSet::Of(20)).hi() > 1);
  const FloatSet gelu = sets.Gelu(FloatSet::Of(-20));
  CHECK_FALSE(gelu.Contains(0.0));
  CHECK(gelu.Contains(-0.0));
}

}  // namespace
}  // namespace faultline::reference
