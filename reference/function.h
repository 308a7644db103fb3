// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Facts of the functions of a contract: their values by libm, where C says what they are exactly,
// where they are defined. No sets and no contract.

#ifndef REFERENCE_FUNCTION_H_
#define REFERENCE_FUNCTION_H_

#include <limits>

#include "reference/contract.h"

namespace faultline::reference {

// f(x) in f64 or long double. glibc documents at most 3 ulp for each function in both; measured
// against quadmath: at most 3 (long double), 2.1 (f64). kPow, kAtan2 and kHypot take two operands.
double FunctionValue(Function function, double x);
long double FunctionValue(Function function, long double x);
double FunctionValue(Function function, double x, double y);
long double FunctionValue(Function function, long double x, long double y);

// Ends that hold a value of which Real knows all but its last digits, widened by twice what libm is
// off by and more.
template <class Real>
constexpr Real LibrarySlack() {
  return 8 * std::numeric_limits<Real>::epsilon();
}
template <class Real>
Real LowerEnd(Real value) {
  return value * (value >= 0 ? 1 - LibrarySlack<Real>() : 1 + LibrarySlack<Real>());
}
template <class Real>
Real UpperEnd(Real value) {
  return value * (value >= 0 ? 1 + LibrarySlack<Real>() : 1 - LibrarySlack<Real>());
}

// Whether every implementation gives this very result (C Annex F): of NaN, of a zero or an infinity
// where the limit is a zero, a one, an infinity or no number, at other zeros, at poles and outside
// the domain. Not where the limit is a part of pi, which is rounded like any other value.
bool IsExactAt(Function function, double x);

// |f| is below 1 except at infinity.
constexpr bool IsBelowOne(Function function) {
  return function == Function::kTanh || function == Function::kErf || function == Function::kSin ||
         function == Function::kCos;
}

// Where a function of one operand has numbers as values. At a pole it is infinite: minus infinity
// at a lower end, plus infinity at an upper one.
struct FunctionDomain {
  double lo = -std::numeric_limits<double>::infinity();
  double hi = std::numeric_limits<double>::infinity();
  bool pole_at_lo = false;
  bool pole_at_hi = false;
};
FunctionDomain DomainOf(Function function);

}  // namespace faultline::reference

#endif  // REFERENCE_FUNCTION_H_
