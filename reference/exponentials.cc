// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "reference/exponentials.h"

#include <algorithm>

#include "reference/bounds.h"
#include "reference/intermediate.h"

namespace faultline::reference {

RowFacts FactsOf(std::span<const FloatSet> x) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  RowFacts facts;
  bool must_vanish = true;  // every element is -inf
  facts.vanishes = true;
  double lo = -kInfinity;
  double hi = -kInfinity;
  for (const FloatSet& set : x) {
    facts.nan = facts.nan || set.nan;
    facts.positive = facts.positive || set.positive_infinity;
    facts.vanishes = facts.vanishes && set.negative_infinity;
    if (set.count > 0) {
      must_vanish = false;
      facts.least = std::min(facts.least, set.lo());
      if (!set.negative_infinity) lo = std::max(lo, set.lo());
      hi = std::max(hi, set.hi());
    } else if (!set.negative_infinity) {
      facts.finite = false;
      facts.must_nan = facts.must_nan || !set.positive_infinity;
    }
  }
  facts.finite = facts.finite && !must_vanish;
  if (facts.finite) facts.maximum = FloatSet::Between(std::max(lo, facts.least), hi);
  return facts;
}

FloatSet ExponentOf(const Sets& algebra, ir::Dtype compute, const FloatSet& x, const FloatSet& m) {
  FloatSet members;
  if (x.count > 0) members.Add(x.lo(), x.hi());
  members.negative_infinity = x.negative_infinity;
  return Intermediate(algebra, compute, [&](const Sets& sets) {
    const FloatSet difference = sets.Sub(members, m);
    // No element exceeds the maximum.
    FloatSet below;
    if (difference.count > 0) {
      below.Add(std::min(difference.lo(), 0.0), std::min(difference.hi(), 0.0));
    }
    below.negative_infinity = difference.negative_infinity;
    return below;
  });
}

Interval TermOf(const Sets& algebra, ir::Dtype compute, const FloatSet& x, const FloatSet& m) {
  Interval term = {0, 0};
  if (x.count == 0) return term;
  const Contract& contract = algebra.contract();
  const bool stored = !contract.wider_intermediates && !contract.may_flush;
  if (stored && x.IsPoint() && m.IsPoint()) {
    const FloatSet exponent = FloatSet::Of(Round(compute, x.Value() - m.Value()));
    const FloatSet value = Sets(contract, compute, compute).Call(Function::kExp, exponent);
    return {value.lo(), value.hi()};
  }
  const FloatSet finite = FloatSet::Between(x.lo(), x.hi());
  const FloatSet exponent = ExponentOf(algebra, compute, finite, m);
  const FloatSet value = Intermediate(
      algebra, compute, [&](const Sets& sets) { return sets.Call(Function::kExp, exponent); });
  term = {std::max(value.lo(), 0.0), value.hi()};
  if (x.negative_infinity) term.lo = 0;
  return term;
}

ExponentialSum::ExponentialSum(const Contract& contract, ir::Dtype compute, const RowFacts& facts,
                               std::span<const Interval> terms) {
  const FloatFormat& format = FormatOf(compute);
  for (const Interval& term : terms) {
    lo_ += term.lo;
    hi_ += term.hi;
  }
  const auto n = static_cast<double>(terms.size());
  relative_ = (n - 1) * format.unit;
  if (contract.softmax == Softmax::kOnline) {
    const double blocks = contract.softmax_blocks;
    relative_ +=
        (blocks * (2 * contract.ulp(Function::kExp) + 2) + 2 * (facts.maximum.hi() - facts.least)) *
        format.unit;
    absolute_ += blocks * n * format.min_subnormal;
  }
  if (contract.may_flush) absolute_ += n * format.min_normal;
  const FloatSet sum = SumSet(compute, contract, [&](auto& bound) {
    for (const Interval& term : terms) bound.Add(FloatSet::Between(term.lo, term.hi));
  });
  // The second order of the error, and the sums here, in long double.
  relative_ = relative_ * (1 + relative_) + (n + 4) * 0x1p-62;
  double lo = sum.lo();
  double hi = sum.hi();
  if (contract.softmax == Softmax::kOnline) {
    lo = NextDown(ir::Dtype::kF64, static_cast<double>(lo * (1 - relative_) - absolute_));
    hi = NextUp(ir::Dtype::kF64, static_cast<double>(hi * (1 + relative_) + absolute_));
  } else {
    lo = std::max(lo, 1.0);
    hi = std::max(hi, 1.0);
  }
  set_ = FloatSet::Between(lo, hi);
}

}  // namespace faultline::reference
