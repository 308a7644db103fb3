// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The sum of exp(x - m) over a row, m its maximum: what softmax, log_softmax and logsumexp share.
// Sets only; the naive values are a few lines in the kernels.

#ifndef REFERENCE_EXPONENTIALS_H_
#define REFERENCE_EXPONENTIALS_H_

#include <limits>
#include <span>
#include <vector>

#include "ir/dtype.h"
#include "reference/algebra.h"
#include "reference/sets.h"

namespace faultline::reference {

// What is known of a row before its exponentials.
struct RowFacts {
  bool finite = true;  // some execution has a finite maximum and no NaN
  FloatSet maximum;    // of those executions
  double least = std::numeric_limits<double>::infinity();
  bool nan = false;       // an element may be NaN
  bool must_nan = false;  // or is
  bool positive = false;  // an element may be +inf
  bool vanishes = false;  // every element may be -inf
};
RowFacts FactsOf(std::span<const FloatSet> x);

// x - m for the finite members of x and for -inf; never above 0.
FloatSet ExponentOf(const Sets& algebra, ir::Dtype compute, const FloatSet& x, const FloatSet& m);
// exp of it: between 0 and exp(0) = 1 up to its accuracy.
Interval TermOf(const Sets& algebra, ir::Dtype compute, const FloatSet& x, const FloatSet& m);

// The sum s of the terms, in any order: off by (n - 1) u relative (rule R4). Some element is the
// maximum, its term is exactly 1, and a rounded sum of such terms is not below any of them: hence
// s >= 1. An online softmax rescales the running sum and the terms once a block.
class ExponentialSum {
 public:
  ExponentialSum(const Contract& contract, ir::Dtype compute, const RowFacts& facts,
                 std::span<const Interval> terms);

  const FloatSet& set() const { return set_; }
  // The sums of the ends of all terms, and what a computed sum may be off by.
  long double lo() const { return lo_; }
  long double hi() const { return hi_; }
  long double relative() const { return relative_; }
  long double absolute() const { return absolute_; }

 private:
  FloatSet set_;
  long double lo_ = 0;
  long double hi_ = 0;
  long double relative_ = 0;
  long double absolute_ = 0;
};

}  // namespace faultline::reference

#endif  // REFERENCE_EXPONENTIALS_H_
