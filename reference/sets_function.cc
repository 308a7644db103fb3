// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Functions of one operand on sets (rule R3 of the oracle): the hull of the exact function over the
// set, widened by the contract's allowance. The exact function is libm's f64 for f32, f16 and bf16,
// and long double (64 bits) for f64, each widened by its own error (reference/function.h).

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "reference/algebra.h"
#include "reference/function.h"

namespace faultline::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
static_assert(std::numeric_limits<long double>::digits >= 64,
              "f64 functions are bounded with a wider type");

// Least power of two above a positive value; 0 below the normal range of f64, where all values of a
// format are equally far apart.
double PowerAbove(double value) {
  constexpr uint64_t kFraction = (uint64_t{1} << 52) - 1;
  const auto floor = std::bit_cast<uint64_t>(value) & ~kFraction;
  return floor == 0 ? 0 : std::bit_cast<double>(floor + (uint64_t{1} << 52));
}
long double PowerAbove(long double value) {
  const auto near = static_cast<double>(value);
  const bool above = static_cast<long double>(near) > value;
  return static_cast<long double>(PowerAbove(above ? std::nextafter(near, 0) : near));
}

double GreatestMagnitude(Function function, const Contract& contract) {
  return IsBelowOne(function) && contract.bounded_functions ? 1 : kInfinity;
}

// Real numbers; ends that are infinite stand for what is beyond every format.
template <class Real>
struct Hull {
  Real least;
  Real greatest;
};

template <class Real>
Hull<Real> Ends(Real a, Real b) {
  return {LowerEnd(std::min(a, b)), UpperEnd(std::max(a, b))};
}

// sin or cos over less than half a turn has one extremum at most, and the slopes at the ends tell
// which. libm has their signs right: no finite value but 0 is where a slope is 0.
template <class Real>
Hull<Real> HullOfWave(Function function, double lo, double hi) {
  if (hi - lo > 3) return {-1, 1};
  const auto slope = [function](double at) {
    return function == Function::kSin ? std::cos(at) : -std::sin(at);
  };
  Hull<Real> hull = Ends(FunctionValue(function, Real{lo}), FunctionValue(function, Real{hi}));
  if (slope(lo) > 0 && slope(hi) < 0) hull.greatest = 1;
  if (slope(lo) < 0 && slope(hi) > 0) hull.least = -1;
  return hull;
}

// Less than half a turn has one pole at most, where cos changes its sign.
template <class Real>
Hull<Real> HullOfTan(double lo, double hi) {
  constexpr Real kBeyond = std::numeric_limits<Real>::infinity();
  if (hi - lo > 3 || (std::cos(lo) > 0) != (std::cos(hi) > 0)) return {-kBeyond, kBeyond};
  return Ends(std::tan(Real{lo}), std::tan(Real{hi}));
}

// Of the exact function over [lo, hi], which lies in its domain.
template <class Real>
Hull<Real> HullOf(Function function, double lo, double hi) {
  if (function == Function::kSin || function == Function::kCos) {
    return HullOfWave<Real>(function, lo, hi);
  }
  if (function == Function::kTan) return HullOfTan<Real>(lo, hi);
  // The others are monotone; cosh is, in the magnitude.
  if (function == Function::kCosh) {
    const double a = std::fabs(lo);
    const double b = std::fabs(hi);
    lo = lo <= 0 && hi >= 0 ? 0 : std::min(a, b);
    hi = std::max(a, b);
  }
  const Real at_lo = FunctionValue(function, Real{lo});
  Hull<Real> hull = Ends(at_lo, lo == hi ? at_lo : FunctionValue(function, Real{hi}));
  if (function == Function::kExp) {
    // Never 0, though Real may have underflowed.
    hull.greatest = std::max(hull.greatest, std::numeric_limits<Real>::denorm_min());
  }
  return hull;
}

}  // namespace

template <class Real>
void Sets::AddInside(Float& to, Real lo, Real hi) const {
  if (wide_) {
    // Below the range of f64 nothing but the sign is left.
    to.AddRounded(ir::Dtype::kF64, NextDown(ir::Dtype::kF64, static_cast<double>(lo)),
                  NextUp(ir::Dtype::kF64, static_cast<double>(hi)));
    return;
  }
  const ir::Dtype compute = ComputeDtype(result_);
  const FloatFormat& format = FormatOf(compute);
  // The threshold of f64 is beyond its own range, but not beyond that of Real.
  const Real threshold = compute == ir::Dtype::kF64
                             ? static_cast<Real>(format.max) * (1 + static_cast<Real>(0x1p-54))
                             : static_cast<Real>(format.threshold);
  if (hi >= threshold) to.positive_infinity = true;
  if (lo <= -threshold) to.negative_infinity = true;
  if (lo >= threshold || hi <= -threshold) return;
  // Inward: least value of the format that is not below lo, greatest that is not above hi.
  const auto down = [&](Real end) {
    if (end >= static_cast<Real>(format.max)) return format.max;
    if (end <= static_cast<Real>(-format.max)) return -format.max;
    const double near = Round(compute, static_cast<double>(end));
    return static_cast<Real>(near) <= end ? near : NextDown(compute, near);
  };
  double least = -down(-lo);
  double greatest = down(hi);
  if (Below(greatest, least)) std::swap(least, greatest);  // no value of the format inside
  to.AddRounded(result_, Round(result_, least), Round(result_, greatest));
  // Before the last rounding the value may have been flushed.
  const bool subnormal = least < format.min_normal && greatest > -format.min_normal;
  if (contract_->may_flush && subnormal && (least != 0 || greatest != 0)) to.Add(-0.0, 0.0);
}
template void Sets::AddInside(Float&, double, double) const;
template void Sets::AddInside(Float&, long double, long double) const;

template <class Real>
void Sets::AddWithinUlp(Float& to, Real lo, Real hi, double ulp, double bound) const {
  const ir::Dtype compute = ComputeDtype(result_);
  const auto allowance = [&](Real value) {
    return static_cast<Real>(ulp) * static_cast<Real>(UlpOf(compute, static_cast<double>(value)));
  };
  // The least v - k ulp(v) over v in [near, far], near > 0, is at near, or at the next power of
  // two, where the ulp doubles; farther up it only grows. Away from zero the outer end is the
  // farthest.
  const auto inner = [&](Real near, Real far) {
    const Real least = near - allowance(near);
    const Real power = PowerAbove(near);
    // An end that stands for others a few roundings of Real away may just miss the power.
    const bool reaches = power > 0 && power <= far * (1 + Real{0x1p-40});
    return reaches ? std::min(least, power - allowance(power)) : least;
  };
  const bool positive = lo > 0 && std::isfinite(lo);
  const bool negative = hi < 0 && std::isfinite(hi);
  Real low = positive ? inner(lo, hi) : lo - allowance(lo);
  Real high = negative ? -inner(-hi, -lo) : hi + allowance(hi);
  if (lo >= 0) low = std::max(low, lo == 0 ? lo : Real{0});
  if (hi <= 0) high = std::min(high, hi == 0 ? hi : -Real{0});
  low = std::max(low, static_cast<Real>(-bound));
  high = std::min(high, static_cast<Real>(bound));
  AddInside(to, low, high);
}
template void Sets::AddWithinUlp(Float&, double, double, double, double) const;
template void Sets::AddWithinUlp(Float&, long double, long double, double, double) const;

FloatSet Sets::Call(Function function, const Float& operand) const {
  const Float x = Flushed(operand);
  const Exact exact(*contract_, operand_, result_);
  const FunctionDomain domain = DomainOf(function);
  // Where operands may lie beside a pole.
  const ir::Dtype grid = wide_ || contract_->wider_intermediates ? ir::Dtype::kF64 : operand_;
  Float to;
  to.nan = x.nan;
  const auto add = [&]<class Real>(double lo, double hi) {
    const Hull<Real> hull = HullOf<Real>(function, lo, hi);
    AddWithinUlp(to, hull.least, hull.greatest, contract_->ulp(function),
                 GreatestMagnitude(function, *contract_));
  };
  const auto add_hull = [&](double lo, double hi) {
    if (lo == hi && IsExactAt(function, lo)) {
      // Both zeros, if they are what the interval is.
      to.AddValue(exact.Call(function, lo));
      to.AddValue(exact.Call(function, hi));
    } else if (ComputeDtype(result_) == ir::Dtype::kF64) {
      add.template operator()<long double>(lo, hi);
    } else {
      add.template operator()<double>(lo, hi);
    }
  };
  for (const double infinity : {-kInfinity, kInfinity}) {
    if (x.Contains(infinity)) add_hull(infinity, infinity);
  }
  for (size_t i = 0; i < static_cast<size_t>(x.count); ++i) {
    auto [lo, hi] = x.intervals[i];
    if (lo < domain.lo || hi > domain.hi) to.nan = true;
    if (domain.pole_at_lo && lo <= domain.lo && hi >= domain.lo) {
      to.negative_infinity = true;
      lo = NextUp(grid, domain.lo);
    }
    if (domain.pole_at_hi && lo <= domain.hi && hi >= domain.hi) {
      to.positive_infinity = true;
      hi = NextDown(grid, domain.hi);
    }
    lo = std::max(lo, domain.lo);
    hi = std::min(hi, domain.hi);
    if (lo <= hi) add_hull(lo, hi);
  }
  return Flushed(to);
}

}  // namespace faultline::reference
