// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Functions and pinned formulas on sets (rule R3 of the oracle): the hull of the exact function
// over the set, widened by the contract's allowance. The exact function is libm's f64 for f32, f16
// and bf16, and long double (64 bits) for f64, each widened by its own error: glibc documents at
// most 3 ulp for each function used here in both precisions, we take 8.

#include <bit>
#include <cmath>
#include <limits>

#include "reference/algebra.h"

namespace faultline::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
static_assert(std::numeric_limits<long double>::digits >= 64,
              "f64 functions are bounded with a wider type");

template <class Real>
Real Slack() {
  return 8 * std::numeric_limits<Real>::epsilon();
}
template <class Real>
Real Lower(Real value) {
  return value * (value >= 0 ? 1 - Slack<Real>() : 1 + Slack<Real>());
}
template <class Real>
Real Upper(Real value) {
  return value * (value >= 0 ? 1 + Slack<Real>() : 1 - Slack<Real>());
}

template <class Real>
Real Exactly(Function function, Real x) {
  switch (function) {
    case Function::kExp:
      return std::exp(x);
    case Function::kLog:
      return std::log(x);
    case Function::kTanh:
      return std::tanh(x);
    case Function::kErf:
      return std::erf(x);
    case Function::kPow:
      break;
  }
  return std::numeric_limits<Real>::quiet_NaN();
}

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

// Arguments at which every implementation gives the exact result (C Annex F).
bool IsSpecial(Function function, double x) {
  if (!std::isfinite(x) || x == 0) return true;
  return function == Function::kLog && (x == 1 || x < 0);
}

double GreatestMagnitude(Function function, const Contract& contract) {
  const bool bounded = function == Function::kTanh || function == Function::kErf;
  return bounded && contract.bounded_functions ? 1 : kInfinity;
}

bool IsOddInteger(double y) {
  return y == std::trunc(y) && std::fabs(y) < 0x1p53 && std::fmod(y, 2) != 0;
}

// Whether C says what pow(x, y) is without calculating: a zero, infinite or NaN operand, a base of
// 1, or a negative base to a power that is no integer.
bool PowIsSpecial(double x, double y) {
  if (!std::isfinite(x) || !std::isfinite(y) || x == 0 || y == 0 || x == 1) return true;
  return x < 0 && y != std::trunc(y);
}

// Whether the set has a finite value in [from, until].
bool Meets(const FloatSet& set, double from, double until) {
  for (size_t i = 0; i < static_cast<size_t>(set.count); ++i) {
    const auto [lo, hi] = set.intervals[i];
    if (!Below(hi, from) && !Below(until, lo)) return true;
  }
  return false;
}

constexpr double kLeast = 0x1p-1074;
constexpr double kMost = std::numeric_limits<double>::max();

// Whether the set has a base that pow treats as this representative.
bool MeetsBase(const FloatSet& x, double value) {
  const double magnitude = std::fabs(value);
  if (!std::isfinite(value)) return x.Contains(value);
  if (value == 0 || magnitude == 1) return Meets(x, value, value);
  const double from = magnitude < 1 ? kLeast : 1 + 0x1p-52;
  const double until = magnitude < 1 ? 1 - 0x1p-53 : kMost;
  return value > 0 ? Meets(x, from, until) : Meets(x, -until, -from);
}

bool MeetsExponent(const FloatSet& y, double value) {
  if (!std::isfinite(value)) return y.Contains(value);
  if (value == 0) return y.ContainsZero();
  if (y.count == 1 && y.lo() == y.hi()) {
    const bool same_sign = value > 0 ? y.lo() > 0 : y.lo() < 0;
    return same_sign && IsOddInteger(y.lo()) == IsOddInteger(value);
  }
  return value > 0 ? Meets(y, kLeast, kMost) : Meets(y, -kMost, -kLeast);
}

// pow where C says what it is: one value of each class that C distinguishes, on both sides.
void AddPowClasses(FloatSet& to, const FloatSet& x, const FloatSet& y, const Exact& exact) {
  const bool ordinary_only = x.finite_only() && y.finite_only() && !x.ContainsZero();
  if (ordinary_only && !y.ContainsZero()) return;
  constexpr double kBases[] = {-kInfinity, -2, -1, -0.5, -0.0, 0.0, 0.5, 1, 2, kInfinity};
  constexpr double kExponents[] = {-kInfinity, -3, -2, 0.0, 2, 3, kInfinity};
  for (const double a : kBases) {
    if (!MeetsBase(x, a)) continue;
    for (const double b : kExponents) {
      const bool ordinary = a != 0 && std::isfinite(a) && std::isfinite(b) && b != 0;
      if (!ordinary && MeetsExponent(y, b)) to.AddValue(exact.Pow(a, b));
    }
    if (y.nan) to.AddValue(exact.Pow(a, FreeNan()));
  }
  if (x.nan) {
    if (y.ContainsZero()) to.AddValue(1);
    if (y.ContainsNonZero()) to.nan = true;
  }
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
  const double ulp = contract_->ulp(function);
  const double bound = GreatestMagnitude(function, *contract_);
  Float to;
  to.nan = x.nan;
  for (const double infinity : {-kInfinity, kInfinity}) {
    if (x.Contains(infinity)) to.AddValue(exact.Call(function, infinity));
  }
  const auto add = [&]<class Real>(Real lo, Real hi) {
    const Real at_lo = Exactly(function, lo);
    Real upper = Upper(lo == hi ? at_lo : Exactly(function, hi));
    if (function == Function::kExp)
      upper = std::max(upper, std::numeric_limits<Real>::denorm_min());
    AddWithinUlp(to, Lower(at_lo), upper, ulp, bound);
  };
  for (size_t i = 0; i < static_cast<size_t>(x.count); ++i) {
    auto [lo, hi] = x.intervals[i];
    if (lo == hi && IsSpecial(function, lo)) {
      // Both zeros, if they are what the interval is.
      to.AddValue(exact.Call(function, lo));
      to.AddValue(exact.Call(function, hi));
      continue;
    }
    if (function == Function::kLog && lo <= 0) {
      // The parts outside the domain, and of the inside what lies above zero.
      if (lo < 0) to.nan = true;
      if (hi >= 0) to.negative_infinity = true;
      if (hi <= 0) continue;
      lo = FormatOf(wide_ || contract_->wider_intermediates ? ir::Dtype::kF64 : operand_)
               .min_subnormal;
    }
    if (ComputeDtype(result_) == ir::Dtype::kF64) {
      add(static_cast<long double>(lo), static_cast<long double>(hi));
    } else {
      add(lo, hi);
    }
  }
  return Flushed(to);
}

FloatSet Sets::Pow(const Float& base, const Float& exponent) const {
  const Float x = Flushed(base);
  const Float y = Flushed(exponent);
  const Exact exact(*contract_, operand_, result_);
  if (x.IsPoint() && y.IsPoint() && PowIsSpecial(x.Value(), y.Value())) {
    return Flushed(FloatSet::Of(exact.Pow(x.Value(), y.Value())));
  }
  Float to;
  const double ulp = contract_->ulp(Function::kPow);
  // x^y on positive bases: y ln x is linear in y and in ln x, so the corners are the extremes.
  const auto add = [&]<class Real>(const Interval& a, const Interval& b, bool plus, bool minus) {
    const auto pow = [](double at, double to_the) { return std::pow(Real{at}, Real{to_the}); };
    Real least = pow(a.lo, b.lo);
    Real greatest = least;
    if (a.lo != a.hi || b.lo != b.hi) {
      for (const Real corner : {pow(a.lo, b.hi), pow(a.hi, b.lo), pow(a.hi, b.hi)}) {
        least = std::min(least, corner);
        greatest = std::max(greatest, corner);
      }
    }
    const Real lo = Lower(least);
    // Never 0, though Real may have underflowed.
    const Real hi = std::max(Upper(greatest), std::numeric_limits<Real>::denorm_min());
    if (plus) AddWithinUlp(to, lo, hi, ulp, kInfinity);
    if (minus) AddWithinUlp(to, -hi, -lo, ulp, kInfinity);
  };
  const auto magnitude = [&](const Interval& a, const Interval& b, bool plus, bool minus) {
    if (ComputeDtype(result_) == ir::Dtype::kF64) {
      add.template operator()<long double>(a, b, plus, minus);
    } else {
      add.template operator()<double>(a, b, plus, minus);
    }
  };
  const double least =
      FormatOf(wide_ || contract_->wider_intermediates ? ir::Dtype::kF64 : operand_).min_subnormal;
  for (size_t i = 0; i < static_cast<size_t>(x.count); ++i) {
    for (size_t j = 0; j < static_cast<size_t>(y.count); ++j) {
      const Interval& a = x.intervals[i];
      const Interval& b = y.intervals[j];
      if ((b.lo == 0 && b.hi == 0) || (a.lo == 1 && a.hi == 1)) {
        to.AddValue(1);
        continue;
      }
      if (a.hi > 0) magnitude({std::max(a.lo, least), a.hi}, b, true, false);
      if (a.lo < 0) {
        // A negative base needs an integer exponent; only of a point is its parity known.
        const bool point = b.lo == b.hi;
        const bool integer = b.lo == std::trunc(b.lo);
        if (!point || !integer) to.nan = true;
        if (!point || integer) {
          const Interval mirrored{std::max(-a.hi, least), -a.lo};
          magnitude(mirrored, b, !point || !IsOddInteger(b.lo), !point || IsOddInteger(b.lo));
        }
      }
    }
  }
  AddPowClasses(to, x, y, exact);
  return Flushed(to);
}

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
    Real low = Lower(at_lo);
    Real high = Upper(lo == hi ? at_lo : value(hi));
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
    Real low = Lower(least) - error(lo >= 0 ? lo : farther, least);
    Real high = Upper(greatest) + error(farther, greatest);
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
