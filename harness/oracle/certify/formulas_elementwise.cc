// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "harness/oracle/certify/encode.h"
#include "harness/oracle/certify/formula.h"
#include "harness/oracle/certify/real.h"
#include "harness/oracle/certify/steps.h"

namespace faultline::harness {
namespace {

// f32(1/sqrt 2), which gelu is pinned to in every dtype.
constexpr double kInverseRoot2 = 0x1.6a09e6p-1;

// The second operand of a binary op, or the scalar in its place.
double Right(const Context& context, Elements x) {
  return x.size() > 1 ? x[1].real : context.scalars[0].real;
}

Element Add(const Context& c, Elements x) { return Result(c, Real(x[0].real) + Right(c, x)); }
Element Sub(const Context& c, Elements x) { return Result(c, Real(x[0].real) - Right(c, x)); }
Element Mul(const Context& c, Elements x) { return Result(c, Real(x[0].real) * Right(c, x)); }
Element Div(const Context& c, Elements x) { return Result(c, Real(x[0].real) / Right(c, x)); }
Element Recip(const Context& c, Elements x) { return Result(c, Real(1) / x[0].real); }

// x - y*floor(x/y), exactly, then rounded; zero takes the divisor's sign.
Element Rem(const Context& context, Elements x) {
  const Real divisor(Right(context, x));
  const Real dividend(x[0].real);
  const Real rest = Of<mpfr_fmod>(dividend, divisor);
  if (rest.nan()) return Exactly(kNan);
  if (mpfr_zero_p(rest.get()) != 0) return Exactly(std::copysign(0.0, Right(context, x)));
  const bool other_sign = (mpfr_signbit(rest.get()) != 0) != (mpfr_signbit(divisor.get()) != 0);
  return Result(context, other_sign ? rest + divisor : rest);
}

Element Pow(const Context& context, Elements x) {
  return Result(context, Of<mpfr_pow>(x[0].real, Right(context, x)));
}

double Lesser(double a, double b) { return std::isnan(a) || std::isnan(b) ? kNan : a < b ? a : b; }
double Greater(double a, double b) { return std::isnan(a) || std::isnan(b) ? kNan : a > b ? a : b; }

Element Minimum(const Context&, Elements x) { return Exactly(Lesser(x[0].real, x[1].real)); }
Element Maximum(const Context&, Elements x) { return Exactly(Greater(x[0].real, x[1].real)); }
Element Relu(const Context&, Elements x) { return Exactly(Greater(x[0].real, 0)); }
Element Clamp(const Context& context, Elements x) {
  const double raised = Greater(x[0].real, context.scalars[0].real);
  return Exactly(Lesser(raised, context.scalars[1].real));
}
Element ClampMin(const Context& c, Elements x) { return Exactly(Greater(x[0].real, Right(c, x))); }
Element ClampMax(const Context& c, Elements x) { return Exactly(Lesser(x[0].real, Right(c, x))); }
Element Sign(const Context&, Elements x) {
  const double value = x[0].real;
  return Exactly(value > 0 ? 1 : value < 0 ? -1 : value);
}
Element Neg(const Context&, Elements x) { return Exactly(-x[0].real); }
Element Abs(const Context&, Elements x) { return Exactly(std::fabs(x[0].real)); }
Element Floor(const Context&, Elements x) { return Exactly(std::floor(x[0].real)); }
Element Ceil(const Context&, Elements x) { return Exactly(std::ceil(x[0].real)); }
Element Trunc(const Context&, Elements x) { return Exactly(std::trunc(x[0].real)); }
Element Round(const Context&, Elements x) { return Exactly(std::nearbyint(x[0].real)); }

Element Equal(const Context& c, Elements x) { return Truth(x[0].real == Right(c, x)); }
Element NotEqual(const Context& c, Elements x) { return Truth(x[0].real != Right(c, x)); }
Element Lower(const Context& c, Elements x) { return Truth(x[0].real < Right(c, x)); }
Element LowerEqual(const Context& c, Elements x) { return Truth(x[0].real <= Right(c, x)); }
Element Above(const Context& c, Elements x) { return Truth(x[0].real > Right(c, x)); }
Element IsNan(const Context&, Elements x) { return Truth(std::isnan(x[0].real)); }
Element IsInf(const Context&, Elements x) { return Truth(std::isinf(x[0].real)); }
Element GreaterEqual(const Context& c, Elements x) { return Truth(x[0].real >= Right(c, x)); }

// One rounding from the source; to an int: truncated, saturated, NaN gives 0.
Element Cast(const Context& context, Elements x) {
  if (!ir::IsFloat(context.operand)) {
    return {.real = RoundTo(context.result, Real::OfInteger(context.operand, x[0].integer))};
  }
  const double value = x[0].real;
  if (ir::IsFloat(context.result)) return {.real = RoundTo(context.result, value)};
  if (context.result == ir::Dtype::kBool) return Truth(value != 0);
  if (std::isnan(value)) return {.integer = 0};
  const double whole = std::trunc(value);
  const int64_t least = ir::IntMin(context.result);
  const uint64_t greatest = ir::IntMax(context.result);
  if (whole <= static_cast<double>(least)) return {.integer = least};
  // The greatest u64 and i64 are no doubles; the next one up is, and saturates as well.
  if (whole >= static_cast<double>(greatest)) return {.integer = std::bit_cast<int64_t>(greatest)};
  if (whole >= 0x1p63) return {.integer = std::bit_cast<int64_t>(static_cast<uint64_t>(whole))};
  return {.integer = static_cast<int64_t>(whole)};
}

// What decoding gives, which formulas are given.
Element Dequantize(const Context&, Elements x) { return x[0]; }

Element Sigmoid(const Context& context, Elements x) {
  if (x[0].real >= 0) {
    const double t = Step(context, Of<mpfr_exp>(-x[0].real));
    return Result(context, Real(1) / Step(context, Real(1) + t));
  }
  const double t = Step(context, Of<mpfr_exp>(x[0].real));
  return Result(context, Real(t) / Step(context, Real(1) + t));
}

Element Gelu(const Context& context, Elements x) {
  const double inner = Step(context, Real(x[0].real) * kInverseRoot2);
  const double erf = Step(context, Of<mpfr_erf>(inner));
  const double half = Step(context, Real(0.5) * x[0].real);
  return Result(context, Real(half) * Step(context, Real(1) + erf));
}

using Op = ir::Opcode;

constexpr auto kFormulas = std::to_array<Formula>({
    {.op = Op::kAbs, .element = Abs},
    {.op = Op::kAdd, .element = Add},
    {.op = Op::kAddScalar, .element = Add},
    {.op = Op::kCast, .element = Cast},
    {.op = Op::kCeil, .element = Ceil},
    {.op = Op::kClamp, .element = Clamp},
    {.op = Op::kClampMax, .element = ClampMax},
    {.op = Op::kClampMin, .element = ClampMin},
    {.op = Op::kDequantize, .element = Dequantize},
    {.op = Op::kDiv, .element = Div},
    {.op = Op::kDivScalar, .element = Div},
    {.op = Op::kEqual, .element = Equal},
    {.op = Op::kEqualScalar, .element = Equal},
    {.op = Op::kErf, .element = Function<mpfr_erf>},
    {.op = Op::kExp, .element = Function<mpfr_exp>},
    {.op = Op::kFloor, .element = Floor},
    {.op = Op::kGelu, .element = Gelu},
    {.op = Op::kGreater, .element = Above},
    {.op = Op::kGreaterEqual, .element = GreaterEqual},
    {.op = Op::kGreaterEqualScalar, .element = GreaterEqual},
    {.op = Op::kGreaterScalar, .element = Above},
    {.op = Op::kIsInf, .element = IsInf},
    {.op = Op::kIsNan, .element = IsNan},
    {.op = Op::kLog, .element = Function<mpfr_log>},
    {.op = Op::kLower, .element = Lower},
    {.op = Op::kLowerEqual, .element = LowerEqual},
    {.op = Op::kLowerEqualScalar, .element = LowerEqual},
    {.op = Op::kLowerScalar, .element = Lower},
    {.op = Op::kMaximum, .element = Maximum},
    {.op = Op::kMinimum, .element = Minimum},
    {.op = Op::kMul, .element = Mul},
    {.op = Op::kMulScalar, .element = Mul},
    {.op = Op::kNeg, .element = Neg},
    {.op = Op::kNotEqual, .element = NotEqual},
    {.op = Op::kNotEqualScalar, .element = NotEqual},
    {.op = Op::kPowf, .element = Pow},
    {.op = Op::kPowfScalar, .element = Pow},
    {.op = Op::kQuantize, .whole = EncodeTensor},
    {.op = Op::kQuantizeWith, .whole = EncodeTensor},
    {.op = Op::kRecip, .element = Recip},
    {.op = Op::kRelu, .element = Relu},
    {.op = Op::kRem, .element = Rem},
    {.op = Op::kRemScalar, .element = Rem},
    {.op = Op::kRound, .element = Round},
    {.op = Op::kSigmoid, .element = Sigmoid},
    {.op = Op::kSign, .element = Sign},
    {.op = Op::kSqrt, .element = Function<mpfr_sqrt>},
    {.op = Op::kSub, .element = Sub},
    {.op = Op::kSubScalar, .element = Sub},
    {.op = Op::kTanh, .element = Function<mpfr_tanh>},
    {.op = Op::kTrunc, .element = Trunc},
});

}  // namespace

std::span<const Formula> ElementwiseFormulas() { return kFormulas; }

}  // namespace faultline::harness
