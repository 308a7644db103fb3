// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Functions, integer powers and activations, element by element.

#include <array>
#include <cmath>

#include "harness/oracle/certify/formula.h"
#include "harness/oracle/certify/real.h"
#include "harness/oracle/certify/steps.h"

namespace faultline::harness {
namespace {

// f32(1/sqrt 2) and f32(1/sqrt(2 pi)), to which gelu and its slope are pinned in every dtype.
constexpr double kInverseRoot2 = 0x1.6a09e6p-1;
constexpr double kInverseRoot2Pi = 0x1.988454p-2;

Element Powi(const Context& context, Elements x) {
  const int64_t n = x.size() > 1 ? x[1].integer : context.scalars[0].integer;
  const Real base(x[0].real);
  if (n == 0) return Exactly(1);
  if (n == 1) return Exactly(x[0].real);
  if (n == 2) return Result(context, base * base);
  if (n == -1) return Result(context, Real(1) / base);
  return Result(context, Real::Odd([&](mpfr_ptr r, mpfr_rnd_t rounding) {
                  return mpfr_pow_si(r, base.get(), n, rounding);
                }));
}

Element Leaky(const Context& context, double x, double slope) {
  return x < 0 ? Result(context, Real(slope) * x) : Exactly(x);
}
Element LeakyRelu(const Context& context, Elements x) {
  return Leaky(context, x[0].real, context.scalars[0].real);
}
Element Prelu(const Context& context, Elements x) { return Leaky(context, x[0].real, x[1].real); }

Element ReluBackward(const Context&, Elements x) {
  return x[0].real <= 0 ? Exactly(0) : Exactly(x[1].real);
}

double SigmoidOf(const Context& context, double x) {
  const double t = Step(context, Of<mpfr_exp>(-std::fabs(x)));
  return Step(context, Real(x >= 0 ? 1 : t) / Step(context, Real(1) + t));
}
Element SigmoidBackward(const Context& context, Elements x) {
  const double y = x[0].real;
  const double slope = Step(context, Real(y) * Step(context, Real(1) - y));
  return Result(context, Real(slope) * x[1].real);
}
Element LogSigmoidBackward(const Context& context, Elements x) {
  return Result(context, Real(x[1].real) * SigmoidOf(context, -x[0].real));
}

Element LogSigmoid(const Context& context, Elements x) {
  const double value = x[0].real;
  const double t = Step(context, Of<mpfr_exp>(-std::fabs(value)));
  const double log = Step(context, Of<mpfr_log1p>(t));
  return Result(context, Real(value < 0 ? value : std::isnan(value) ? kNan : 0) - log);
}

Element HardSigmoid(const Context& context, Elements x) {
  const double product = Step(context, Real(context.scalars[0].real) * x[0].real);
  const double line = Step(context, Real(product) + context.scalars[1].real);
  return Result(context, std::isnan(line) ? kNan : line < 0 ? 0 : line > 1 ? 1 : line);
}

Element GeluBackward(const Context& context, Elements x) {
  const double at = x[0].real;
  const double erf = Step(context, Of<mpfr_erf>(Step(context, Real(at) * kInverseRoot2)));
  const double below = Step(context, Real(0.5) * Step(context, Real(1) + erf));
  const double exponent = Step(context, Real(-0.5) * Step(context, Real(at) * at));
  const double bell = Step(context, Real(at) * Step(context, Of<mpfr_exp>(exponent)));
  const double slope = Step(context, Real(below) + Step(context, Real(bell) * kInverseRoot2Pi));
  return Result(context, Real(x[1].real) * slope);
}

using Op = ir::Opcode;

constexpr auto kFormulas = std::to_array<Formula>({
    {.op = Op::kAcos, .element = Function<mpfr_acos>},
    {.op = Op::kAcosh, .element = Function<mpfr_acosh>},
    {.op = Op::kAsin, .element = Function<mpfr_asin>},
    {.op = Op::kAsinh, .element = Function<mpfr_asinh>},
    {.op = Op::kAtan, .element = Function<mpfr_atan>},
    {.op = Op::kAtan2, .element = FunctionOfTwo<mpfr_atan2>},
    {.op = Op::kAtanh, .element = Function<mpfr_atanh>},
    {.op = Op::kCos, .element = Function<mpfr_cos>},
    {.op = Op::kCosh, .element = Function<mpfr_cosh>},
    {.op = Op::kGeluBackward, .element = GeluBackward},
    {.op = Op::kHardSigmoid, .element = HardSigmoid},
    {.op = Op::kHypot, .element = FunctionOfTwo<mpfr_hypot>},
    {.op = Op::kLeakyRelu, .element = LeakyRelu},
    {.op = Op::kLog1p, .element = Function<mpfr_log1p>},
    {.op = Op::kLogSigmoid, .element = LogSigmoid},
    {.op = Op::kLogSigmoidBackward, .element = LogSigmoidBackward},
    {.op = Op::kPowi, .element = Powi},
    {.op = Op::kPowiScalar, .element = Powi},
    {.op = Op::kPrelu, .element = Prelu},
    {.op = Op::kReluBackward, .element = ReluBackward},
    {.op = Op::kSigmoidBackward, .element = SigmoidBackward},
    {.op = Op::kSin, .element = Function<mpfr_sin>},
    {.op = Op::kSinh, .element = Function<mpfr_sinh>},
    {.op = Op::kTan, .element = Function<mpfr_tan>},
});

}  // namespace

std::span<const Formula> FunctionFormulas() { return kFormulas; }

}  // namespace faultline::harness
