// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// What formulas are written in: steps rounded to the dtype computed in, functions of MPFR, results.

#ifndef HARNESS_ORACLE_CERTIFY_STEPS_H_
#define HARNESS_ORACLE_CERTIFY_STEPS_H_

#include <limits>
#include <span>

#include "harness/oracle/certify/formula.h"
#include "harness/oracle/certify/real.h"

namespace faultline::harness {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Context = FormulaContext;
using Elements = std::span<const Element>;
using MpfrFunction = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
using MpfrFunctionOfTwo = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

// A step inside an op.
inline double Step(const Context& context, const Real& exact) {
  return RoundTo(context.compute, exact);
}
// Rounded as every result is: to the dtype computed in, and once more where that is wider.
inline Element Result(const Context& context, const Real& exact) {
  return {.real = RoundTo(context.result, Step(context, exact))};
}
inline Element Exactly(double value) { return {.real = value}; }
inline Element Truth(bool value) { return {.integer = value ? 1 : 0}; }

template <MpfrFunction function>
Real Of(const Real& x) {
  return Real::Odd([&](mpfr_ptr r, mpfr_rnd_t rounding) { return function(r, x.get(), rounding); });
}
template <MpfrFunctionOfTwo function>
Real Of(const Real& a, const Real& b) {
  return Real::Odd(
      [&](mpfr_ptr r, mpfr_rnd_t rounding) { return function(r, a.get(), b.get(), rounding); });
}

template <MpfrFunction function>
Element Function(const Context& context, Elements x) {
  return Result(context, Of<function>(x[0].real));
}
template <MpfrFunctionOfTwo function>
Element FunctionOfTwo(const Context& context, Elements x) {
  return Result(context, Of<function>(x[0].real, x[1].real));
}

}  // namespace faultline::harness

#endif  // HARNESS_ORACLE_CERTIFY_STEPS_H_
