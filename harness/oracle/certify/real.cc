// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/oracle/certify/real.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace faultline::harness {
namespace {

constexpr mpfr_prec_t kBits = 120;
static_assert(kBits >= 106, "a product of two f64 has to be exact");
static_assert(sizeof(long) == sizeof(int64_t));
static_assert(sizeof(mp_limb_t) == sizeof(uint64_t), "a significand has two limbs");
constexpr mp_limb_t kLastBit = mp_limb_t{1} << (128 - kBits);

struct Format {
  mpfr_prec_t precision;
  mpfr_exp_t exponent_min;  // of the smallest normal, 2^exponent_min
  mpfr_exp_t exponent_max;
};

Format FormatFor(ir::Dtype dtype) {
  switch (dtype) {
    case ir::Dtype::kF64:
      return {53, -1022, 1023};
    case ir::Dtype::kF16:
      return {11, -14, 15};
    case ir::Dtype::kBf16:
      return {8, -126, 127};
    default:
      return {24, -126, 127};
  }
}

Real ExactSum(std::vector<mpfr_ptr>& terms) {
  return Real::Odd([&](mpfr_ptr sum, mpfr_rnd_t rounding) {
    return mpfr_sum(sum, terms.data(), terms.size(), rounding);
  });
}

}  // namespace

Real::Real() { mpfr_custom_init_set(value_, MPFR_NAN_KIND, 0, kBits, limbs_); }
Real::Real(double value) : Real() { mpfr_set_d(value_, value, MPFR_RNDN); }
Real& Real::operator=(const Real& other) {
  limbs_[0] = other.limbs_[0];
  limbs_[1] = other.limbs_[1];
  value_[0] = other.value_[0];
  mpfr_custom_move(value_, limbs_);
  return *this;
}

Real Real::OfInteger(ir::Dtype int_dtype, int64_t value) {
  Real real;
  if (int_dtype == ir::Dtype::kU64) {
    mpfr_set_ui(real.value_, std::bit_cast<uint64_t>(value), MPFR_RNDN);
  } else {
    mpfr_set_si(real.value_, value, MPFR_RNDN);
  }
  return real;
}

// What was cut off, if anything, makes the last bit a one. Toward zero nothing overflows, but a
// result may have underflowed to zero: the ternary value knows its sign.
void Real::MakeOdd(int ternary) {
  if (ternary == 0 || mpfr_nan_p(value_) != 0 || mpfr_inf_p(value_) != 0) return;
  if (mpfr_zero_p(value_) == 0) {
    limbs_[0] |= kLastBit;
  } else if (ternary < 0) {
    mpfr_nextabove(value_);
  } else {
    mpfr_nextbelow(value_);
  }
}

Real operator+(const Real& a, const Real& b) {
  return Real::Odd([&](mpfr_ptr r, mpfr_rnd_t rnd) { return mpfr_add(r, a.get(), b.get(), rnd); });
}
Real operator-(const Real& a, const Real& b) {
  return Real::Odd([&](mpfr_ptr r, mpfr_rnd_t rnd) { return mpfr_sub(r, a.get(), b.get(), rnd); });
}
Real operator*(const Real& a, const Real& b) {
  return Real::Odd([&](mpfr_ptr r, mpfr_rnd_t rnd) { return mpfr_mul(r, a.get(), b.get(), rnd); });
}
Real operator/(const Real& a, const Real& b) {
  return Real::Odd([&](mpfr_ptr r, mpfr_rnd_t rnd) { return mpfr_div(r, a.get(), b.get(), rnd); });
}

Real SumOf(std::span<const double> terms) {
  std::vector<Real> reals(terms.begin(), terms.end());
  std::vector<mpfr_ptr> pointers;
  for (Real& real : reals) pointers.push_back(real.get());
  return ExactSum(pointers);
}

Real DotOf(std::span<const double> a, std::span<const double> b) {
  std::vector<Real> products(a.size());
  std::vector<mpfr_ptr> pointers;
  for (size_t i = 0; i < a.size(); ++i) {
    products[i] = Real(a[i]) * Real(b[i]);
    pointers.push_back(products[i].get());
  }
  return ExactSum(pointers);
}

double RoundTo(ir::Dtype float_dtype, const Real& value) {
  if (mpfr_regular_p(value.get()) == 0) return mpfr_get_d(value.get(), MPFR_RNDN);
  const Format format = FormatFor(float_dtype);
  const mpfr_exp_t exponent = mpfr_get_exp(value.get()) - 1;  // 1 <= |value| / 2^exponent < 2
  const mpfr_exp_t unit = std::max(exponent, format.exponent_min) - (format.precision - 1);
  const mpfr_exp_t bits = exponent - unit + 1;
  const double sign = mpfr_signbit(value.get()) != 0 ? -1.0 : 1.0;
  if (bits <= 0) {
    // Below the smallest subnormal: more than half of it becomes it, the tie goes to the even 0.
    const bool above = bits == 0 && (value.high() << 1 != 0 || value.low() != 0);
    return above ? sign * std::ldexp(1.0, static_cast<int>(unit)) : sign * 0.0;
  }
  const auto cut = static_cast<int>(64 - bits);  // of the leading limb; the other is all tail
  const uint64_t half = uint64_t{1} << (cut - 1);
  const uint64_t tail = value.high() & (2 * half - 1);
  uint64_t kept = value.high() >> cut;
  if (tail > half || (tail == half && (value.low() != 0 || kept % 2 == 1))) ++kept;
  const double rounded = std::ldexp(static_cast<double>(kept), static_cast<int>(unit));
  const bool overflows = rounded >= std::ldexp(1.0, static_cast<int>(format.exponent_max) + 1);
  return overflows ? sign * std::numeric_limits<double>::infinity() : sign * rounded;
}

}  // namespace faultline::harness
