// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Comparisons, selection and casts on sets (rule R5 of the oracle).

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/algebra.h"

namespace faultline::reference {
namespace {

// {false}, {true} or both.
IntSet Bools(bool may_be_false, bool may_be_true) {
  return IntSet::Between(ir::Dtype::kBool, may_be_false ? 0 : 1, may_be_true ? 1 : 0);
}

bool HasNumber(const FloatSet& set) {
  return set.count > 0 || set.positive_infinity || set.negative_infinity;
}

// Some member of x equals some member of y; -0 equals +0.
bool MayBeEqual(const FloatSet& x, const FloatSet& y) {
  if (x.positive_infinity && y.positive_infinity) return true;
  if (x.negative_infinity && y.negative_infinity) return true;
  for (size_t i = 0; i < static_cast<size_t>(x.count); ++i) {
    for (size_t j = 0; j < static_cast<size_t>(y.count); ++j) {
      if (x.intervals[i].lo <= y.intervals[j].hi && y.intervals[j].lo <= x.intervals[i].hi) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

IntSet Sets::Less(const Float& left, const Float& right) const {
  const Float x = Flushed(left);
  const Float y = Flushed(right);
  const bool numbers = HasNumber(x) && HasNumber(y);
  return Bools(x.nan || y.nan || (numbers && x.Highest() >= y.Lowest()),
               numbers && x.Lowest() < y.Highest());
}

IntSet Sets::GreaterEqual(const Float& left, const Float& right) const {
  const Float x = Flushed(left);
  const Float y = Flushed(right);
  const bool numbers = HasNumber(x) && HasNumber(y);
  return Bools(x.nan || y.nan || (numbers && x.Lowest() < y.Highest()),
               numbers && x.Highest() >= y.Lowest());
}

IntSet Sets::Equal(const Float& left, const Float& right) const {
  const Float x = Flushed(left);
  const Float y = Flushed(right);
  const bool numbers = HasNumber(x) && HasNumber(y);
  // Certainly equal only if both are one and the same number.
  const bool one =
      numbers && x.Lowest() == x.Highest() && y.Lowest() == y.Highest() && x.Lowest() == y.Lowest();
  return Bools(x.nan || y.nan || (numbers && !one), MayBeEqual(x, y));
}

IntSet Sets::IsNan(const Float& x) const { return Bools(HasNumber(x), x.nan); }

IntSet Sets::IsInf(const Float& x) const {
  return Bools(x.nan || x.count > 0, x.positive_infinity || x.negative_infinity);
}

IntSet Sets::Less(const Int& x, const Int& y) const {
  return Bools(!IntLess(operand_, x.hi, y.lo), IntLess(operand_, x.lo, y.hi));
}

IntSet Sets::GreaterEqual(const Int& x, const Int& y) const { return Not(Less(x, y)); }

IntSet Sets::Equal(const Int& x, const Int& y) const {
  bool meet = false;
  if (x.enumerated() && y.enumerated()) {
    for (size_t i = 0; i < static_cast<size_t>(x.count); ++i) {
      meet = meet || y.Contains(operand_, x.values[i]);
    }
  } else {
    meet = !IntLess(operand_, x.hi, y.lo) && !IntLess(operand_, y.hi, x.lo);
  }
  return Bools(!(x.IsPoint() && y.IsPoint() && x.Value() == y.Value()), meet);
}

FloatSet Sets::Select(const Int& mask, const Float& x, const Float& y) const {
  if (mask.IsPoint()) return mask.Value() != 0 ? x : y;
  Float both = x;
  both.Unite(y);
  return both;
}

IntSet Sets::Select(const Int& mask, const Int& x, const Int& y) const {
  if (mask.IsPoint()) return mask.Value() != 0 ? x : y;
  Int both = x;
  both.Unite(operand_, y);
  return both;
}

FloatSet Sets::CastToFloat(const Float& x) const {
  Float to;
  for (size_t i = 0; i < static_cast<size_t>(x.count); ++i) {
    const auto [lo, hi] = x.intervals[i];
    if (wide_) {
      to.Add(lo, hi);
    } else {
      to.AddRounded(result_, Round(result_, lo), Round(result_, hi));
    }
  }
  to.nan = to.nan || x.nan;
  to.positive_infinity = to.positive_infinity || x.positive_infinity;
  to.negative_infinity = to.negative_infinity || x.negative_infinity;
  to.integral = x.integral;
  return Flushed(to);
}

FloatSet Sets::CastToFloat(const Int& x) const {
  const Exact exact(*contract_, operand_, result_);
  Float to;
  if (wide_) {
    const Exact into_f64(*contract_, operand_, ir::Dtype::kF64);
    AddCorrectlyRounded(to, into_f64.CastToFloat(x.lo), into_f64.CastToFloat(x.hi));
    return to;
  }
  to.integral = true;
  if (x.count > Float::kIntervalsMax || !x.enumerated()) {
    to.AddRounded(result_, exact.CastToFloat(x.lo), exact.CastToFloat(x.hi));
    return to;
  }
  for (size_t i = 0; i < static_cast<size_t>(x.count); ++i) {
    to.AddValue(exact.CastToFloat(x.values[i]));
  }
  return to;
}

IntSet Sets::CastToInt(const Float& x) const {
  if (result_ == ir::Dtype::kBool) {
    const Float seen = Flushed(x);
    return Bools(seen.ContainsZero(), seen.ContainsNonZero());
  }
  const Exact exact(*contract_, operand_, result_);
  const double infinity = std::numeric_limits<double>::infinity();
  std::array<Int, Float::kIntervalsMax + 3> parts;
  size_t count = 0;
  if (x.nan) parts[count++] = Int::Of(0);
  if (x.negative_infinity) parts[count++] = Int::Of(exact.CastToInt(-infinity));
  if (x.positive_infinity) parts[count++] = Int::Of(exact.CastToInt(infinity));
  bool outside = count > 0;
  for (size_t i = 0; i < static_cast<size_t>(x.count); ++i) {
    const auto [lo, hi] = x.intervals[i];
    parts[count++] = Int::Between(result_, exact.CastToInt(lo), exact.CastToInt(hi));
    // What saturates, and the greatest value itself where f64 cannot tell it from the next.
    outside = outside || std::trunc(lo) < static_cast<double>(ir::IntMin(result_)) ||
              std::trunc(hi) >= static_cast<double>(ir::IntMax(result_)) + 1;
  }
  if (outside && contract_->cast_rule == CastRule::kUnspecified) return Int::Full(result_);
  Int to = parts[0];
  for (size_t i = 1; i < count; ++i) to.Unite(result_, parts[i]);
  return to;
}

IntSet Sets::CastToInt(const Int& x) const {
  const Exact exact(*contract_, operand_, result_);
  if (x.enumerated()) {
    Int to = Int::Of(exact.CastToInt(x.values[0]));
    for (size_t i = 1; i < static_cast<size_t>(x.count); ++i) {
      to.AddValue(result_, exact.CastToInt(x.values[i]));
    }
    return to;
  }
  if (result_ == ir::Dtype::kBool) return Bools(x.Contains(operand_, 0), true);
  // An interval shorter than the range maps to one unless it wraps inside.
  const uint64_t width = std::bit_cast<uint64_t>(x.hi) - std::bit_cast<uint64_t>(x.lo);
  const int64_t lo = exact.CastToInt(x.lo);
  const int64_t hi = exact.CastToInt(x.hi);
  const uint64_t range = std::bit_cast<uint64_t>(hi) - std::bit_cast<uint64_t>(lo);
  if (IntLess(result_, hi, lo) || range != width) return Int::Full(result_);
  return Int::Between(result_, lo, hi);
}

}  // namespace faultline::reference
