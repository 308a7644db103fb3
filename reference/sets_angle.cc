// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// atan2 and hypot on sets (rule R3 of the oracle): each operand in parts of one sign, on which both
// are monotone in each operand, so that the corners are the extremes; then the contract's
// allowance.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "reference/algebra.h"
#include "reference/function.h"

namespace faultline::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Magnitudes of the members of one sign: zero, finite intervals without it, infinity.
struct Magnitudes {
  std::array<Interval, FloatSet::kIntervalsMax + 3> parts;
  size_t count = 0;

  // `least`: the least finite magnitude there is beside 0.
  Magnitudes(const FloatSet& set, bool negative, double least) {
    for (size_t i = 0; i < static_cast<size_t>(set.count); ++i) {
      const auto [lo, hi] = set.intervals[i];
      const Interval x = negative ? Interval{-hi, -lo} : Interval{lo, hi};
      if (!Below(0.0, x.lo) && !Below(x.hi, 0.0)) parts[count++] = {0, 0};
      if (x.hi > 0) parts[count++] = {std::max(x.lo, least), x.hi};
    }
    const bool infinity = negative ? set.negative_infinity : set.positive_infinity;
    if (infinity) parts[count++] = {kInfinity, kInfinity};
  }
};

// The angle of (x, y) for y in `a` and |x| in `b`, between 0 and pi.
template <class Real>
std::array<Real, 2> AngleHull(const Interval& a, const Interval& b, bool negative_x) {
  const auto angle = [&](double y, double x) {
    return FunctionValue(Function::kAtan2, Real{y}, Real{negative_x ? -x : x});
  };
  const Real corners[] = {angle(a.lo, b.lo), angle(a.lo, b.hi), angle(a.hi, b.lo),
                          angle(a.hi, b.hi)};
  const auto [least, greatest] = std::ranges::minmax(corners);
  // Never 0, though Real may have underflowed.
  return {LowerEnd(least), std::max(UpperEnd(greatest), std::numeric_limits<Real>::denorm_min())};
}

}  // namespace

FloatSet Sets::Atan2(const Float& left, const Float& right) const {
  const Float ys = Flushed(left);
  const Float xs = Flushed(right);
  const double least =
      FormatOf(wide_ || contract_->wider_intermediates ? ir::Dtype::kF64 : operand_).min_subnormal;
  const double ulp = contract_->ulp(Function::kAtan2);
  Float to;
  to.nan = ys.nan || xs.nan;
  const auto add = [&]<class Real>(const std::array<Real, 2>& hull, bool negative) {
    if (negative) {
      AddWithinUlp(to, -hull[1], -hull[0], ulp, kInfinity);
    } else {
      AddWithinUlp(to, hull[0], hull[1], ulp, kInfinity);
    }
  };
  const auto add_parts = [&](const Interval& a, const Interval& b, bool negative_x,
                             bool negative_y) {
    const bool flat = a.hi == 0 || (std::isinf(b.lo) && !std::isinf(a.lo));
    if (flat && !negative_x) {
      to.AddValue(negative_y ? -0.0 : 0.0);
    } else if (ComputeDtype(result_) == ir::Dtype::kF64) {
      add(AngleHull<long double>(a, b, negative_x), negative_y);
    } else {
      add(AngleHull<double>(a, b, negative_x), negative_y);
    }
  };
  for (const bool negative_y : {false, true}) {
    const Magnitudes y(ys, negative_y, least);
    for (const bool negative_x : {false, true}) {
      const Magnitudes x(xs, negative_x, least);
      for (size_t i = 0; i < y.count; ++i) {
        for (size_t j = 0; j < x.count; ++j) {
          add_parts(y.parts[i], x.parts[j], negative_x, negative_y);
        }
      }
    }
  }
  return Flushed(to);
}

// An infinite side makes it infinite, whatever the other one is; a zero side leaves the other one.
FloatSet Sets::Hypot(const Float& left, const Float& right) const {
  const Float x = Abs(Flushed(left));
  const Float y = Abs(Flushed(right));
  const double ulp = contract_->ulp(Function::kHypot);
  Float to;
  to.positive_infinity = x.positive_infinity || y.positive_infinity;
  to.nan = (x.nan && (y.nan || y.count > 0)) || (y.nan && (x.nan || x.count > 0));
  const auto add = [&]<class Real>(Real least, Real greatest) {
    AddWithinUlp(to, LowerEnd(least), UpperEnd(greatest), ulp, kInfinity);
  };
  for (size_t i = 0; i < static_cast<size_t>(x.count); ++i) {
    for (size_t j = 0; j < static_cast<size_t>(y.count); ++j) {
      const auto [a, b] = x.intervals[i];
      const auto [c, d] = y.intervals[j];
      if (b == 0 || d == 0) {
        const double lo = std::max(a, c);
        const double hi = std::max(b, d);
        to.Unite(CastToFloat(Float::Between(lo, hi)));
      } else if (ComputeDtype(result_) == ir::Dtype::kF64) {
        add(std::hypot(static_cast<long double>(a), static_cast<long double>(c)),
            std::hypot(static_cast<long double>(b), static_cast<long double>(d)));
      } else {
        add(std::hypot(a, c), std::hypot(b, d));
      }
    }
  }
  return Flushed(to);
}

}  // namespace faultline::reference
