// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Primitives where Nature chooses among the results that the contract permits. Not the place of
// contraction and wider intermediates: those are of two ops, not of one.

#include <cmath>
#include <limits>

#include "reference/algebra.h"
#include "reference/function.h"
#include "reference/nature.h"

namespace faultline::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

double Exact::Flushed(double x) const {
  // A comparison has floats only as operands.
  const ir::Dtype dtype = ir::IsFloat(result_) ? result_ : operand_;
  return contract_->may_flush ? nature_->Flushed(ComputeDtype(dtype), x) : x;
}

double Exact::AddFreely(double x, double y) const {
  return Flushed(Round(result_, Flushed(x) + Flushed(y)));
}

double Exact::MulFreely(double x, double y) const {
  return Flushed(Round(result_, Flushed(x) * Flushed(y)));
}

double Exact::DivFreely(double x, double y) const {
  const double a = Flushed(x);
  const double b = Flushed(y);
  if (contract_->division_ulp == 0) return Flushed(Round(result_, a / b));
  const double ulp = b == 0 || !std::isfinite(b) ? 0 : contract_->division_ulp;
  const double quotient =
      nature_->Within(ComputeDtype(result_),
                      static_cast<long double>(a) / static_cast<long double>(b), ulp, kInfinity);
  return Flushed(Round(result_, quotient));
}

double Exact::SqrtFreely(double x) const {
  const double a = Flushed(x);
  if (contract_->sqrt_ulp == 0) return Flushed(Round(result_, std::sqrt(a)));
  const double root = nature_->Within(ComputeDtype(result_), std::sqrt(static_cast<long double>(a)),
                                      contract_->sqrt_ulp, kInfinity);
  return Flushed(Round(result_, root));
}

double Exact::CallFreely(Function function, double x) const {
  const double a = Flushed(x);
  long double exact = FunctionValue(function, static_cast<long double>(a));
  const bool special = IsExactAt(function, a);
  // Never 1, though long double may have rounded to it: the ulp is the one below 1.
  const bool below_one = IsBelowOne(function);
  if (below_one && !special && std::fabs(exact) == 1) exact = std::nextafter(exact, 0.0L);
  const bool bounded = contract_->bounded_functions && below_one;
  const double value =
      nature_->Within(ComputeDtype(result_), exact, special ? 0 : contract_->ulp(function),
                      bounded ? 1 : kInfinity);
  return Flushed(Round(result_, value));
}

double Exact::CallTwoFreely(Function function, double x, long double y) const {
  const double a = Flushed(x);
  const auto near = static_cast<double>(y);
  const long double b = static_cast<long double>(near) == y ? Flushed(near) : y;
  // Where C says what it is; a power of 1 is 1, a hypot of one side that side.
  const bool plain = std::isfinite(a) && std::isfinite(b) && a != 0 && b != 0;
  const bool special = function == Function::kPow     ? !plain || a == 1
                       : function == Function::kHypot ? !plain
                                                      : false;
  const long double exact = FunctionValue(function, static_cast<long double>(a), b);
  const double value = nature_->Within(ComputeDtype(result_), exact,
                                       special ? 0 : contract_->ulp(function), kInfinity);
  return Flushed(Round(result_, value));
}

// min and max: the sign of zero is free, and so is NaN under a rule that lets either operand win.
double Exact::ExtremumFreely(double x, double y, double naive) const {
  if (std::isnan(naive) && contract_->nan_rule == NanRule::kEither && nature_->Chance(2)) {
    return nature_->Chance(2) ? x : y;
  }
  return nature_->AnyZero(naive);
}

}  // namespace faultline::reference
