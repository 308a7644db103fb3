// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Powers on sets (rule R3 of the oracle): the hull of the exact power within the contract's
// allowance, and beside it what C says of zeros, infinities, NaN and negative bases.

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/algebra.h"
#include "reference/function.h"

namespace faultline::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

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

// x^y on positive bases, y in [from, until]: y ln x is linear in y and in ln x, so the corners are
// the extremes. Also, or only, the negative of it.
template <class Real>
void AddPowers(const Sets& sets, FloatSet& to, const Interval& base, Real from, Real until,
               bool plus, bool minus) {
  const auto pow = [](double x, Real y) { return FunctionValue(Function::kPow, Real{x}, y); };
  Real least = pow(base.lo, from);
  Real greatest = least;
  if (base.lo != base.hi || from != until) {
    for (const Real corner : {pow(base.lo, until), pow(base.hi, from), pow(base.hi, until)}) {
      least = std::min(least, corner);
      greatest = std::max(greatest, corner);
    }
  }
  const double ulp = sets.contract().ulp(Function::kPow);
  const Real lo = LowerEnd(least);
  // Never 0, though Real may have underflowed.
  const Real hi = std::max(UpperEnd(greatest), std::numeric_limits<Real>::denorm_min());
  if (plus) sets.AddWithinUlp(to, lo, hi, ulp, kInfinity);
  if (minus) sets.AddWithinUlp(to, -hi, -lo, ulp, kInfinity);
}

// An interval without its zeros: the magnitudes of its members of one sign. Empty if lo > hi.
Interval MagnitudesOf(const Interval& x, bool negative, double least) {
  return negative ? Interval{std::max(-x.hi, least), -x.lo} : Interval{std::max(x.lo, least), x.hi};
}

// Beyond this f64 has not every integer.
constexpr int64_t kExactIntegers = int64_t{1} << 53;

}  // namespace

FloatSet Sets::Pow(const Float& base, const Float& exponent) const {
  const Float x = Flushed(base);
  const Float y = Flushed(exponent);
  const Exact exact(*contract_, operand_, result_);
  if (x.IsPoint() && y.IsPoint() && PowIsSpecial(x.Value(), y.Value())) {
    return Flushed(FloatSet::Of(exact.Pow(x.Value(), y.Value())));
  }
  Float to;
  const auto magnitude = [&](const Interval& a, const Interval& b, bool plus, bool minus) {
    if (ComputeDtype(result_) == ir::Dtype::kF64) {
      AddPowers<long double>(*this, to, a, b.lo, b.hi, plus, minus);
    } else {
      AddPowers<double>(*this, to, a, b.lo, b.hi, plus, minus);
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

// The pinned cases, one correct rounding each, and the exact power within the allowance.
void Sets::AddPowerOf(Float& to, const Float& x, int64_t n) const {
  if (n == 0) return to.AddValue(1);
  if (n == 1) return to.Unite(CastToFloat(x));
  if (n == -1) return to.Unite(Div(Float::Of(1), x));
  const Exact exact(*contract_, operand_, result_);
  for (const double special : {-kInfinity, -0.0, 0.0, kInfinity}) {
    if (x.Contains(special)) to.AddValue(exact.Powi(special, n));
  }
  to.nan = to.nan || x.nan;
  const double least =
      FormatOf(wide_ || contract_->wider_intermediates ? ir::Dtype::kF64 : operand_).min_subnormal;
  const bool large = n > kExactIntegers || n < -kExactIntegers;
  for (size_t i = 0; i < static_cast<size_t>(x.count); ++i) {
    for (const bool negative : {false, true}) {
      const Interval base = MagnitudesOf(x.intervals[i], negative, least);
      const bool minus = negative && n % 2 != 0;
      if (base.lo > base.hi) continue;
      if (n == 2) {
        AddCorrectlyRounded(to, base.lo * base.lo, base.hi * base.hi);
      } else if (base.lo == 1 && base.hi == 1 && !negative) {
        to.AddValue(1);
      } else if (large || ComputeDtype(result_) == ir::Dtype::kF64) {
        const auto exponent = static_cast<long double>(n);
        AddPowers<long double>(*this, to, base, exponent, exponent, !minus, minus);
      } else {
        const auto exponent = static_cast<double>(n);
        AddPowers<double>(*this, to, base, exponent, exponent, !minus, minus);
      }
    }
  }
}

FloatSet Sets::Powi(const Float& base, const Int& exponent) const {
  const Float x = Flushed(base);
  Float to;
  if (exponent.enumerated()) {
    for (size_t i = 0; i < static_cast<size_t>(exponent.count); ++i) {
      AddPowerOf(to, x, exponent.values[i]);
    }
    return Flushed(to);
  }
  // Many exponents: all real powers between the least and the greatest, and the pinned cases.
  const auto down = NextDown(ir::Dtype::kF64, static_cast<double>(exponent.lo));
  const auto up = NextUp(ir::Dtype::kF64, static_cast<double>(exponent.hi));
  to = Pow(x, Float::Between(down, up));
  to.nan = x.nan;
  for (const int64_t pinned : {-1, 0, 1, 2}) {
    if (exponent.lo <= pinned && pinned <= exponent.hi) AddPowerOf(to, x, pinned);
  }
  return Flushed(to);
}

}  // namespace faultline::reference
