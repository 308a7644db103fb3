// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Rows of exponentials: softmax and its kin, with the maximum subtracted as pinned.

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

// x - m, m the greatest or, if any is, NaN.
struct Shifted {
  double greatest = -kInfinity;
  std::vector<double> x;
  std::vector<double> powers;
};
Shifted Shift(const Context& context, Elements row, double sign) {
  Shifted all;
  for (const Element& element : row) {
    const double x = sign * element.real;
    if (std::isnan(x) || x > all.greatest) all.greatest = x;
    if (std::isnan(all.greatest)) return all;
  }
  if (std::isinf(all.greatest)) return all;
  for (const Element& element : row) {
    all.x.push_back(Step(context, Real(sign * element.real) - all.greatest));
    all.powers.push_back(Step(context, Of<mpfr_exp>(all.x.back())));
  }
  return all;
}

void SoftmaxOf(const Context& context, Elements row, double sign, Results& results) {
  results.assign(row.size(), {.real = kNan});
  const Shifted all = Shift(context, row, sign);
  if (all.x.empty()) return;
  const double sum = SumInSomeOrder(context, all.powers);
  for (size_t i = 0; i < row.size(); ++i) results[i] = Result(context, Real(all.powers[i]) / sum);
}
void Softmax(const Context& c, Elements row, Results& results) { SoftmaxOf(c, row, 1, results); }
void Softmin(const Context& c, Elements row, Results& results) { SoftmaxOf(c, row, -1, results); }

double LogOfSum(const Context& context, const Shifted& all) {
  return Step(context, Of<mpfr_log>(SumInSomeOrder(context, all.powers)));
}

void LogSoftmax(const Context& context, Elements row, Results& results) {
  results.assign(row.size(), {.real = kNan});
  const Shifted all = Shift(context, row, 1);
  if (all.x.empty()) return;
  const double log = LogOfSum(context, all);
  for (size_t i = 0; i < row.size(); ++i) results[i] = Result(context, Real(all.x[i]) - log);
}

void Logsumexp(const Context& context, Elements row, Results& results) {
  const Shifted all = Shift(context, row, 1);
  results = {all.x.empty() ? Exactly(all.greatest)
                           : Result(context, Real(all.greatest) + LogOfSum(context, all))};
}

using Op = ir::Opcode;

constexpr auto kFormulas = std::to_array<Formula>({
    {.op = Op::kLogSoftmax, .row = LogSoftmax},
    {.op = Op::kLogsumexp, .row = Logsumexp},
    {.op = Op::kSoftmax, .row = Softmax},
    {.op = Op::kSoftmin, .row = Softmin},
});

}  // namespace

std::span<const Formula> ExponentialFormulas() { return kFormulas; }

}  // namespace faultline::harness
