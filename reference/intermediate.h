// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// A rounded step inside an op, in the dtype that the op computes in. Not for the op's last
// rounding, to its result's dtype.

#ifndef REFERENCE_INTERMEDIATE_H_
#define REFERENCE_INTERMEDIATE_H_

#include "reference/algebra.h"
#include "reference/nature.h"

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

// A product that goes into a sum or difference next, where contraction may take it unrounded (f64
// has nothing wider here to show an unrounded one in; its sets cover that).
inline double ProductIntoSum(const Exact& algebra, ir::Dtype compute, double x, double y) {
  Nature* nature = algebra.nature();
  const bool fused = nature != nullptr && algebra.contract().contraction && nature->Chance(2);
  return algebra.On(compute, fused ? ir::Dtype::kF64 : compute).Mul(x, y);
}
inline FloatSet ProductIntoSum(const Sets& algebra, ir::Dtype compute, const FloatSet& x,
                               const FloatSet& y) {
  FloatSet product =
      Intermediate(algebra, compute, [&](const Sets& sets) { return sets.Mul(x, y); });
  if (algebra.contract().contraction) {
    product.Unite(Sets(algebra.contract(), compute, compute, true).Mul(x, y));
  }
  return product;
}

}  // namespace faultline::reference

#endif  // REFERENCE_INTERMEDIATE_H_
