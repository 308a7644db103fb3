// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "reference/function.h"

#include <cmath>

namespace faultline::reference {
namespace {

template <class Real>
Real OfOne(Function function, Real x) {
  switch (function) {
    case Function::kExp:
      return std::exp(x);
    case Function::kLog:
      return std::log(x);
    case Function::kTanh:
      return std::tanh(x);
    case Function::kErf:
      return std::erf(x);
    case Function::kLog1p:
      return std::log1p(x);
    case Function::kSin:
      return std::sin(x);
    case Function::kCos:
      return std::cos(x);
    case Function::kTan:
      return std::tan(x);
    case Function::kSinh:
      return std::sinh(x);
    case Function::kCosh:
      return std::cosh(x);
    case Function::kAsin:
      return std::asin(x);
    case Function::kAcos:
      return std::acos(x);
    case Function::kAtan:
      return std::atan(x);
    case Function::kAsinh:
      return std::asinh(x);
    case Function::kAcosh:
      return std::acosh(x);
    case Function::kAtanh:
      return std::atanh(x);
    case Function::kPow:
    case Function::kAtan2:
    case Function::kHypot:
      break;
  }
  return std::numeric_limits<Real>::quiet_NaN();
}

// Libraries give NaN for a signalling one even where C gives 1 or an infinity beside any NaN.
template <class Real>
Real Quiet(Real x) {
  return std::isnan(x) ? std::numeric_limits<Real>::quiet_NaN() : x;
}

template <class Real>
Real OfTwo(Function function, Real signalling_x, Real signalling_y) {
  const Real x = Quiet(signalling_x);
  const Real y = Quiet(signalling_y);
  if (function == Function::kPow) return std::pow(x, y);
  if (function == Function::kAtan2) return std::atan2(x, y);
  if (function == Function::kHypot) return std::hypot(x, y);
  return std::numeric_limits<Real>::quiet_NaN();
}

}  // namespace

double FunctionValue(Function function, double x) { return OfOne(function, x); }
long double FunctionValue(Function function, long double x) { return OfOne(function, x); }
double FunctionValue(Function function, double x, double y) { return OfTwo(function, x, y); }
long double FunctionValue(Function function, long double x, long double y) {
  return OfTwo(function, x, y);
}

bool IsExactAt(Function function, double x) {
  if (std::isnan(x)) return true;
  const FunctionDomain domain = DomainOf(function);
  if (x < domain.lo || x > domain.hi) return true;
  if ((domain.pole_at_lo && x == domain.lo) || (domain.pole_at_hi && x == domain.hi)) return true;
  if (std::isinf(x)) return function != Function::kAtan;
  if (x == 0) return function != Function::kAcos;
  const bool zero_at_one =
      function == Function::kLog || function == Function::kAcos || function == Function::kAcosh;
  return zero_at_one && x == 1;
}

FunctionDomain DomainOf(Function function) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  switch (function) {
    case Function::kLog:
      return {.lo = 0, .hi = kInfinity, .pole_at_lo = true};
    case Function::kLog1p:
      return {.lo = -1, .hi = kInfinity, .pole_at_lo = true};
    case Function::kAsin:
    case Function::kAcos:
      return {.lo = -1, .hi = 1};
    case Function::kAcosh:
      return {.lo = 1, .hi = kInfinity};
    case Function::kAtanh:
      return {.lo = -1, .hi = 1, .pole_at_lo = true, .pole_at_hi = true};
    default:
      return {};
  }
}

}  // namespace faultline::reference
