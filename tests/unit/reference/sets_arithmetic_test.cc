// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Soundness and sharpness of correctly rounded and exact primitives on sets: what the hardware or
// the plain formula makes of members of the operands is a member of the result.

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <string>

#include "reference/algebra.h"
#include "tests/unit/reference/draw.h"

namespace faultline::reference {
namespace {

using ir::Dtype;

constexpr Dtype kFloats[] = {Dtype::kF64, Dtype::kF32, Dtype::kF16, Dtype::kBf16};
constexpr int kSets = 20000;
constexpr int kMembers = 6;

// Not template parameters: the compiler would write the loop anew for every operation.
using OnSets = std::function<FloatSet(const Sets&, const FloatSet&, const FloatSet&)>;
using OnValues = std::function<double(const Exact&, double, double)>;

// Counts members' results outside op's set; says the first.
int CountEscapes(Dtype dtype, const Contract& contract, uint64_t seed, const OnSets& on_sets,
                 const OnValues& on_values, std::string* first) {
  Draw draw(seed);
  const Sets sets(contract, dtype, dtype);
  const Exact exact(contract, dtype, dtype);
  int escapes = 0;
  for (int i = 0; i < kSets; ++i) {
    const FloatSet x = draw.Set(dtype);
    const FloatSet y = draw.Set(dtype);
    const FloatSet result = on_sets(sets, x, y);
    for (int j = 0; j < kMembers; ++j) {
      const double a = draw.Member(dtype, x);
      const double b = draw.Member(dtype, y);
      const double value = on_values(exact, a, b);
      if (result.Contains(value)) continue;
      if (escapes++ == 0) {
        *first = Describe(dtype, x) + " op " + Describe(dtype, y) + " = " +
                 Describe(dtype, result) + ", but " + Describe(dtype, FloatSet::Of(a)) + " op " +
                 Describe(dtype, FloatSet::Of(b)) + " = " + Describe(dtype, FloatSet::Of(value));
      }
    }
  }
  return escapes;
}

#define CHECK_SOUND(dtype, contract, sets_expression, value_expression)        \
  do {                                                                         \
    std::string first;                                                         \
    const int escapes = CountEscapes(                                          \
        dtype, contract, __LINE__,                                             \
        [](const Sets& s, const FloatSet& x, const FloatSet& y) {              \
          static_cast<void>(y);                                                \
          return sets_expression;                                              \
        },                                                                     \
        [](const Exact& e, double x, double y) {                               \
          static_cast<void>(e);                                                \
          static_cast<void>(x);                                                \
          static_cast<void>(y);                                                \
          return value_expression;                                             \
        },                                                                     \
        &first);                                                               \
    INFO(#sets_expression << " in " << ir::DtypeName(dtype) << ": " << first); \
    CHECK(escapes == 0);                                                       \
  } while (false)

TEST_CASE("primitives on sets contain what they make of members") {
  const Contract contract = FusionCpuContract();
  for (const Dtype dtype : kFloats) {
    CHECK_SOUND(dtype, contract, s.Add(x, y), e.Add(x, y));
    CHECK_SOUND(dtype, contract, s.Sub(x, y), e.Sub(x, y));
    CHECK_SOUND(dtype, contract, s.Mul(x, y), e.Mul(x, y));
    CHECK_SOUND(dtype, contract, s.Div(x, y), e.Div(x, y));
    CHECK_SOUND(dtype, contract, s.Rem(x, y), e.Rem(x, y));
    CHECK_SOUND(dtype, contract, s.Sqrt(x), e.Sqrt(x));
    CHECK_SOUND(dtype, contract, s.Neg(x), e.Neg(x));
    CHECK_SOUND(dtype, contract, s.Abs(x), e.Abs(x));
    CHECK_SOUND(dtype, contract, s.Floor(x), e.Floor(x));
    CHECK_SOUND(dtype, contract, s.Ceil(x), e.Ceil(x));
    CHECK_SOUND(dtype, contract, s.Trunc(x), e.Trunc(x));
    CHECK_SOUND(dtype, contract, s.RoundEven(x), e.RoundEven(x));
    CHECK_SOUND(dtype, contract, s.Sign(x), e.Sign(x));
    CHECK_SOUND(dtype, contract, s.Min(x, y), e.Min(x, y));
    CHECK_SOUND(dtype, contract, s.Max(x, y), e.Max(x, y));
    // The other zero, where the sign is free.
    CHECK_SOUND(dtype, contract, s.Max(x, y), e.Max(x, y) == 0 ? -e.Max(x, y) : e.Max(x, y));
    CHECK_SOUND(dtype, contract, s.Select(IntSet::Either(), x, y), x);
    CHECK_SOUND(dtype, contract, s.Select(IntSet::Of(0), x, y), y);
  }
}

double FlushIfSmall(double value) {
  return std::fabs(value) < FormatOf(Dtype::kF32).min_normal ? 0 * value : value;
}

TEST_CASE("a contract that may flush contains flushed operands and results") {
  Contract contract = FusionCpuContract();
  contract.may_flush = true;
  const Dtype dtype = Dtype::kF32;
  CHECK_SOUND(dtype, contract, s.Add(x, y), FlushIfSmall(e.Add(x, FlushIfSmall(y))));
  CHECK_SOUND(dtype, contract, s.Mul(x, y), FlushIfSmall(e.Mul(FlushIfSmall(x), y)));
  CHECK_SOUND(dtype, contract, s.Div(x, y), e.Div(x, FlushIfSmall(y)));
  CHECK_SOUND(dtype, contract, s.Div(x, y), -FlushIfSmall(-e.Div(FlushIfSmall(x), y)));
}

TEST_CASE("a contract with k ulp division contains neighbours of the quotient") {
  Contract contract = FusionCpuContract();
  contract.division_ulp = 2.5;
  contract.sqrt_ulp = 3;
  const Dtype dtype = Dtype::kF32;
  const auto up = [](double value) {
    return std::isfinite(value) && value != 0 ? NextUp(Dtype::kF32, value) : value;
  };
  Draw draw(7);
  const Sets sets(contract, dtype, dtype);
  int escapes = 0;
  for (int i = 0; i < kSets; ++i) {
    const FloatSet x = draw.Set(dtype);
    const FloatSet y = draw.Set(dtype);
    const double a = draw.Member(dtype, x);
    const double b = draw.Member(dtype, y);
    const double quotient = Round(dtype, a / b);
    if (!sets.Div(x, y).Contains(up(quotient))) ++escapes;
    if (!sets.Div(x, y).Contains(-up(-quotient))) ++escapes;
    if (!sets.Sqrt(x).Contains(up(up(Round(dtype, std::sqrt(a)))))) ++escapes;
  }
  CHECK(escapes == 0);
}

TEST_CASE("comparisons on sets contain the comparison of members, and are certain if they can be") {
  const Contract contract = FusionCpuContract();
  Draw draw(8);
  for (const Dtype dtype : kFloats) {
    const Sets sets(contract, dtype, Dtype::kBool);
    int escapes = 0;
    int certain = 0;
    for (int i = 0; i < kSets; ++i) {
      const FloatSet x = draw.Set(dtype);
      const FloatSet y = draw.Set(dtype);
      const IntSet less = sets.Less(x, y);
      const IntSet greater_equal = sets.GreaterEqual(x, y);
      const IntSet equal = sets.Equal(x, y);
      certain += less.IsPoint() ? 1 : 0;
      for (int j = 0; j < kMembers; ++j) {
        const double a = draw.Member(dtype, x);
        const double b = draw.Member(dtype, y);
        if (!less.Contains(Dtype::kBool, a < b ? 1 : 0)) ++escapes;
        if (!greater_equal.Contains(Dtype::kBool, a >= b ? 1 : 0)) ++escapes;
        if (!equal.Contains(Dtype::kBool, a == b ? 1 : 0)) ++escapes;
        if (!sets.IsNan(x).Contains(Dtype::kBool, std::isnan(a) ? 1 : 0)) ++escapes;
        if (!sets.IsInf(x).Contains(Dtype::kBool, std::isinf(a) ? 1 : 0)) ++escapes;
      }
    }
    CHECK(escapes == 0);
    CHECK(certain > kSets / 4);
  }
}

TEST_CASE("comparisons and signs see subnormals as zeros where they may be flushed") {
  Contract contract = FusionCpuContract();
  contract.may_flush = true;
  const Sets bools(contract, Dtype::kF32, Dtype::kBool);
  const FloatSet tiny = FloatSet::Of(-0x1p-130);
  CHECK(bools.Less(tiny, FloatSet::Of(0)).count == 2);
  CHECK(bools.GreaterEqual(tiny, FloatSet::Of(0)).count == 2);
  CHECK(bools.Equal(tiny, FloatSet::Of(0)).count == 2);
  CHECK(bools.Less(FloatSet::Of(-1), tiny).IsPoint());
  const Sets floats(contract, Dtype::kF32, Dtype::kF32);
  for (const double sign : {-1.0, -0.0, 0.0}) CHECK(floats.Sign(tiny).Contains(sign));
  CHECK(floats.Floor(tiny).Contains(-0.0));
}

TEST_CASE("casts on sets contain the casts of members") {
  const Contract contract = FusionCpuContract();
  Draw draw(9);
  for (const Dtype from : kFloats) {
    for (const Dtype to : ir::kPlainDtypes) {
      const Sets sets(contract, from, to);
      const Exact exact(contract, from, to);
      int escapes = 0;
      for (int i = 0; i < 5000; ++i) {
        const FloatSet x = draw.Set(from);
        for (int j = 0; j < kMembers; ++j) {
          const double a = draw.Member(from, x);
          if (ir::IsFloat(to)) {
            if (!sets.CastToFloat(x).Contains(exact.CastToFloat(a))) ++escapes;
          } else if (!sets.CastToInt(x).Contains(to, exact.CastToInt(a))) {
            ++escapes;
          }
        }
      }
      INFO(ir::DtypeName(from) << " to " << ir::DtypeName(to));
      CHECK(escapes == 0);
    }
  }
}

// Sharpness: what oracle.md says of each rule.

const Contract kContract = FusionCpuContract();
const Sets kF32(kContract, Dtype::kF32, Dtype::kF32);

TEST_CASE("correctly rounded operations give points from points") {
  Draw draw(10);
  int sets = 0;
  for (const Dtype dtype : kFloats) {
    const Sets algebra(kContract, dtype, dtype);
    for (int i = 0; i < 10000; ++i) {
      const FloatSet x = FloatSet::Of(draw.Value(dtype));
      const FloatSet y = FloatSet::Of(draw.Value(dtype));
      for (const FloatSet& result : {algebra.Add(x, y), algebra.Sub(x, y), algebra.Mul(x, y),
                                     algebra.Div(x, y), algebra.Rem(x, y), algebra.Sqrt(x)}) {
        sets += result.IsPoint() ? 0 : 1;
      }
    }
  }
  CHECK(sets == 0);
}

TEST_CASE("a divisor around zero gives two rays and infinities, NaN only with a zero dividend") {
  const FloatSet around = FloatSet::Between(-1, 1);
  const FloatSet one = kF32.Div(FloatSet::Of(1), around);
  CHECK(one.count == 2);
  CHECK(one.intervals[0].hi == -1);
  CHECK(one.intervals[1].lo == 1);
  CHECK(one.positive_infinity);
  CHECK(one.negative_infinity);
  CHECK_FALSE(one.nan);
  CHECK_FALSE(one.ContainsZero());
  CHECK(kF32.Div(FloatSet::Between(0, 1), around).nan);
  // Signs are kept: a positive divisor from +0.
  const FloatSet ray = kF32.Div(FloatSet::Of(1), FloatSet::Between(0.0, 1));
  CHECK(ray.positive_infinity);
  CHECK_FALSE(ray.negative_infinity);
  CHECK(ray.lo() == 1);
}

TEST_CASE("signs and classes are certain where the set is of one") {
  CHECK(kF32.Sign(FloatSet::Between(0x1p-149, 7)).IsPoint());
  const FloatSet sign = kF32.Sign(FloatSet::Between(-3, -0.0));
  CHECK(sign.Contains(-1));
  CHECK(sign.Contains(-0.0));
  CHECK_FALSE(sign.Contains(0.0));
  CHECK_FALSE(sign.Contains(-0.5));
  CHECK(kF32.IsNan(FloatSet::Between(-3, 7)).IsPoint());
  FloatSet number = FloatSet::Of(1);
  number.nan = true;
  CHECK_FALSE(kF32.IsNan(number).IsPoint());
  CHECK(kF32.IsInf(number).IsPoint());
}

TEST_CASE("overflow is a class beside the finite values") {
  const double max = FormatOf(Dtype::kF32).max;
  const FloatSet sum = kF32.Add(FloatSet::Between(max / 2, max), FloatSet::Of(max / 2));
  CHECK(sum.positive_infinity);
  CHECK(sum.hi() == max);
  CHECK(sum.lo() == max);
  const FloatSet all = kF32.Mul(FloatSet::Between(max / 2, max), FloatSet::Of(4));
  CHECK(all.IsPoint());
  CHECK(std::isinf(all.Value()));
}

TEST_CASE("remainders stay near x where the quotient cannot jump") {
  const FloatSet near = kF32.Rem(FloatSet::Between(5.25, 5.5), FloatSet::Of(2));
  CHECK(near == FloatSet::Between(1.25, 1.5));
  const FloatSet jump = kF32.Rem(FloatSet::Between(3.75, 4.25), FloatSet::Of(2));
  CHECK(jump == FloatSet::Between(0.0, 2));
}

TEST_CASE("integral sets admit integers only") {
  const FloatSet floor = kF32.Floor(FloatSet::Between(1.5, 4.5));
  CHECK(floor.Contains(2));
  CHECK_FALSE(floor.Contains(2.5));
  const FloatSet sum = kF32.Add(floor, FloatSet::Of(3));
  CHECK(sum.Contains(5));
  CHECK_FALSE(sum.Contains(5.5));
  CHECK_FALSE(kF32.Add(floor, FloatSet::Of(0.5)).integral);
}

TEST_CASE("NaN is a member only if it is one") {
  CHECK_FALSE(FloatSet::Between(-1, 1).Contains(FreeNan()));
  CHECK_FALSE(FloatSet::AnyNan().Contains(0));
  CHECK(FloatSet::AnyNan().Contains(std::nan("1")));
  CHECK(FloatSet::Everything(Dtype::kF32).Contains(FreeNan()));
}

}  // namespace
}  // namespace faultline::reference
