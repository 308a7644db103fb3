// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Softmax along a dim: exp(x - m) / sum of exp(x - m), m the maximum of the row. A row with NaN or
// +inf, or of -inf alone, is all NaN. f16 and bf16 compute in f32 and round once.

#include <algorithm>
#include <limits>
#include <vector>

#include "reference/bounds.h"
#include "reference/intermediate.h"
#include "reference/nature.h"
#include "reference/rows.h"

namespace faultline::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void SoftmaxRow(const Call<Exact>& call, const Row& row) {
  const Points& x = call.operand(0);
  const ir::Dtype compute = ComputeDtype(call.algebra.result());
  const Exact inner = call.algebra.On(compute, compute);
  double m = -kInfinity;
  for (int64_t k = 0; k < row.count; ++k) m = inner.Max(m, x.Float(row[k]));
  double sum = 0;
  std::vector<double> terms;
  for (int64_t k = 0; k < row.count; ++k) {
    // m infinite or NaN makes NaN of some term, hence of the sum and of the whole row.
    terms.push_back(inner.Call(Function::kExp, inner.Sub(x.Float(row[k]), m)));
    sum = inner.Add(sum, terms.back());
  }
  if (Nature* nature = call.algebra.nature()) sum = nature->Sum(compute, terms);
  for (int64_t k = 0; k < row.count; ++k) {
    const double value = inner.Div(terms[static_cast<size_t>(k)], sum);
    PutAt(call.result(), row[k], call.algebra.CastToFloat(value));
  }
}

// What is known of a row before its exponentials.
struct RowFacts {
  FloatSet maximum;  // of the executions in which the row is not NaN
  double least = kInfinity;
  bool nan = false;
  bool must_nan = false;
};

RowFacts FactsOf(const std::vector<FloatSet>& x) {
  RowFacts facts;
  bool may_all_vanish = true;   // every element may be -inf
  bool must_all_vanish = true;  // and is
  double lo = -kInfinity;
  double hi = -kInfinity;
  for (const FloatSet& set : x) {
    facts.nan = facts.nan || set.nan || set.positive_infinity;
    facts.must_nan = facts.must_nan || (set.count == 0 && !set.negative_infinity);
    may_all_vanish = may_all_vanish && set.negative_infinity;
    if (set.count == 0) continue;
    must_all_vanish = false;
    facts.least = std::min(facts.least, set.lo());
    if (!set.negative_infinity) lo = std::max(lo, set.lo());
    hi = std::max(hi, set.hi());
  }
  facts.nan = facts.nan || may_all_vanish;
  facts.must_nan = facts.must_nan || must_all_vanish;
  if (!facts.must_nan) facts.maximum = FloatSet::Between(std::max(lo, facts.least), hi);
  return facts;
}

// exp(x - m) for the finite members of x and for -inf; between 0 and exp(0) = 1 up to its accuracy.
Interval TermOf(const Call<Sets>& call, ir::Dtype compute, const FloatSet& x, const FloatSet& m) {
  Interval term = {0, 0};
  if (x.count == 0) return term;
  const bool stored = !call.contract().wider_intermediates && !call.contract().may_flush;
  if (stored && x.IsPoint() && m.IsPoint()) {
    const FloatSet exponent = FloatSet::Of(Round(compute, x.Value() - m.Value()));
    const FloatSet value = Sets(call.contract(), compute, compute).Call(Function::kExp, exponent);
    return {value.lo(), value.hi()};
  }
  FloatSet finite = FloatSet::Between(x.lo(), x.hi());
  const FloatSet exponent = Intermediate(call.algebra, compute, [&](const Sets& sets) {
    const FloatSet difference = sets.Sub(finite, m);
    // No element exceeds the maximum.
    FloatSet below;
    if (difference.count > 0) {
      below.Add(std::min(difference.lo(), 0.0), std::min(difference.hi(), 0.0));
    }
    below.negative_infinity = difference.negative_infinity;
    return below;
  });
  const FloatSet value = Intermediate(
      call.algebra, compute, [&](const Sets& sets) { return sets.Call(Function::kExp, exponent); });
  term = {std::max(value.lo(), 0.0), value.hi()};
  if (x.negative_infinity) term.lo = 0;
  return term;
}

// y = t / s with s the sum of t and the others, all of one sign: off by (n-1) u relative, in any
// order (rule R4). y grows with t, so the ends of y come from the ends of t, the other terms at
// their opposite ends; the bound of the sum by itself (bounds.h) is the sharper one where the sum
// is exact. Some element is the maximum, its term is exactly 1, and a rounded sum of
// such terms is not below any of them: hence s >= 1 and s >= t. An online softmax rescales the
// running sum and the terms once a block.
class Quotients {
 public:
  Quotients(const Contract& contract, ir::Dtype compute, const RowFacts& facts,
            const std::vector<Interval>& terms)
      : contract_(&contract) {
    const FloatFormat& format = FormatOf(compute);
    for (const Interval& term : terms) {
      lo_ += term.lo;
      hi_ += term.hi;
    }
    const auto n = static_cast<double>(terms.size());
    error_ = (n - 1) * format.unit;
    if (contract.softmax == Softmax::kOnline) {
      const double blocks = contract.softmax_blocks;
      error_ += (blocks * (2 * contract.ulp(Function::kExp) + 2) +
                 2 * (facts.maximum.hi() - facts.least)) *
                format.unit;
      shift_ += blocks * n * format.min_subnormal;
    }
    if (contract.may_flush) shift_ += n * format.min_normal;
    sum_ = SumSet(compute, contract, [&](auto& sum) {
      for (const Interval& term : terms) sum.Add(FloatSet::Between(term.lo, term.hi));
    });
    // The second order of the error, and the sums here, in long double.
    error_ = error_ * (1 + error_) + (n + 4) * 0x1p-62;
    double lo = sum_.lo();
    double hi = sum_.hi();
    if (contract.softmax == Softmax::kOnline) {
      lo = NextDown(ir::Dtype::kF64, static_cast<double>(lo * (1 - error_) - shift_));
      hi = NextUp(ir::Dtype::kF64, static_cast<double>(hi * (1 + error_) + shift_));
    } else {
      lo = std::max(lo, 1.0);
      hi = std::max(hi, 1.0);
    }
    sum_ = FloatSet::Between(lo, hi);
  }

  FloatSet Of(const Sets& sets, const Interval& term) const {
    const long double below = (lo_ - term.lo + term.hi) * (1 - error_) - shift_;
    const long double above = (hi_ - term.hi + term.lo) * (1 + error_) + shift_;
    const long double floor = std::max(1.0L, static_cast<long double>(term.hi)) - error_;
    const double divisor_lo =
        NextDown(ir::Dtype::kF64, static_cast<double>(std::max(below, floor)));
    const double divisor_hi = NextUp(ir::Dtype::kF64, static_cast<double>(std::max(above, 1.0L)));
    const double lo = std::max(divisor_lo, sum_.lo());
    const double hi = std::min(divisor_hi, sum_.hi());
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
  FloatSet sum_;
  long double lo_ = 0;
  long double hi_ = 0;
  long double error_ = 0;
  long double shift_ = 0;
};

void SoftmaxRow(const Call<Sets>& call, const Row& row) {
  const ir::Dtype compute = ComputeDtype(call.algebra.result());
  std::vector<FloatSet> x;
  for (int64_t k = 0; k < row.count; ++k) x.push_back(call.operand(0).FloatAt(row[k]));
  const RowFacts facts = FactsOf(x);
  if (facts.must_nan) {
    for (int64_t k = 0; k < row.count; ++k) call.result().Put(row[k], FloatSet::AnyNan());
    return;
  }
  std::vector<Interval> terms;
  for (const FloatSet& element : x) {
    terms.push_back(TermOf(call, compute, element, facts.maximum));
  }
  const Quotients quotients(call.contract(), compute, facts, terms);
  for (int64_t k = 0; k < row.count; ++k) {
    const Interval& term = terms[static_cast<size_t>(k)];
    FloatSet value = Intermediate(call.algebra, compute,
                                  [&](const Sets& sets) { return quotients.Of(sets, term); });
    value = call.algebra.CastToFloat(value);
    value.nan = facts.nan;
    call.result().Put(row[k], value);
  }
}

}  // namespace

FAULTLINE_KERNEL(Softmax) {
  ForEachRow(call, [&](int64_t, const Row& row) {
    if (row.count > 0) SoftmaxRow(call, row);
  });
}

}  // namespace faultline::reference
