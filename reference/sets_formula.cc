// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Pinned formulas on sets (rule R3 of the oracle): the hull of the exact formula at the ends of an
// interval, widened by the formula's own error at the contract's accuracy of its steps.

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/algebra.h"
#include "reference/function.h"

namespace faultline::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

// 1/(1 + t) or t/(1 + t), t = exp(-|x|). Relative error: 2k u of t enters with weight at most 1,
// one rounding of the sum, the division; absolute: t and the quotient may be subnormal. The factor
// covers second-order terms (Higham, ch. 3).
FloatSet Sets::Sigmoid(const Float& operand) const {
  const Float x = Flushed(operand);
  const ir::Dtype compute = ComputeDtype(result_);
  const double exp_ulp = contract_->ulp(Function::kExp);
  const double division = contract_->division_ulp == 0 ? 0.5 : contract_->division_ulp;
  const double unit = FormatOf(compute).unit;
  const double relative = (2 * exp_ulp + 1 + 2 * division) * unit * (1 + 0x1p-20);
  const double absolute = (exp_ulp + division + 0.5) * FormatOf(compute).min_subnormal;
  Float to;
  to.nan = x.nan;
  // 1/(1 + 0) and 0/(1 + 0).
  if (x.positive_infinity) AddWithinUlp(to, 1.0, 1.0, contract_->division_ulp, kInfinity);
  if (x.negative_infinity) to.AddValue(0.0);
  const auto add = [&]<class Real>(Real lo, Real hi) {
    const auto value = [](Real at) {
      const Real t = std::exp(-std::fabs(at));
      return at >= 0 ? 1 / (1 + t) : t / (1 + t);
    };
    const Real at_lo = value(lo);
    Real low = LowerEnd(at_lo);
    Real high = UpperEnd(lo == hi ? at_lo : value(hi));
    low -= low * static_cast<Real>(relative) + static_cast<Real>(absolute);
    high += high * static_cast<Real>(relative) + static_cast<Real>(absolute);
    low = std::max(low, Real{0});
    // The divisor is never below 1 and the numerator never above it.
    if (contract_->division_ulp == 0) high = std::min(high, Real{1});
    AddInside(to, low, high);
  };
  for (size_t i = 0; i < static_cast<size_t>(x.count); ++i) {
    const auto [lo, hi] = x.intervals[i];
    if (lo == 0 && hi == 0 && contract_->division_ulp == 0) {
      to.AddValue(0.5);
    } else if (compute == ir::Dtype::kF64) {
      add(static_cast<long double>(lo), static_cast<long double>(hi));
    } else {
      add(lo, hi);
    }
  }
  return Flushed(to);
}

// min(x, 0) - log1p(t), t = exp(-|x|). log1p moves by no more, relatively, than t does, so its
// error is 2 (k_exp + k_log1p) u, and where it or t is subnormal a few units of the last place;
// then one correct rounding of the difference. The ends grow with x, because log1p(t) changes half
// as fast.
FloatSet Sets::LogSigmoid(const Float& operand) const {
  const Float x = Flushed(operand);
  const ir::Dtype compute = ComputeDtype(result_);
  const Sets inner = On(compute, compute);
  const double ulps = contract_->ulp(Function::kExp) + contract_->ulp(Function::kLog1p);
  const double relative = 2 * ulps * FormatOf(compute).unit * (1 + 0x1p-20);
  const double absolute = ulps * FormatOf(compute).min_subnormal;
  Float to;
  to.nan = x.nan;
  to.negative_infinity = x.negative_infinity;
  // The sign of min's zero is free, and log1p(0) is +0.
  if (x.positive_infinity) to.Add(-0.0, 0.0);
  const auto add = [&]<class Real>(Real lo, Real hi) {
    const auto log = [](Real at) { return std::log1p(std::exp(-std::fabs(at))); };
    const Real at_lo = UpperEnd(log(lo));
    const Real at_hi = LowerEnd(log(hi));
    const auto error = [&](Real value) {
      return value * static_cast<Real>(relative) + static_cast<Real>(absolute);
    };
    const Real low = std::min(lo, Real{0}) - (at_lo + error(at_lo));
    const Real high = std::min(hi, Real{0}) - std::max(at_hi - error(at_hi), Real{0});
    // These differences are rounded too, which may be more than that error, and to the very middle
    // between two values of the dtype.
    inner.AddCorrectlyRounded(to, static_cast<double>(LowerEnd(low)),
                              static_cast<double>(UpperEnd(high)));
  };
  for (size_t i = 0; i < static_cast<size_t>(x.count); ++i) {
    const auto [lo, hi] = x.intervals[i];
    if (compute == ir::Dtype::kF64) {
      add(static_cast<long double>(lo), static_cast<long double>(hi));
    } else {
      add(lo, hi);
    }
  }
  return Flushed(On(compute, result_).CastToFloat(inner.Flushed(to)));
}

namespace {

// Where 0.5*x*(1 + erf(x*c)) has its only minimum, enclosed.
constexpr double kGeluLeastFrom = -0.76;
constexpr double kGeluLeastTo = -0.74;
constexpr double kGeluLeast = -0.16997120747990369;  // its value, rounded down

template <class Real>
Real GeluExactly(Real x) {
  // 1 + erf(z) = erfc(-z), which keeps its digits where erf is near -1.
  return x / 2 * std::erfc(-x * static_cast<Real>(kGeluScale));
}

}  // namespace

// With z = x*c: the rounding of z moves erf by at most 0.49 u (the maximum of z erf'(z)), erf adds
// k ulp <= k u, the sum one rounding <= u; halved and multiplied by x: (k + 1.5) u |x|/2. The
// product adds u|v|; eta where it or 0.5*x is subnormal. Constants are rounded up.
FloatSet Sets::Gelu(const Float& operand) const {
  const Float x = Flushed(operand);
  const ir::Dtype compute = ComputeDtype(result_);
  const double unit = FormatOf(compute).unit;
  const double per_x = (contract_->ulp(Function::kErf) + 3) * unit / 2;
  const double absolute = FormatOf(compute).min_subnormal;
  const bool bounded = contract_->bounded_functions;
  Float to;
  to.nan = x.nan || x.negative_infinity;
  to.positive_infinity = x.positive_infinity;
  const auto add = [&]<class Real>(Real lo, Real hi) {
    const auto error = [&](Real at, Real value) {
      return std::fabs(at) * static_cast<Real>(per_x) +
             2 * std::fabs(value) * static_cast<Real>(unit) + static_cast<Real>(absolute);
    };
    const Real at_lo = GeluExactly(lo);
    const Real at_hi = lo == hi ? at_lo : GeluExactly(hi);
    Real least = std::min(at_lo, at_hi);
    if (lo <= kGeluLeastTo && hi >= kGeluLeastFrom) least = std::min(least, Real{kGeluLeast});
    const Real greatest = std::max(at_lo, at_hi);
    // The error grows with |x|, so the hull takes that of its farther end, except upwards on the
    // positive side, where value and error grow together.
    const Real farther = std::max(std::fabs(lo), std::fabs(hi));
    Real low = LowerEnd(least) - error(lo >= 0 ? lo : farther, least);
    Real high = UpperEnd(greatest) + error(farther, greatest);
    if (bounded) {
      // 0 <= 1 + erf <= 2 holds for what is computed too.
      low = std::max(low, lo > 0 ? Real{0} : lo);
      high = std::min(high, hi < 0 ? -Real{0} : hi);
    }
    AddInside(to, low, high);
  };
  for (size_t i = 0; i < static_cast<size_t>(x.count); ++i) {
    const auto [lo, hi] = x.intervals[i];
    if (lo == 0 && hi == 0) {
      to.Add(lo, hi);
    } else if (compute == ir::Dtype::kF64) {
      add(static_cast<long double>(lo), static_cast<long double>(hi));
    } else {
      add(lo, hi);
    }
  }
  return Flushed(to);
}

}  // namespace faultline::reference
