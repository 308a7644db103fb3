// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Activations and their derivatives: composites with a pinned formula, each step in the dtype that
// the op computes in, one rounding to a narrower dtype at the end. In the order of the op table.

#include <cmath>
#include <limits>
#include <numbers>

#include "reference/intermediate.h"
#include "reference/kernel.h"

namespace faultline::reference {
namespace {

// f32(1/sqrt(2 pi)), by which gelu_backward scales exp(-0.5*(x*x)).
constexpr double kNormalScale = static_cast<float>(std::numbers::inv_sqrtpi / std::numbers::sqrt2);

template <class A>
auto Number(const A& algebra, double value) {
  return algebra.FloatOf(ToCell(value));
}

// The last step of a formula, in the dtype computed in, then rounded to the result; for a consumer
// that may see more than is stored, left as it is.
template <class A, class F>
typename A::Float Last(const A& algebra, const F& step) {
  const ir::Dtype compute = ComputeDtype(algebra.result());
  typename A::Float value = Intermediate(algebra, compute, step);
  if constexpr (A::kSets) {
    if (algebra.wide()) value.Unite(step(algebra.On(compute, compute)));
  }
  return algebra.On(compute, algebra.result()).CastToFloat(value);
}

// x < 0 ? a*x : x. No movement: any NaN.
double Leaky(const Exact& algebra, double x, double a) {
  if (std::isnan(x)) return FreeNan();
  return algebra.Select(algebra.Less(x, 0), algebra.Mul(a, x), x);
}
// Each side by itself. A subnormal that is flushed may be on the other one.
FloatSet Leaky(const Sets& algebra, const FloatSet& x, const FloatSet& a) {
  if (algebra.contract().may_flush) {
    return algebra.Select(algebra.Less(x, Number(algebra, 0)), algebra.Mul(a, x), x);
  }
  FloatSet negative;
  FloatSet others;
  negative.negative_infinity = x.negative_infinity;
  others.positive_infinity = x.positive_infinity;
  others.nan = x.nan;
  for (int k = 0; k < x.count; ++k) {
    const auto [lo, hi] = x.intervals[static_cast<size_t>(k)];
    if (lo < 0) negative.Add(lo, hi < 0 ? hi : -std::numeric_limits<double>::denorm_min());
    if (hi >= 0) others.Add(lo < 0 ? -0.0 : lo, hi);
  }
  if (negative.empty()) return others;
  FloatSet both = algebra.Mul(a, negative);
  both.Unite(others);
  return both;
}

}  // namespace

FAULTLINE_KERNEL(Relu) {
  const auto& a = call.algebra;
  MapFloat<1>(call, [&](const auto& x) { return a.Max(x, a.FloatOf(ToCell(0.0))); });
}

FAULTLINE_KERNEL(ReluBackward) {
  const auto& a = call.algebra;
  const auto zero = Number(a, 0);
  MapFloat<2>(call, [&](const auto& x, const auto& gradient) {
    return a.Select(a.GreaterEqual(zero, x), zero, gradient);
  });
}

FAULTLINE_KERNEL(LeakyRelu) {
  const auto slope = call.algebra.FloatOf(call.scalar(0));
  MapFloat<1>(call, [&](const auto& x) { return Leaky(call.algebra, x, slope); });
}

FAULTLINE_KERNEL(Prelu) {
  MapFloat<2>(call,
              [&](const auto& x, const auto& slope) { return Leaky(call.algebra, x, slope); });
}

FAULTLINE_KERNEL(Gelu) {
  MapFloat<1>(call, [&](const auto& x) { return call.algebra.Gelu(x); });
}

// g*(0.5*(1 + erf(x*c)) + (x*t)*d), t = exp(-0.5*(x*x)).
FAULTLINE_KERNEL(GeluBackward) {
  const auto& a = call.algebra;
  const ir::Dtype compute = ComputeDtype(a.result());
  const auto step = [&](const auto& f) { return Intermediate(a, compute, f); };
  MapFloat<2>(call, [&](const auto& x, const auto& gradient) {
    const auto z = step([&](const auto& in) { return in.Mul(x, Number(in, kGeluScale)); });
    const auto erf = step([&](const auto& in) { return in.Call(Function::kErf, z); });
    const auto sum = step([&](const auto& in) { return in.Add(Number(in, 1), erf); });
    const auto square = step([&](const auto& in) { return in.Mul(x, x); });
    const auto exponent = step([&](const auto& in) { return in.Mul(Number(in, -0.5), square); });
    const auto t = step([&](const auto& in) { return in.Call(Function::kExp, exponent); });
    const auto xt = step([&](const auto& in) { return in.Mul(x, t); });
    const auto half = ProductIntoSum(a, compute, Number(a, 0.5), sum);
    const auto density = ProductIntoSum(a, compute, xt, Number(a, kNormalScale));
    const auto slope = step([&](const auto& in) { return in.Add(half, density); });
    return Last(a, [&](const auto& in) { return in.Mul(gradient, slope); });
  });
}

FAULTLINE_KERNEL(Sigmoid) {
  MapFloat<1>(call, [&](const auto& x) { return call.algebra.Sigmoid(x); });
}

FAULTLINE_KERNEL(SigmoidBackward) {
  const auto& a = call.algebra;
  const ir::Dtype compute = ComputeDtype(a.result());
  MapFloat<2>(call, [&](const auto& y, const auto& gradient) {
    const auto rest =
        Intermediate(a, compute, [&](const auto& in) { return in.Sub(Number(in, 1), y); });
    const auto slope = Intermediate(a, compute, [&](const auto& in) { return in.Mul(y, rest); });
    return Last(a, [&](const auto& in) { return in.Mul(slope, gradient); });
  });
}

FAULTLINE_KERNEL(HardSigmoid) {
  const auto& a = call.algebra;
  const ir::Dtype compute = ComputeDtype(a.result());
  const auto alpha = a.FloatOf(call.scalar(0));
  const auto beta = a.FloatOf(call.scalar(1));
  MapFloat<1>(call, [&](const auto& x) {
    const auto product = ProductIntoSum(a, compute, alpha, x);
    const auto sum =
        Intermediate(a, compute, [&](const auto& in) { return in.Add(product, beta); });
    return Last(a,
                [&](const auto& in) { return in.Min(in.Max(sum, Number(in, 0)), Number(in, 1)); });
  });
}

FAULTLINE_KERNEL(LogSigmoid) {
  MapFloat<1>(call, [&](const auto& x) { return call.algebra.LogSigmoid(x); });
}

FAULTLINE_KERNEL(LogSigmoidBackward) {
  const auto& a = call.algebra;
  const ir::Dtype compute = ComputeDtype(a.result());
  MapFloat<2>(call, [&](const auto& x, const auto& gradient) {
    const auto slope =
        Intermediate(a, compute, [&](const auto& in) { return in.Sigmoid(in.Neg(x)); });
    return Last(a, [&](const auto& in) { return in.Mul(gradient, slope); });
  });
}

}  // namespace faultline::reference
