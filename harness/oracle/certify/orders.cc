// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/oracle/certify/orders.h"

#include <algorithm>
#include <utility>

#include "harness/oracle/certify/draw.h"
#include "harness/oracle/certify/real.h"

namespace faultline::harness {
namespace {

uint64_t Below(const FormulaContext& context, uint64_t n) {
  *context.random += 0x9e3779b97f4a7c15;
  return Mix(*context.random) % n;
}

// Whether a long one is taken exactly this time. Zeros add nothing to its length.
bool TakesExactly(const FormulaContext& context, size_t zeros, size_t terms) {
  return terms > zeros + kShortMax && Below(context, 2) == 0;
}
size_t ZerosOf(std::span<const double> terms) {
  return static_cast<size_t>(std::ranges::count(terms, 0.0));
}

double Step(const FormulaContext& context, const Real& exact) {
  return RoundTo(context.compute, exact);
}

// A tree, drawn from its leaves up: two of what is there become one.
template <typename T, typename Combine>
T Fold(const FormulaContext& context, std::vector<T> terms, const Combine& combine) {
  while (terms.size() > 1) {
    std::swap(terms[Below(context, terms.size())], terms.back());
    const T last = terms.back();
    terms.pop_back();
    T& other = terms[Below(context, terms.size())];
    other = combine(other, last);
  }
  return terms[0];
}

// A value, or a product of two that is not rounded yet.
struct Term {
  double value = 0;
  double factor = 1;
  bool product = false;
};

double ValueOf(const FormulaContext& context, const Term& term) {
  return term.product ? Step(context, Real(term.value) * term.factor) : term.value;
}

}  // namespace

double SumInSomeOrder(const FormulaContext& context, std::vector<double> terms) {
  if (terms.empty()) return 0;
  if (TakesExactly(context, ZerosOf(terms), terms.size())) return Step(context, SumOf(terms));
  return Fold(context, std::move(terms),
              [&](double a, double b) { return Step(context, Real(a) + b); });
}

double ProductInSomeOrder(const FormulaContext& context, std::vector<double> factors) {
  if (factors.empty()) return 1;
  return Fold(context, std::move(factors),
              [&](double a, double b) { return Step(context, Real(a) * b); });
}

double DotInSomeOrder(const FormulaContext& context, std::span<const double> a,
                      std::span<const double> b) {
  if (a.empty()) return 0;
  if (TakesExactly(context, ZerosOf(a) + ZerosOf(b), a.size())) {
    return Step(context, DotOf(a, b));
  }
  std::vector<Term> terms;
  for (size_t i = 0; i < a.size(); ++i) terms.push_back({a[i], b[i], true});
  const Term dot = Fold(context, std::move(terms), [&](const Term& x, const Term& y) {
    const bool fused = y.product && Below(context, 2) == 0;
    const Real added = fused ? Real(y.value) * y.factor : Real(ValueOf(context, y));
    return Term{.value = Step(context, Real(ValueOf(context, x)) + added)};
  });
  return ValueOf(context, dot);
}

}  // namespace faultline::harness
