// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Softmax along a dim: exp(x - m) / sum of exp(x - m), m the maximum of the row; softmin is that of
// -x. A row with NaN or +inf, or of -inf alone, is all NaN. f16 and bf16 compute in f32 and round
// once.

#include <algorithm>
#include <limits>
#include <vector>

#include "reference/exponentials.h"
#include "reference/intermediate.h"
#include "reference/nature.h"
#include "reference/rows.h"

namespace faultline::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void SoftmaxRow(const Call<Exact>& call, const Row& row, bool negated) {
  const Points& operand = call.operand(0);
  const ir::Dtype compute = ComputeDtype(call.algebra.result());
  const Exact inner = call.algebra.On(compute, compute);
  const auto x = [&](int64_t k) {
    const double value = operand.Float(row[k]);
    return negated ? inner.Neg(value) : value;
  };
  double m = -kInfinity;
  for (int64_t k = 0; k < row.count; ++k) m = inner.Max(m, x(k));
  double sum = 0;
  std::vector<double> terms;
  for (int64_t k = 0; k < row.count; ++k) {
    // m infinite or NaN makes NaN of some term, hence of the sum and of the whole row.
    terms.push_back(inner.Call(Function::kExp, inner.Sub(x(k), m)));
    sum = inner.Add(sum, terms.back());
  }
  if (Nature* nature = call.algebra.nature()) sum = nature->Sum(compute, terms);
  for (int64_t k = 0; k < row.count; ++k) {
    const double value = inner.Div(terms[static_cast<size_t>(k)], sum);
    PutAt(call.result(), row[k], call.algebra.CastToFloat(value));
  }
}

// y = t / s with s the sum of t and the others, all of one sign. y grows with t, so the ends of y
// come from the ends of t, the other terms at their opposite ends; the bound of the sum by itself
// is the sharper one where the sum is exact. A rounded sum of positive terms is not below any of
// them: s >= t.
class Quotients {
 public:
  Quotients(const Contract& contract, const ExponentialSum& sum)
      : contract_(&contract), sum_(&sum) {}

  FloatSet Of(const Sets& sets, const Interval& term) const {
    const long double error = sum_->relative();
    const long double below = (sum_->lo() - term.lo + term.hi) * (1 - error) - sum_->absolute();
    const long double above = (sum_->hi() - term.hi + term.lo) * (1 + error) + sum_->absolute();
    const long double floor = std::max(1.0L, static_cast<long double>(term.hi)) - error;
    const double divisor_lo =
        NextDown(ir::Dtype::kF64, static_cast<double>(std::max(below, floor)));
    const double divisor_hi = NextUp(ir::Dtype::kF64, static_cast<double>(std::max(above, 1.0L)));
    const double lo = std::max(divisor_lo, sum_->set().lo());
    const double hi = std::min(divisor_hi, sum_->set().hi());
    if (contract_->division_ulp == 0 && !contract_->may_flush && !sets.wide()) {
      return FloatSet::Between(Round(sets.result(), term.lo / hi),
                               Round(sets.result(), term.hi / lo));
    }
    // All divisors up to the greatest: the ulp that a division may be off by doubles at a power of
    // two, so the lowest quotient need not be that of the greatest divisor.
    const FloatSet divisors = FloatSet::Between(std::min(1.0, hi), hi);
    return FloatSet::Between(sets.Div(FloatSet::Of(term.lo), divisors).lo(),
                             sets.Div(FloatSet::Of(term.hi), FloatSet::Of(lo)).hi());
  }

 private:
  const Contract* contract_;
  const ExponentialSum* sum_;
};

void SoftmaxRow(const Call<Sets>& call, const Row& row, bool negated) {
  const ir::Dtype compute = ComputeDtype(call.algebra.result());
  std::vector<FloatSet> x;
  for (int64_t k = 0; k < row.count; ++k) {
    x.push_back(call.operand(0).FloatAt(row[k]));
    if (negated) x.back() = call.algebra.Neg(x.back());
  }
  const RowFacts facts = FactsOf(x);
  if (!facts.finite) {
    for (int64_t k = 0; k < row.count; ++k) call.result().Put(row[k], FloatSet::AnyNan());
    return;
  }
  std::vector<Interval> terms;
  for (const FloatSet& element : x) {
    terms.push_back(TermOf(call.algebra, compute, element, facts.maximum));
  }
  const ExponentialSum sum(call.contract(), compute, facts, terms);
  const Quotients quotients(call.contract(), sum);
  for (int64_t k = 0; k < row.count; ++k) {
    const Interval& term = terms[static_cast<size_t>(k)];
    FloatSet value = Intermediate(call.algebra, compute,
                                  [&](const Sets& sets) { return quotients.Of(sets, term); });
    value = call.algebra.CastToFloat(value);
    value.nan = facts.nan || facts.positive || facts.vanishes;
    call.result().Put(row[k], value);
  }
}

template <class A>
void SoftmaxRows(const Call<A>& call, bool negated) {
  ForEachRow(call, [&](int64_t, const Row& row) {
    if (row.count > 0) SoftmaxRow(call, row, negated);
  });
}

}  // namespace

FAULTLINE_KERNEL(Softmax) { SoftmaxRows(call, false); }

FAULTLINE_KERNEL(Softmin) { SoftmaxRows(call, true); }

}  // namespace faultline::reference
