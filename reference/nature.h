// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The adversary's hand: where a contract leaves room, Nature chooses a result at random among those
// it permits, ends preferred. An evaluation with a Nature is a legal execution, as nasty as the
// contract allows; the enclosures must contain it. It knows nothing of sets.

#ifndef REFERENCE_NATURE_H_
#define REFERENCE_NATURE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "ir/dtype.h"
#include "reference/contract.h"

namespace faultline::reference {

class Nature {
 public:
  explicit Nature(uint64_t seed) : state_(seed) {}

  uint64_t Bits();
  bool Chance(uint64_t one_in) { return Bits() % one_in == 0; }

  // A value of the dtype within `ulp` of the exact one, of its sign, no greater than `bound` in
  // magnitude. NaN, zero and infinity are exact; so is everything if ulp is 0 and then the value is
  // the nearest one.
  double Within(ir::Dtype dtype, long double exact, double ulp, double bound);
  // Any zero for a zero, otherwise the value.
  double AnyZero(double value);
  // The value, or a zero for a subnormal.
  double Flushed(ir::Dtype dtype, double value);
  // The terms added (or multiplied) by a random tree, each partial result rounded to the dtype.
  double Sum(ir::Dtype dtype, std::vector<double> terms);
  double Product(ir::Dtype dtype, std::vector<double> factors);
  // The products added by a random tree, some of them fused into the addition.
  double Dot(ir::Dtype dtype, std::span<const double> a, std::span<const double> b);

 private:
  uint64_t state_;
};

}  // namespace faultline::reference

#endif  // REFERENCE_NATURE_H_
