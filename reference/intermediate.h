// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// A rounded step inside an op, in the dtype that the op computes in. Not for the op's last
// rounding, to its result's dtype.

#ifndef REFERENCE_INTERMEDIATE_H_
#define REFERENCE_INTERMEDIATE_H_

#include "reference/algebra.h"

namespace faultline::reference {

template <class F>
double Intermediate(const Exact& algebra, ir::Dtype compute, const F& step) {
  return step(algebra.On(compute, compute));
}

// Also the unrounded results, under a contract whose intermediates may stay wider.
template <class F>
FloatSet Intermediate(const Sets& algebra, ir::Dtype compute, const F& step) {
  FloatSet set = step(Sets(algebra.contract(), compute, compute));
  if (algebra.contract().wider_intermediates) {
    set.Unite(step(Sets(algebra.contract(), compute, compute, true)));
  }
  return set;
}

}  // namespace faultline::reference

#endif  // REFERENCE_INTERMEDIATE_H_
