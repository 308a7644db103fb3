// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Variances and norms of rows, and what is normalised by them.

#include <array>
#include <cmath>
#include <vector>

#include "harness/oracle/certify/formula.h"
#include "harness/oracle/certify/orders.h"
#include "harness/oracle/certify/real.h"
#include "harness/oracle/certify/steps.h"

namespace faultline::harness {
namespace {

using Results = std::vector<Element>;
using Reals = std::vector<double>;

Reals RealsOf(Elements row) {
  Reals reals;
  for (const Element& element : row) reals.push_back(element.real);
  return reals;
}
double Quotient(const Context& context, double sum, double count) {
  return Step(context, Real(sum) / count);
}
double MeanOf(const Context& context, const Reals& x) {
  return Quotient(context, SumInSomeOrder(context, x), static_cast<double>(x.size()));
}
double SquaresOf(const Context& context, const Reals& x) { return DotInSomeOrder(context, x, x); }

// x - mean.
Reals Centred(const Context& context, const Reals& x) {
  const double mean = MeanOf(context, x);
  Reals centred;
  for (const double value : x) centred.push_back(Step(context, Real(value) - mean));
  return centred;
}
double VarianceOf(const Context& context, const Reals& centred, int64_t ddof) {
  const int64_t divisor = std::ssize(centred) - ddof;
  if (divisor <= 0) return kNan;
  return Quotient(context, SquaresOf(context, centred), static_cast<double>(divisor));
}
double Root(const Context& context, double x) { return Step(context, Of<mpfr_sqrt>(x)); }

double Variance(const Context& context, Elements row) {
  return VarianceOf(context, Centred(context, RealsOf(row)),
                    context.attributes.Int(ir::AttributeKey::kDdof));
}
void Var(const Context& context, Elements row, Results& results) {
  results = {Result(context, Variance(context, row))};
}
void Std(const Context& context, Elements row, Results& results) {
  results = {Result(context, Root(context, Variance(context, row)))};
}

void Norm(const Context& context, Elements row, Results& results) {
  Reals magnitudes = RealsOf(row);
  double greatest = 0;
  for (double& x : magnitudes) {
    x = std::fabs(x);
    if (std::isnan(x) || x > greatest) greatest = x;
    if (std::isnan(greatest)) break;
  }
  switch (static_cast<ir::NormOrder>(context.attributes.Int(ir::AttributeKey::kOrder))) {
    case ir::NormOrder::kOne:
      results = {Result(context, SumInSomeOrder(context, magnitudes))};
      return;
    case ir::NormOrder::kTwo:
      results = {Result(context, Root(context, SquaresOf(context, magnitudes)))};
      return;
    case ir::NormOrder::kInfinity:
      results = {Exactly(greatest)};
      return;
  }
}

// x/sqrt(variance + eps)*gamma {+ beta}.
Element Scaled(const Context& context, double centred, double variance, Elements parameters) {
  const double root = Root(context, Step(context, Real(variance) + context.scalars[0].real));
  const double unit = Step(context, Real(centred) / root);
  const Real product = Real(unit) * parameters[0].real;
  if (parameters.size() < 2) return Result(context, product);
  return Result(context, Real(Step(context, product)) + parameters[1].real);
}

void Normalize(const Context& context, const Reals& centred, double variance, Results& results) {
  results.clear();
  std::vector<Element> parameters(context.others.size());
  for (size_t i = 0; i < centred.size(); ++i) {
    for (size_t k = 0; k < parameters.size(); ++k) parameters[k] = context.others[k][i];
    results.push_back(Scaled(context, centred[i], variance, parameters));
  }
}
// Layer norm, and group norm, whose row is a group.
void LayerNorm(const Context& context, Elements row, Results& results) {
  const Reals centred = Centred(context, RealsOf(row));
  Normalize(context, centred, VarianceOf(context, centred, 0), results);
}
void RmsNorm(const Context& context, Elements row, Results& results) {
  const Reals x = RealsOf(row);
  const double count = static_cast<double>(x.size());
  Normalize(context, x, Quotient(context, SquaresOf(context, x), count), results);
}
// Of x, gamma, beta, mean and variance.
Element BatchNorm(const Context& context, Elements x) {
  const double centred = Step(context, Real(x[0].real) - x[3].real);
  return Scaled(context, centred, x[4].real, x.subspan(1, 2));
}

using Op = ir::Opcode;

constexpr auto kFormulas = std::to_array<Formula>({
    {.op = Op::kBatchNorm, .element = BatchNorm},
    {.op = Op::kGroupNorm, .row = LayerNorm},
    {.op = Op::kLayerNorm, .row = LayerNorm},
    {.op = Op::kNorm, .row = Norm},
    {.op = Op::kRmsNorm, .row = RmsNorm},
    {.op = Op::kStd, .row = Std},
    {.op = Op::kVar, .row = Var},
});

}  // namespace

std::span<const Formula> MomentFormulas() { return kFormulas; }

}  // namespace faultline::harness
