// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// A real number for certification, by MPFR, which shares no line with the reference. Results that
// are not exact are rounded to odd at 120 bits: rounding them once more, to any format of at most
// 118 bits, gives what rounding the exact number would (Boldo and Melquiond 2008). So one
// evaluation settles what an interval would have to be refined for. The significand lies in the
// object: most of the time of a short sum would go into allocating.

#ifndef HARNESS_ORACLE_CERTIFY_REAL_H_
#define HARNESS_ORACLE_CERTIFY_REAL_H_

#include <mpfr.h>

#include <cstdint>
#include <span>

#include "ir/dtype.h"

namespace faultline::harness {

class Real {
 public:
  Real();
  Real(double value);  // NOLINT(google-explicit-constructor): every double is a real number
  static Real OfInteger(ir::Dtype int_dtype, int64_t value);
  Real(const Real& other) { *this = other; }
  Real& operator=(const Real& other);
  ~Real() = default;

  mpfr_srcptr get() const { return value_; }
  mpfr_ptr get() { return value_; }
  bool nan() const { return mpfr_nan_p(value_) != 0; }
  // Of a regular number its 128 leading bits, the first of them set.
  uint64_t high() const { return limbs_[1]; }
  uint64_t low() const { return limbs_[0]; }

  // Calls function(result, rounding), which returns MPFR's ternary value, and rounds to odd.
  template <typename Function>
  static Real Odd(const Function& function) {
    Real result;
    result.MakeOdd(function(result.value_, MPFR_RNDZ));
    return result;
  }

 private:
  void MakeOdd(int ternary);

  mp_limb_t limbs_[2] = {};
  mpfr_t value_;
};

// Special cases are those of IEEE 754 and of Annex F of C, as MPFR has them.
Real operator+(const Real& a, const Real& b);
Real operator-(const Real& a, const Real& b);
Real operator*(const Real& a, const Real& b);
Real operator/(const Real& a, const Real& b);
// The exact sum, rounded to odd once.
Real SumOf(std::span<const double> terms);
// The exact sum of products, likewise.
Real DotOf(std::span<const double> a, std::span<const double> b);

// One rounding to a value of a float dtype: half to even, subnormals kept, overflow to infinity.
double RoundTo(ir::Dtype float_dtype, const Real& value);

}  // namespace faultline::harness

#endif  // HARNESS_ORACLE_CERTIFY_REAL_H_
