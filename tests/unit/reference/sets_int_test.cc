// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <string>

#include "reference/algebra.h"
#include "tests/unit/reference/draw.h"

namespace faultline::reference {
namespace {

using ir::Dtype;

constexpr Dtype kInts[] = {Dtype::kI8,  Dtype::kU8,  Dtype::kI16, Dtype::kU16,
                           Dtype::kI32, Dtype::kU32, Dtype::kI64, Dtype::kU64};
constexpr int kSets = 8000;

int64_t DrawInt(Draw& draw, Dtype dtype) {
  switch (draw.Below(4)) {
    case 0:
      return ir::IntMin(dtype);
    case 1:
      return std::bit_cast<int64_t>(ir::IntMax(dtype));
    case 2:
      return Wrap(dtype, draw.Below(9) - 4);
    default:
      return Wrap(dtype, draw.Bits());
  }
}

IntSet DrawSet(Draw& draw, Dtype dtype) {
  IntSet set = IntSet::Of(DrawInt(draw, dtype));
  if (draw.Chance(3)) {
    const int64_t a = DrawInt(draw, dtype);
    const int64_t b = DrawInt(draw, dtype);
    set = IntLess(dtype, a, b) ? IntSet::Between(dtype, a, b) : IntSet::Between(dtype, b, a);
  }
  for (uint64_t n = draw.Below(5); n > 0; --n) set.AddValue(dtype, DrawInt(draw, dtype));
  return set;
}

int64_t Member(Draw& draw, Dtype dtype, const IntSet& set) {
  if (set.enumerated()) return set.values[draw.Below(static_cast<uint64_t>(set.count))];
  if (draw.Chance(4)) return set.lo;
  if (draw.Chance(3)) return set.hi;
  const uint64_t width = std::bit_cast<uint64_t>(set.hi) - std::bit_cast<uint64_t>(set.lo);
  const uint64_t step = width == UINT64_MAX ? draw.Bits() : draw.Below(width + 1);
  return Wrap(dtype, std::bit_cast<uint64_t>(set.lo) + step);
}

// Not template parameters: the compiler would write the loop anew for every operation.
using OnSets = std::function<IntSet(const Sets&, const IntSet&, const IntSet&)>;
using OnValues = std::function<int64_t(const Exact&, int64_t, int64_t)>;

void CheckSound(const char* name, const OnSets& on_sets, const OnValues& on_values) {
  const Contract contract = FusionCpuContract();
  for (const Dtype dtype : kInts) {
    Draw draw(1);
    const Sets sets(contract, dtype, dtype);
    const Exact exact(contract, dtype, dtype);
    int escapes = 0;
    std::string first;
    for (int i = 0; i < kSets; ++i) {
      const IntSet x = DrawSet(draw, dtype);
      const IntSet y = DrawSet(draw, dtype);
      const IntSet result = on_sets(sets, x, y);
      for (int j = 0; j < 4; ++j) {
        const int64_t a = Member(draw, dtype, x);
        const int64_t b = Member(draw, dtype, y);
        const int64_t value = on_values(exact, a, b);
        if (result.Contains(dtype, value)) continue;
        if (escapes++ == 0) {
          first = Describe(dtype, x) + " op " + Describe(dtype, y) + " = " +
                  Describe(dtype, result) + " without " + std::to_string(value);
        }
      }
    }
    INFO(name << " in " << ir::DtypeName(dtype) << ": " << first);
    CHECK(escapes == 0);
  }
}

#define CHECK_SOUND(sets_expression, value_expression)      \
  CheckSound(                                               \
      #sets_expression,                                     \
      [](const Sets& s, const IntSet& x, const IntSet& y) { \
        static_cast<void>(y);                               \
        return sets_expression;                             \
      },                                                    \
      [](const Exact& e, int64_t x, int64_t y) {            \
        static_cast<void>(e);                               \
        static_cast<void>(x);                               \
        static_cast<void>(y);                               \
        return value_expression;                            \
      })

TEST_CASE("integer primitives on sets contain what they make of members") {
  CHECK_SOUND(s.Add(x, y), e.Add(x, y));
  CHECK_SOUND(s.Sub(x, y), e.Sub(x, y));
  CHECK_SOUND(s.Mul(x, y), e.Mul(x, y));
  CHECK_SOUND(s.Div(x, y), e.Div(x, y));
  CHECK_SOUND(s.Rem(x, y), e.Rem(x, y));
  CHECK_SOUND(s.Neg(x), e.Neg(x));
  CHECK_SOUND(s.Abs(x), e.Abs(x));
  CHECK_SOUND(s.Min(x, y), e.Min(x, y));
  CHECK_SOUND(s.Max(x, y), e.Max(x, y));
  CHECK_SOUND(s.Sign(x), e.Sign(x));
  CHECK_SOUND(s.BitAnd(x, y), e.BitAnd(x, y));
  CHECK_SOUND(s.BitOr(x, y), e.BitOr(x, y));
  CHECK_SOUND(s.BitXor(x, y), e.BitXor(x, y));
  CHECK_SOUND(s.BitNot(x), e.BitNot(x));
  CHECK_SOUND(s.ShiftLeft(x, y), e.ShiftLeft(x, y));
  CHECK_SOUND(s.ShiftRight(x, y), e.ShiftRight(x, y));
  CHECK_SOUND(s.Select(IntSet::Either(), x, y), y);
}

TEST_CASE("comparisons and casts of integer sets contain those of members") {
  const Contract contract = FusionCpuContract();
  for (const Dtype from : kInts) {
    for (const Dtype to : ir::kPlainDtypes) {
      Draw draw(2);
      const Sets sets(contract, from, to);
      const Exact exact(contract, from, to);
      int escapes = 0;
      for (int i = 0; i < 2000; ++i) {
        const IntSet x = DrawSet(draw, from);
        const IntSet y = DrawSet(draw, from);
        const int64_t a = Member(draw, from, x);
        const int64_t b = Member(draw, from, y);
        if (!sets.Less(x, y).Contains(Dtype::kBool, exact.Less(a, b))) ++escapes;
        if (!sets.GreaterEqual(x, y).Contains(Dtype::kBool, exact.GreaterEqual(a, b))) ++escapes;
        if (!sets.Equal(x, y).Contains(Dtype::kBool, exact.Equal(a, b))) ++escapes;
        if (ir::IsFloat(to)) {
          if (!sets.CastToFloat(x).Contains(exact.CastToFloat(a))) ++escapes;
        } else if (!sets.CastToInt(x).Contains(to, exact.CastToInt(a))) {
          ++escapes;
        }
      }
      INFO(ir::DtypeName(from) << " to " << ir::DtypeName(to));
      CHECK(escapes == 0);
    }
  }
}

TEST_CASE("small sets are enumerated, larger ones become intervals") {
  IntSet set = IntSet::Of(3);
  set.AddValue(Dtype::kI32, 900);
  CHECK(set.enumerated());
  CHECK_FALSE(set.Contains(Dtype::kI32, 4));
  CHECK(Describe(Dtype::kI32, set) == "{3, 900}");
  for (int i = 10; i < 30; ++i) set.AddValue(Dtype::kI32, i);
  CHECK_FALSE(set.enumerated());
  CHECK(Describe(Dtype::kI32, set) == "[3, 900]");
  CHECK(IntSet::Full(Dtype::kU64).IsFull(Dtype::kU64));
  CHECK(IntSet::Either().IsFull(Dtype::kBool));
}

// The pinned table of architecture.md.
TEST_CASE("integer semantics are the pinned ones") {
  const Contract contract = ExactContract();
  const Exact i8(contract, Dtype::kI8, Dtype::kI8);
  const Exact u8(contract, Dtype::kU8, Dtype::kU8);
  const Exact i64(contract, Dtype::kI64, Dtype::kI64);
  const Exact u64(contract, Dtype::kU64, Dtype::kU64);
  CHECK(i8.Add(int64_t{127}, int64_t{1}) == -128);
  CHECK(i8.Abs(int64_t{-128}) == -128);
  CHECK(i8.Neg(int64_t{-128}) == -128);
  CHECK(i8.Div(int64_t{-7}, int64_t{2}) == -3);
  CHECK(i8.Div(int64_t{7}, int64_t{0}) == -1);
  CHECK(u8.Div(int64_t{7}, int64_t{0}) == 255);
  CHECK(i8.Div(int64_t{-128}, int64_t{-1}) == -128);
  CHECK(i64.Div(INT64_MIN, int64_t{-1}) == INT64_MIN);
  CHECK(u64.Div(int64_t{-1}, int64_t{2}) == INT64_MAX);
  CHECK(i8.Rem(int64_t{-7}, int64_t{3}) == 2);
  CHECK(i8.Rem(int64_t{7}, int64_t{-3}) == -2);
  CHECK(i8.Rem(int64_t{7}, int64_t{0}) == 7);
  CHECK(i64.Rem(INT64_MIN, int64_t{-1}) == 0);
  CHECK(i8.ShiftLeft(int64_t{1}, int64_t{9}) == 2);
  CHECK(i8.ShiftLeft(int64_t{1}, int64_t{-1}) == -128);
  CHECK(i8.ShiftRight(int64_t{-128}, int64_t{7}) == -1);
  CHECK(u8.ShiftRight(int64_t{128}, int64_t{7}) == 1);
}

TEST_CASE("casts are the pinned ones") {
  const Contract contract = ExactContract();
  const auto to_int = [&](Dtype to, double value) {
    return Exact(contract, Dtype::kF32, to).CastToInt(value);
  };
  CHECK(to_int(Dtype::kI8, -1e9) == -128);
  CHECK(to_int(Dtype::kI8, 127.9) == 127);
  CHECK(to_int(Dtype::kI32, FreeNan()) == 0);
  CHECK(to_int(Dtype::kU8, -0.9) == 0);
  CHECK(to_int(Dtype::kU64, 0x1p64) == -1);
  CHECK(to_int(Dtype::kU64, 0x1p63) == INT64_MIN);
  CHECK(to_int(Dtype::kI64, 0x1p63) == INT64_MAX);
  CHECK(to_int(Dtype::kBool, FreeNan()) == 1);
  CHECK(to_int(Dtype::kBool, -0.0) == 0);
  CHECK(to_int(Dtype::kBool, 0.25) == 1);
  // One rounding from the source: through f64 these would be rounded twice.
  const Exact to_f32(contract, Dtype::kI64, Dtype::kF32);
  const int64_t above_tie = (int64_t{1} << 60) + (int64_t{1} << 36) + 1;
  CHECK(to_f32.CastToFloat(above_tie) == static_cast<double>(static_cast<float>(above_tie)));
  CHECK(to_f32.CastToFloat(above_tie) !=
        static_cast<double>(static_cast<float>(static_cast<double>(above_tie))));
  Draw draw(3);
  int failures = 0;
  for (int i = 0; i < 1000000; ++i) {
    const auto value = std::bit_cast<int64_t>(draw.Bits()) >> draw.Below(64);
    if (to_f32.CastToFloat(value) != static_cast<double>(static_cast<float>(value))) ++failures;
  }
  CHECK(failures == 0);
}

}  // namespace
}  // namespace faultline::reference
