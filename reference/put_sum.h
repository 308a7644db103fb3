// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Puts the set of a float sum into a result: from the accumulator's dtype to the result's, with a
// short way for the common case of one interval.

#ifndef REFERENCE_PUT_SUM_H_
#define REFERENCE_PUT_SUM_H_

#include <cmath>

#include "reference/bounds.h"
#include "reference/kernel.h"

namespace faultline::reference {

template <typename Wide>
void PutSum(const Call<Sets>& call, int64_t i, const SumBound<Wide>& sum) {
  const ir::Dtype dtype = call.algebra.result();
  const bool wider = call.contract().wider_intermediates;
  Interval ends;
  if (!wider && !call.algebra.wide() && sum.FindInterval(ends)) {
    ends = {Round(dtype, ends.lo), Round(dtype, ends.hi)};
    if (std::isfinite(ends.lo) && std::isfinite(ends.hi)) return call.result().PutBox(i, ends);
  }
  call.result().Put(i, call.algebra.CastToFloat(sum.Result(wider)));
}

// Element i is the sum of the terms that `fill(bound)` adds.
template <class F>
void PutSumOf(const Call<Sets>& call, int64_t i, const F& fill) {
  const ir::Dtype compute = ComputeDtype(call.algebra.result());
  if (compute == ir::Dtype::kF64) {
    SumBound<long double> bound(compute, call.contract());
    fill(bound);
    PutSum(call, i, bound);
  } else {
    SumBound<double> bound(compute, call.contract());
    fill(bound);
    PutSum(call, i, bound);
  }
}

}  // namespace faultline::reference

#endif  // REFERENCE_PUT_SUM_H_
