// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Correctly rounded and exact float primitives on sets (rules R1, R2 and R5 of the oracle).
// Rounding is monotone, so what a correctly rounded operation makes of a box lies between the
// correctly rounded results at its corners. Infinities, NaN and division by zero are evaluated on
// one representative of each class and united.

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/algebra.h"

namespace faultline::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kClassesMax = 7;

// One value of each class that the set meets: for operations whose result, with an infinity or a
// zero divisor among the operands, depends on classes alone.
struct Representatives {
  std::array<double, kClassesMax> values;
  size_t count = 0;

  explicit Representatives(const FloatSet& set) {
    if (set.nan) Push(FreeNan());
    if (set.negative_infinity) Push(-kInfinity);
    if (set.positive_infinity) Push(kInfinity);
    bool negative = false;
    bool minus_zero = false;
    bool plus_zero = false;
    bool positive = false;
    for (size_t i = 0; i < static_cast<size_t>(set.count); ++i) {
      const auto [lo, hi] = set.intervals[i];
      negative = negative || lo < 0;
      positive = positive || hi > 0;
      minus_zero = minus_zero || (!Below(-0.0, lo) && !Below(hi, -0.0));
      plus_zero = plus_zero || (!Below(0.0, lo) && !Below(hi, 0.0));
    }
    if (negative) Push(-1);
    if (minus_zero) Push(-0.0);
    if (plus_zero) Push(0.0);
    if (positive) Push(1);
  }
  void Push(double value) { values[count++] = value; }
};

// op over the pairs of classes of which one is not finite.
template <class Op>
void AddClasses(FloatSet& to, const FloatSet& x, const FloatSet& y, const Op& op) {
  if (x.finite_only() && y.finite_only()) return;
  const Representatives xs(x);
  const Representatives ys(y);
  for (size_t i = 0; i < xs.count; ++i) {
    for (size_t j = 0; j < ys.count; ++j) {
      const double a = xs.values[i];
      const double b = ys.values[j];
      if (!std::isfinite(a) || !std::isfinite(b)) to.AddValue(op(a, b));
    }
  }
}

bool IsIntegral(const FloatSet& set) {
  if (set.integral || set.count == 0) return true;
  return set.count == 1 && set.lo() == set.hi() && set.lo() == std::trunc(set.lo());
}

// Visits every pair of intervals.
template <class Visit>
void ForPairs(const FloatSet& x, const FloatSet& y, const Visit& visit) {
  for (size_t i = 0; i < static_cast<size_t>(x.count); ++i) {
    for (size_t j = 0; j < static_cast<size_t>(y.count); ++j) {
      visit(x.intervals[i], y.intervals[j]);
    }
  }
}

// Hull of op at the four corners.
template <class Op>
Interval FourCorners(const Interval& a, const Interval& b, const Op& op) {
  const double c[] = {op(a.lo, b.lo), op(a.lo, b.hi), op(a.hi, b.lo), op(a.hi, b.hi)};
  return {Lesser(Lesser(c[0], c[1]), Lesser(c[2], c[3])),
          Greater(Greater(c[0], c[1]), Greater(c[2], c[3]))};
}

// The sign of every zero becomes free.
FloatSet WithFreeZeros(FloatSet set) {
  if (set.ContainsZero()) set.Add(-0.0, 0.0);
  return set;
}

// The finite intervals and, as intervals of their own, the infinities.
struct Extended {
  std::array<Interval, FloatSet::kIntervalsMax + 2> intervals;
  size_t count = 0;

  explicit Extended(const FloatSet& set) {
    if (set.negative_infinity) intervals[count++] = {-kInfinity, -kInfinity};
    for (size_t i = 0; i < static_cast<size_t>(set.count); ++i) {
      intervals[count++] = set.intervals[i];
    }
    if (set.positive_infinity) intervals[count++] = {kInfinity, kInfinity};
  }
};

// min and max: monotone in both operands and exact. NaN propagates unless the contract lets either
// operand win; the sign of a zero result is free.
template <class Pick>
FloatSet Extremum(const Sets& sets, const FloatSet& x, const FloatSet& y, const Pick& pick) {
  FloatSet to;
  const Extended xs(sets.Flushed(x));
  const Extended ys(sets.Flushed(y));
  for (size_t i = 0; i < xs.count; ++i) {
    for (size_t j = 0; j < ys.count; ++j) {
      const Interval& a = xs.intervals[i];
      const Interval& b = ys.intervals[j];
      to.AddRounded(sets.result(), pick(a.lo, b.lo), pick(a.hi, b.hi));
    }
  }
  to.nan = x.nan || y.nan;
  if (sets.contract().nan_rule == NanRule::kEither) {
    if (x.nan) to.Unite(y);
    if (y.nan) to.Unite(x);
  }
  to.integral = IsIntegral(x) && IsIntegral(y);
  return WithFreeZeros(to);
}

}  // namespace

void Sets::AddCorrectlyRounded(Float& to, double lo, double hi) const {
  if (wide_) {
    // Kept in f64 or wider; what is computed in f32 for a narrower dtype may also be kept in f32.
    const double near_lo = Round(ComputeDtype(result_), lo);
    const double near_hi = Round(ComputeDtype(result_), hi);
    const double low = std::isfinite(near_lo) ? std::min(lo, near_lo) : lo;
    const double high = std::isfinite(near_hi) ? std::max(hi, near_hi) : hi;
    to.AddRounded(ir::Dtype::kF64, NextDown(ir::Dtype::kF64, low), NextUp(ir::Dtype::kF64, high));
  } else {
    to.AddRounded(result_, Round(result_, lo), Round(result_, hi));
  }
}

FloatSet Sets::Flushed(const Float& x) const {
  if (!contract_->may_flush) return x;
  const ir::Dtype dtype = ir::IsFloat(result_) ? result_ : operand_;
  const double normal = FormatOf(ComputeDtype(dtype)).min_normal;
  for (size_t i = 0; i < static_cast<size_t>(x.count); ++i) {
    const auto [lo, hi] = x.intervals[i];
    if (hi <= -normal || lo >= normal || (lo == 0 && hi == 0)) continue;
    Float flushed = x;
    flushed.Add(-0.0, 0.0);
    return flushed;
  }
  return x;
}

FloatSet Sets::Add(const Float& left, const Float& right) const {
  const Float x = Flushed(left);
  const Float y = Flushed(right);
  Float to;
  ForPairs(x, y, [&](const Interval& a, const Interval& b) {
    AddCorrectlyRounded(to, a.lo + b.lo, a.hi + b.hi);
  });
  AddClasses(to, x, y, [](double a, double b) { return a + b; });
  // A rounded sum or product of integers is an integer.
  to.integral = !wide_ && IsIntegral(x) && IsIntegral(y);
  return Flushed(to);
}

FloatSet Sets::Sub(const Float& x, const Float& y) const { return Add(x, Neg(y)); }

FloatSet Sets::Mul(const Float& left, const Float& right) const {
  const Float x = Flushed(left);
  const Float y = Flushed(right);
  Float to;
  const auto product = [](double a, double b) { return a * b; };
  ForPairs(x, y, [&](const Interval& a, const Interval& b) {
    const Interval ends = FourCorners(a, b, product);
    AddCorrectlyRounded(to, ends.lo, ends.hi);
  });
  AddClasses(to, x, y, product);
  to.integral = !wide_ && IsIntegral(x) && IsIntegral(y);
  return Flushed(to);
}

FloatSet Sets::Div(const Float& left, const Float& right) const {
  const Float x = Flushed(left);
  const Float y = Flushed(right);
  Float to;
  const auto quotient = [](double a, double b) { return a / b; };
  const auto add = [&](const Interval& a, const Interval& b) {
    const Interval ends = FourCorners(a, b, quotient);
    if (contract_->division_ulp == 0) {
      AddCorrectlyRounded(to, ends.lo, ends.hi);
    } else {
      AddWithinUlp(to, NextDown(ir::Dtype::kF64, ends.lo), NextUp(ir::Dtype::kF64, ends.hi),
                   contract_->division_ulp, kInfinity);
    }
  };
  // A divisor that may be zero: its parts of one sign, which begin at the smallest subnormal (of
  // f64 where an operand may be wider than its dtype), and the zeros themselves.
  const double least =
      FormatOf(wide_ || contract_->wider_intermediates ? ir::Dtype::kF64 : result_).min_subnormal;
  ForPairs(x, y, [&](const Interval& a, const Interval& b) {
    if (b.lo > 0 || b.hi < 0) return add(a, b);
    if (b.lo < 0) add(a, {b.lo, -least});
    if (b.hi > 0) add(a, {least, b.hi});
  });
  const Representatives xs(x);
  for (const double zero : {-0.0, 0.0}) {
    if (!y.Contains(zero)) continue;
    for (size_t i = 0; i < xs.count; ++i) to.AddValue(xs.values[i] / zero);
  }
  AddClasses(to, x, y, quotient);
  return Flushed(to);
}

FloatSet Sets::Sqrt(const Float& operand) const {
  const Float x = Flushed(operand);
  Float to;
  to.nan = x.nan || x.negative_infinity;
  to.positive_infinity = x.positive_infinity;
  for (size_t i = 0; i < static_cast<size_t>(x.count); ++i) {
    auto [lo, hi] = x.intervals[i];
    if (lo < 0) {
      to.nan = true;
      if (hi < 0) continue;
      lo = -0.0;
    }
    if (contract_->sqrt_ulp == 0 || hi == 0) {
      AddCorrectlyRounded(to, std::sqrt(lo), std::sqrt(hi));
      continue;
    }
    AddWithinUlp(to, NextDown(ir::Dtype::kF64, std::sqrt(lo)),
                 NextUp(ir::Dtype::kF64, std::sqrt(hi)), contract_->sqrt_ulp, kInfinity);
    if (lo == 0) to.Add(lo, 0);
  }
  return Flushed(to);
}

FloatSet Sets::Neg(const Float& x) const {
  Float to;
  to.count = x.count;
  const auto n = static_cast<size_t>(x.count);
  for (size_t i = 0; i < n; ++i) {
    to.intervals[n - 1 - i] = {-x.intervals[i].hi, -x.intervals[i].lo};
  }
  to.nan = x.nan;
  to.positive_infinity = x.negative_infinity;
  to.negative_infinity = x.positive_infinity;
  to.integral = x.integral;
  return to;
}

FloatSet Sets::Abs(const Float& x) const {
  Float to;
  for (size_t i = 0; i < static_cast<size_t>(x.count); ++i) {
    const auto [lo, hi] = x.intervals[i];
    if (!Below(lo, 0.0)) {
      to.Add(lo, hi);
    } else if (Below(hi, 0.0)) {
      to.Add(-hi, -lo);
    } else {
      to.Add(0.0, std::max(-lo, hi));
    }
  }
  to.nan = x.nan;
  to.positive_infinity = x.positive_infinity || x.negative_infinity;
  to.integral = x.integral;
  return to;
}

FloatSet Sets::Min(const Float& x, const Float& y) const {
  return Extremum(*this, x, y, [](double a, double b) { return Lesser(a, b); });
}

FloatSet Sets::Max(const Float& x, const Float& y) const {
  return Extremum(*this, x, y, [](double a, double b) { return Greater(a, b); });
}

namespace {

template <class Step>
FloatSet Monotone(const FloatSet& x, const Step& step) {
  FloatSet to;
  for (size_t i = 0; i < static_cast<size_t>(x.count); ++i) {
    to.Add(step(x.intervals[i].lo), step(x.intervals[i].hi));
  }
  to.nan = x.nan;
  to.positive_infinity = x.positive_infinity;
  to.negative_infinity = x.negative_infinity;
  to.integral = true;
  return to;
}

}  // namespace

FloatSet Sets::Floor(const Float& x) const {
  return Monotone(Flushed(x), [](double value) { return std::floor(value); });
}

FloatSet Sets::Ceil(const Float& x) const {
  return Monotone(Flushed(x), [](double value) { return std::ceil(value); });
}

FloatSet Sets::Trunc(const Float& x) const {
  return Monotone(Flushed(x), [](double value) { return std::trunc(value); });
}

FloatSet Sets::RoundEven(const Float& x) const {
  return Monotone(Flushed(x), [](double value) { return std::nearbyint(value); });
}

// One value for each class: negative, either zero, positive.
FloatSet Sets::Sign(const Float& operand) const {
  const Representatives xs(Flushed(operand));
  Float to;
  for (size_t i = 0; i < xs.count; ++i) {
    const double x = xs.values[i];
    to.AddValue(std::isnan(x) || x == 0 ? x : std::copysign(1.0, x));
  }
  to.integral = true;
  return to;
}

FloatSet Sets::Rem(const Float& dividend, const Float& divisor) const {
  const Float x = Flushed(dividend);
  const Float y = Flushed(divisor);
  const Exact exact(*contract_, operand_, wide_ ? ir::Dtype::kF64 : result_);
  if (x.IsPoint() && y.IsPoint() && !wide_) {
    return Flushed(FloatSet::Of(exact.Rem(x.Value(), y.Value())));
  }
  Float to;
  to.nan = x.nan || y.nan || x.positive_infinity || x.negative_infinity || y.ContainsZero();
  ForPairs(x, y, [&](const Interval& a, const Interval& b) {
    if (b.lo == b.hi && b.lo != 0 && a.hi - a.lo < std::fabs(b.lo)) {
      if (ToCell(a.lo) == ToCell(a.hi)) {
        const double remainder = exact.Rem(a.lo, b.lo);
        return AddCorrectlyRounded(to, remainder, remainder);
      }
      // One divisor: without a jump of the quotient the remainder grows with x. A jump inside would
      // make the remainder of the upper end the smaller one.
      const double lo = exact.Rem(a.lo, b.lo);
      const double hi = exact.Rem(a.hi, b.lo);
      if (lo < hi) return AddCorrectlyRounded(to, lo, hi);
    }
    if (b.lo > 0 && !Below(a.lo, 0.0) && a.hi < b.lo) return AddCorrectlyRounded(to, a.lo, a.hi);
    if (b.hi < 0 && !Below(-0.0, a.hi) && a.lo > b.hi) return AddCorrectlyRounded(to, a.lo, a.hi);
    // Anything between 0 and the divisor; rounding may reach the divisor itself.
    if (b.hi > 0) to.Add(0.0, b.hi);
    if (b.lo < 0) to.Add(b.lo, -0.0);
  });
  // An infinite divisor keeps what has its sign and replaces the rest.
  const double infinities[] = {kInfinity, -kInfinity};
  for (const double infinity : infinities) {
    if (!y.Contains(infinity)) continue;
    for (size_t i = 0; i < static_cast<size_t>(x.count); ++i) {
      const auto [lo, hi] = x.intervals[i];
      const bool up = infinity > 0;
      if (up ? hi >= 0 : lo <= 0) to.Add(up ? Greater(lo, 0.0) : lo, up ? hi : Lesser(hi, -0.0));
      if (x.ContainsZero()) to.Add(up ? 0.0 : -0.0, up ? 0.0 : -0.0);
      if (up ? lo < 0 : hi > 0) to.AddValue(infinity);
    }
  }
  return Flushed(to);
}

}  // namespace faultline::reference
