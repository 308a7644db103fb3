// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// powi, atan2 and hypot: every permitted result of members is a member; pinned and special cases
// are points; branch cuts and poles make pieces.

#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "reference/algebra.h"
#include "reference/function.h"
#include "tests/unit/reference/legal.h"

namespace faultline::reference {
namespace {

using ir::Dtype;

constexpr int kSets = 40000;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Dtype kFloats[] = {Dtype::kF64, Dtype::kF32, Dtype::kF16, Dtype::kBf16};

bool Is(const FloatSet& set, double value) {
  if (!set.IsPoint()) return false;
  return std::isnan(value) ? set.nan : ToCell(set.Value()) == ToCell(value);
}

TEST_CASE("atan2 and hypot on sets contain every permitted result of members") {
  const Contract contract = FusionCpuContract();
  for (const Dtype dtype : kFloats) {
    for (const Function function : {Function::kAtan2, Function::kHypot}) {
      Draw draw(50);
      const Sets sets(contract, dtype, dtype);
      int escapes = 0;
      std::string first;
      for (int i = 0; i < kSets; ++i) {
        const FloatSet x = draw.Set(dtype);
        const FloatSet y = draw.Set(dtype);
        const FloatSet result = function == Function::kAtan2 ? sets.Atan2(x, y) : sets.Hypot(x, y);
        const double a = draw.Member(dtype, x);
        const double b = draw.Member(dtype, y);
        const long double exact =
            FunctionValue(function, static_cast<long double>(a), static_cast<long double>(b));
        const bool side = function == Function::kHypot && (a == 0 || b == 0);
        const double ulp = side ? 0 : contract.ulp(function);
        const double value = Round(dtype, Legal(draw, ComputeDtype(dtype), exact, ulp));
        if (result.Contains(value) || escapes++ != 0) continue;
        first = Describe(dtype, x) + " and " + Describe(dtype, y) + " give " +
                Describe(dtype, result) + ", but " + Describe(dtype, FloatSet::Of(a)) + " and " +
                Describe(dtype, FloatSet::Of(b)) + " may give " +
                Describe(dtype, FloatSet::Of(value));
      }
      INFO(FunctionName(function) << " in " << ir::DtypeName(dtype) << ": " << first);
      CHECK(escapes == 0);
    }
  }
}

int64_t DrawExponent(Draw& draw) {
  constexpr int64_t kLarge[] = {16777217, INT64_MAX, INT64_MIN, (int64_t{1} << 53) + 1, -16777217};
  if (draw.Chance(6)) return kLarge[draw.Below(5)];
  return static_cast<int64_t>(draw.Below(13)) - 6;
}

// A power as the rule has it: exact where pinned, else within the allowance.
double NastyPower(Draw& draw, const Exact& exact, Dtype dtype, double x, int64_t n) {
  const bool special = x == 0 || x == 1 || !std::isfinite(x);
  if ((n >= -1 && n <= 2) || special) return exact.Powi(x, n);
  const long double power =
      std::pow(std::fabs(static_cast<long double>(x)), static_cast<long double>(n));
  const double value = Legal(draw, ComputeDtype(dtype), power, 1);
  return Round(dtype, x < 0 && n % 2 != 0 ? -value : value);
}

TEST_CASE("powi on sets contains every permitted power of members") {
  const Contract contract = FusionCpuContract();
  for (const Dtype dtype : kFloats) {
    Draw draw(51);
    const Sets sets(contract, dtype, dtype);
    const Exact exact(contract, dtype, dtype);
    int escapes = 0;
    std::string first;
    for (int i = 0; i < kSets; ++i) {
      const FloatSet x = draw.Set(dtype);
      IntSet n = IntSet::Of(DrawExponent(draw));
      if (draw.Chance(2)) n.AddValue(Dtype::kI64, DrawExponent(draw));
      if (draw.Chance(4)) n = IntSet::Between(Dtype::kI64, n.lo, std::max(n.hi, n.lo / 2 + 40));
      const FloatSet result = sets.Powi(x, n);
      const double a = draw.Member(dtype, x);
      const int64_t b = draw.Chance(2) ? n.lo : n.hi;
      const double value = NastyPower(draw, exact, dtype, a, b);
      if (result.Contains(value) || escapes++ != 0) continue;
      first = Describe(dtype, x) + " to " + Describe(Dtype::kI64, n) + " gives " +
              Describe(dtype, result) + ", but " + Describe(dtype, FloatSet::Of(a)) + " to " +
              std::to_string(b) + " may give " + Describe(dtype, FloatSet::Of(value));
    }
    INFO(ir::DtypeName(dtype) << ": " << first);
    CHECK(escapes == 0);
  }
}

const Contract kContract = FusionCpuContract();
const Sets kF32(kContract, Dtype::kF32, Dtype::kF32);

TEST_CASE("pinned and special powers are points") {
  const auto powi = [](double x, int64_t n) { return kF32.Powi(FloatSet::Of(x), IntSet::Of(n)); };
  CHECK(Is(powi(FreeNan(), 0), 1));
  CHECK(Is(powi(FreeNan(), 1), FreeNan()));
  CHECK(Is(powi(0x1.000002p+0, 1), 0x1.000002p+0));
  CHECK(Is(powi(0x1.000002p+0, 2), 0x1.000004p+0));
  CHECK(Is(powi(3, -1), 0x1.555556p-2));
  CHECK(Is(powi(-0.0, 16777217), -0.0));
  CHECK(Is(powi(-0.0, -16777217), -kInfinity));
  CHECK(Is(powi(-kInfinity, (int64_t{1} << 53) + 1), -kInfinity));
  CHECK(Is(powi(-2, INT64_MAX), -kInfinity));
  CHECK(Is(powi(1, INT64_MIN), 1));
  CHECK_FALSE(powi(0x1.8p+0, 3).IsPoint());
  // A square is not negative, though the operand may be.
  const FloatSet square = kF32.Powi(FloatSet::Between(-3, 2), IntSet::Of(2));
  CHECK(square.lo() == 0);
  CHECK(square.hi() == 9);
}

TEST_CASE("integer powers wrap") {
  const Exact i8(kContract, Dtype::kI8, Dtype::kI8);
  const Exact u64(kContract, Dtype::kU64, Dtype::kU64);
  CHECK(i8.Powi(int64_t{3}, int64_t{5}) == -13);
  CHECK(i8.Powi(int64_t{0}, int64_t{0}) == 1);
  CHECK(i8.Powi(int64_t{0}, int64_t{-1}) == 0);
  CHECK(i8.Powi(int64_t{-1}, INT64_MIN) == 1);
  CHECK(i8.Powi(int64_t{-1}, int64_t{-3}) == -1);
  CHECK(i8.Powi(int64_t{-128}, int64_t{2}) == 0);
  CHECK(u64.Powi(int64_t{-1}, int64_t{2}) == 1);
  CHECK(u64.Powi(int64_t{-1}, int64_t{-2}) == 0);
}

TEST_CASE("atan2 is a point where it is 0, and in two pieces across the branch cut") {
  const auto atan2 = [](double y, double x) {
    return kF32.Atan2(FloatSet::Of(y), FloatSet::Of(x));
  };
  CHECK(Is(atan2(-0.0, 1), -0.0));
  CHECK(Is(atan2(0.0, 0.0), 0.0));
  CHECK(Is(atan2(3, kInfinity), 0.0));
  CHECK(Is(atan2(1, FreeNan()), FreeNan()));
  CHECK_FALSE(atan2(0.0, -1).IsPoint());
  const FloatSet cut = kF32.Atan2(FloatSet::Between(-0.125, 0.125), FloatSet::Of(-1));
  CHECK(cut.count == 2);
  CHECK(cut.intervals[0].hi < -3);
  CHECK(cut.intervals[1].lo > 3);
}

TEST_CASE("an infinite side of hypot wins over NaN") {
  const auto hypot = [](const FloatSet& x, double y) { return kF32.Hypot(x, FloatSet::Of(y)); };
  CHECK(Is(hypot(FloatSet::Of(FreeNan()), -kInfinity), kInfinity));
  CHECK(Is(hypot(FloatSet::Of(FreeNan()), 1), FreeNan()));
  CHECK(Is(hypot(FloatSet::Of(-0x1p-149), -0.0), 0x1p-149));
  FloatSet either = FloatSet::AnyNan();
  either.positive_infinity = true;
  const FloatSet result = hypot(either, 0);
  CHECK(result.nan);
  CHECK(result.positive_infinity);
}

}  // namespace
}  // namespace faultline::reference
