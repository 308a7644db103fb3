// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "reference/moments.h"

#include <algorithm>
#include <cmath>

#include "reference/bounds.h"
#include "reference/intermediate.h"
#include "reference/nature.h"

namespace faultline::reference {
namespace {

template <class A>
typename A::Float Quotient(const A& algebra, const typename A::Float& sum, int64_t count) {
  const auto divisor = algebra.FloatOf(ToCell(static_cast<double>(count)));
  return Intermediate(algebra, ComputeDtype(algebra.result()),
                      [&](const A& inner) { return inner.Div(sum, divisor); });
}

// Without its negative members, which a bound of a sum of squares may have; the sign of zero is
// free.
FloatSet NotNegative(const FloatSet& set) {
  FloatSet result = set;
  result.count = 0;
  result.negative_infinity = false;
  for (int k = 0; k < set.count; ++k) {
    const Interval& piece = set.intervals[static_cast<size_t>(k)];
    if (piece.hi >= 0) result.Add(piece.lo <= 0 ? -0.0 : piece.lo, piece.hi);
  }
  return result;
}

// What is known of a row of finite intervals: magnitudes, and the spread of their centres.
struct Spread {
  long double magnitude = 0;   // sum of the greatest |x|
  long double squares_lo = 0;  // sum of (c - mean of c)^2, c the centres, enclosed
  long double squares_hi = 0;
  long double radius = 0;  // root of the sum of squared radii
};

Spread SpreadOf(std::span<const FloatSet> x) {
  Spread spread;
  const auto n = static_cast<long double>(x.size());
  long double sum = 0;
  long double radii = 0;
  for (const FloatSet& set : x) {
    const long double lo = set.lo();
    const long double hi = set.hi();
    spread.magnitude += std::max(-lo, hi);
    sum += lo + (hi - lo) / 2;
    radii += (hi - lo) / 2 * ((hi - lo) / 2);
  }
  const long double mean = sum / n;
  long double squares = 0;
  for (const FloatSet& set : x) {
    const long double lo = set.lo();
    const long double hi = set.hi();
    const long double d = lo + (hi - lo) / 2 - mean;
    squares += d * d;
  }
  // The sums here round too: each by at most n + 4 units of long double, and a mean that is off by
  // e adds n e^2.
  constexpr long double kUnit = 0x1p-63L;
  const long double off = (n + 4) * kUnit * spread.magnitude / n;
  const long double slack = squares * (n + 8) * kUnit;
  spread.squares_lo = std::max(squares - slack - 4 * n * off * off, 0.0L);
  // A centre may itself be off by as much.
  spread.squares_hi = squares + slack + 4 * n * off * off + 4 * off * std::sqrt(squares * n);
  spread.squares_lo = std::max(spread.squares_lo - 4 * off * std::sqrt(squares * n), 0.0L);
  spread.radius = std::sqrt(radii) * (1 + (n + 4) * kUnit);
  return spread;
}

// The two-pass variance of rule R4. For any m' the sum of (x - m')^2 is S + n (m' - m)^2, with m
// the mean of x and S the sum of (x - m)^2; m' is the computed mean, which is off by the error of a
// sum and of a division. Each term is then rounded in the difference (twice, being squared), in the
// square, in at most n - 1 additions, and in the division: n + 3 factors 1 + d, |d| <= u, as all
// terms have one sign; a square and the quotient may underflow besides. For boxes, x = c + r: the
// root of S is a seminorm, so that of x is within the root of the sum of r^2 of that of c.
//
// Interval arithmetic on the differences alone would not see that errors of the mean cancel.
FloatSet TwoPassBound(ir::Dtype compute, std::span<const FloatSet> x, int64_t divisor) {
  const FloatFormat& format = FormatOf(compute);
  const auto n = static_cast<long double>(x.size());
  const auto u = static_cast<long double>(format.unit);
  const auto eta = static_cast<long double>(format.min_subnormal);
  const Spread spread = SpreadOf(x);
  const long double e = spread.magnitude * u * (1 + 2 * n * u) + eta;
  const long double root_lo = std::max(std::sqrt(spread.squares_lo) - spread.radius, 0.0L);
  const long double root_hi = std::sqrt(spread.squares_hi) + spread.radius;
  const long double k = (n + 3) * u;
  const long double relative = k / (1 - k) * (1 + 0x1p-40L);
  const auto count = static_cast<long double>(divisor);
  const long double lo =
      (root_lo * root_lo * (1 - relative) - n * eta) * (1 - 0x1p-60L) / count - eta;
  const long double hi =
      ((root_hi * root_hi + n * e * e) * (1 + relative) + n * eta) * (1 + 0x1p-60L) / count + eta;
  if (!(k < 0.5L) || !(hi * count < static_cast<long double>(format.max))) {
    return FloatSet::Everything(compute);
  }
  // Values of the dtype that lie within.
  const auto lowest = static_cast<double>(std::max(lo, 0.0L));
  const auto highest = static_cast<double>(hi);
  return FloatSet::Between(lo <= 0 ? -0.0 : RoundUp(compute, NextDown(ir::Dtype::kF64, lowest)),
                           RoundDown(compute, NextUp(ir::Dtype::kF64, highest)));
}

}  // namespace

double MeanOf(const Exact& algebra, std::span<const double> x) {
  const ir::Dtype compute = ComputeDtype(algebra.result());
  double sum = 0;
  if (Nature* nature = algebra.nature()) {
    sum = nature->Sum(compute, {x.begin(), x.end()});
  } else {
    for (const double value : x) sum = Round(compute, sum + value);
  }
  return Quotient(algebra, sum, static_cast<int64_t>(x.size()));
}

FloatSet MeanOf(const Sets& algebra, std::span<const FloatSet> x) {
  const FloatSet sum = SumSet(ComputeDtype(algebra.result()), algebra.contract(), [&](auto& bound) {
    for (const FloatSet& value : x) bound.Add(value);
  });
  return Quotient(algebra, sum, static_cast<int64_t>(x.size()));
}

double SquaresOf(const Exact& algebra, std::span<const double> x) {
  const ir::Dtype compute = ComputeDtype(algebra.result());
  if (Nature* nature = algebra.nature()) return nature->Dot(compute, x, x);
  double sum = 0;
  for (const double value : x) sum = Round(compute, sum + Round(compute, value * value));
  return sum;
}

FloatSet SquaresOf(const Sets& algebra, std::span<const FloatSet> x) {
  const ir::Dtype compute = ComputeDtype(algebra.result());
  const Sets inner(algebra.contract(), compute, compute);
  return NotNegative(SumSet(compute, algebra.contract(), [&](auto& bound) {
    for (const FloatSet& value : x) {
      // A square is the product of a magnitude with itself, which both have one sign.
      const FloatSet magnitude = inner.Abs(value);
      bound.AddProduct(magnitude, magnitude);
    }
  }));
}

double MeanSquareOf(const Exact& algebra, std::span<const double> x) {
  return Quotient(algebra, SquaresOf(algebra, x), static_cast<int64_t>(x.size()));
}

FloatSet MeanSquareOf(const Sets& algebra, std::span<const FloatSet> x) {
  return Quotient(algebra, SquaresOf(algebra, x), static_cast<int64_t>(x.size()));
}

double VarianceOf(const Exact& algebra, std::span<const double> x, double mean, int64_t ddof) {
  const auto count = static_cast<int64_t>(x.size());
  if (count <= ddof) return FreeNan();
  const ir::Dtype compute = ComputeDtype(algebra.result());
  std::vector<double> deviations;
  for (const double value : x) {
    deviations.push_back(algebra.On(compute, compute).Sub(value, mean));
  }
  return Quotient(algebra, SquaresOf(algebra, deviations), count - ddof);
}

FloatSet VarianceOf(const Sets& algebra, std::span<const FloatSet> x, const FloatSet& mean,
                    int64_t ddof) {
  const auto count = static_cast<int64_t>(x.size());
  if (count <= ddof) return FloatSet::AnyNan();
  const ir::Dtype compute = ComputeDtype(algebra.result());
  std::vector<FloatSet> deviations;
  bool finite = mean.simple();
  for (const FloatSet& value : x) {
    deviations.push_back(
        Intermediate(algebra, compute, [&](const Sets& inner) { return inner.Sub(value, mean); }));
    finite = finite && value.finite_only();
  }
  FloatSet variance = Quotient(algebra, SquaresOf(algebra, deviations), count - ddof);
  const Contract& contract = algebra.contract();
  const bool pinned =
      !contract.may_flush && !contract.wider_intermediates && contract.division_ulp == 0;
  if (!pinned || !finite || variance.count == 0 || variance.IsPoint()) return variance;
  const FloatSet bound = TwoPassBound(compute, x, count - ddof);
  const double lo = Greater(variance.lo(), bound.lo());
  const double hi = Lesser(variance.hi(), bound.hi());
  if (!bound.finite_only()) return variance;
  return FloatSet::Between(lo, hi);
}

}  // namespace faultline::reference
