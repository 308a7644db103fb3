// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// What a float sum, dot or product can give when the backend may choose the order: rules R4 and R12
// of the oracle, with the argument above each formula in bounds.cc. Not for the naive value, which
// kernels compute themselves.

#ifndef REFERENCE_BOUNDS_H_
#define REFERENCE_BOUNDS_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "ir/dtype.h"
#include "reference/contract.h"
#include "reference/held.h"
#include "reference/sets.h"

namespace faultline::reference {

// Exponent of the lowest set bit of a finite non-zero number, which is odd * 2^LowestBit.
inline int LowestBit(double value) {
  const auto bits = std::bit_cast<uint64_t>(value);
  const auto exponent = static_cast<int>((bits >> 52) & 0x7ff);
  const uint64_t fraction = bits & ((uint64_t{1} << 52) - 1);
  if (exponent == 0) return std::countr_zero(fraction) - 1074;
  return std::countr_zero(fraction | (uint64_t{1} << 52)) + exponent - 1075;
}

// Classes beside the finite numbers that some term may have, or certainly has.
struct TermClasses {
  bool nan = false;
  bool positive = false;  // infinity
  bool negative = false;
  bool must_nan = false;
  bool must_positive = false;
  bool must_negative = false;
  void Note(const FloatSet& set);
};

// Up to so many terms (or factors) every order is tried out.
inline constexpr int kTreeLeavesMax = 4;

// Whether the contract leaves one execution of a reduction: left to right, each step rounded.
inline bool FixesOrder(const Contract& contract) {
  return contract.order == ReductionOrder::kFixed && !contract.may_flush && !contract.contraction &&
         !contract.wider_intermediates;
}

// The sum of terms added in any order, by any tree, over any number of lanes, or left to right if
// the contract fixes the order. Wide holds sums of the accumulator's values with bits to spare:
// double for f32, long double for f64. Result() may be asked for after each term (scans).
template <typename Wide>
class SumBound {
 public:
  SumBound(ir::Dtype accumulator, const Contract& contract)
      : format_(&FormatOf(accumulator)),
        dtype_(accumulator),
        fixed_(FixesOrder(contract)),
        flush_(contract.may_flush),
        grid_floor_(format_->exponent_min - (flush_ ? 0 : format_->precision - 1)) {}

  // A value of the accumulator's dtype, of any class.
  void Add(double point) {
    if (!std::isfinite(point)) return NoteClasses(FloatSet::Of(point));
    AddPoint(point, point, point, true);
  }
  void Add(const FloatSet& set);
  // Finite values from lo to hi, all of them integers if so said.
  void Add(Interval box, bool integral) {
    if (box.lo == box.hi) return AddPoint(box.lo, box.lo, box.lo, true);
    AddTerm(box.lo, box.hi, box, true);
    if (on_grid_) NoteGrid(integral, 0);
  }
  // The product of two such values, rounded or (in an FMA) not.
  void AddProduct(double a, double b) {
    if (flush_) return AddProduct(FloatSet::Of(a), FloatSet::Of(b));
    const double product = a * b;
    if (!std::isfinite(a) || !std::isfinite(b)) return NoteClasses(FloatSet::Of(product));
    const double near = Near(product);
    const Wide unrounded = Wide{a} * b;
    if (IsExactProduct(a, b, near)) {
      AddPoint(near, near, near, true);
    } else if (std::isfinite(near)) {
      AddPoint(std::min(unrounded, Wide{near}), std::max(unrounded, Wide{near}), near, false);
    } else {
      // A product that would overflow reaches a finite sum only inside an FMA.
      AddPoint(unrounded, unrounded, near, false);
    }
  }
  void AddProduct(const FloatSet& a, const FloatSet& b);
  // Of finite values; `integral`: both hold integers only. Requires that nothing may be flushed.
  void AddProduct(Interval a, Interval b, bool integral);

  // The admissible sums, as values of the accumulator's dtype; zeros with both signs. `wide`: also
  // the sum before its last rounding, for a consumer that may see it (bounds, no values of the
  // dtype).
  FloatSet Result(bool wide = false) const;
  // The same in the common case, in which it is one finite interval, of no known structure.
  bool FindInterval(Interval& interval) const {
    if (fixed_ || flush_ || has_classes_ || up_ || down_) return false;
    if (magnitude_ >= format_->max / 4) return false;
    if (!on_grid_ && count_ <= kTreeLeavesMax) return false;
    if (on_grid_ && lo_ != hi_) return false;
    const Ends ends = BeforeRounding();
    interval = {NearWide(ends.lo), NearWide(ends.hi)};
    if (interval.lo == 0) interval.lo = -0.0;
    if (interval.hi == 0) interval.hi = 0.0;
    return true;
  }

 private:
  struct Ends {
    Wide lo;
    Wide hi;
  };
  // Rounding to the accumulator's dtype.
  static double Near(double value) {
    return std::is_same_v<Wide, double> ? static_cast<double>(static_cast<float>(value)) : value;
  }
  static double NearWide(Wide value) { return Near(static_cast<double>(value)); }
  // Whether a * b is `near`, its rounding to the accumulator's dtype, exactly.
  static bool IsExactProduct(double a, double b, double near) {
    if (std::is_same_v<Wide, double>) return a * b == near;
    // The residual of an FMA is exact unless it underflows.
    return a == 0 || b == 0 || (std::fabs(near) > 0x1p-900 && std::fma(a, b, -near) == 0);
  }
  // A term in [lo, hi] whose ends are near.lo and near.hi once rounded to the dtype. `exact`: it is
  // a value of the dtype, so that the ends are those.
  void AddTerm(Wide lo, Wide hi, Interval near, bool exact) {
    if (fixed_) AddOrdered(near);
    if (count_ < kTreeLeavesMax) first_[static_cast<size_t>(count_)] = near;
    ++count_;
    exact_terms_ = exact_terms_ && exact;
    if (near.hi == HUGE_VAL || near.lo == -HUGE_VAL) return AddHuge(lo, hi, near);
    lo_ += lo;
    hi_ += hi;
    magnitude_ += std::max(-lo, hi);
  }
  // A product that may overflow by itself. Beside it the others would vanish, but what they add up
  // to may overflow the other way, in an order in which it comes last.
  void AddHuge(Wide lo, Wide hi, Interval near) {
    huge_lo_ += lo;
    huge_hi_ += hi;
    huge_magnitude_ += std::max(-lo, hi);
    if (near.hi == HUGE_VAL) {
      up_ = true;
    } else {
      huge_up_ += std::max(hi, Wide{0});
    }
    if (near.lo == -HUGE_VAL) {
      down_ = true;
    } else {
      huge_down_ += std::max(-lo, Wide{0});
    }
  }
  void AddPoint(Wide lo, Wide hi, double near, bool exact) {
    if (near == 0 && exact) return;  // adding zero is exact
    AddTerm(lo, hi, {near, near}, exact);
    if (on_grid_) NoteGrid(exact, near == 0 ? 0 : LowestBit(near));
  }
  // A term whose values are all multiples of 2^bit, if `known`.
  void NoteGrid(bool known, int bit) {
    if (bit < lowest_bit_) {
      lowest_bit_ = bit;
      grid_limit_ = std::ldexp(Wide{1}, format_->precision + bit);
    }
    on_grid_ = known && lowest_bit_ >= grid_floor_ && magnitude_ <= grid_limit_;
  }
  FloatSet Flushed(const FloatSet& set) const;
  void AddOrdered(const Interval& near);
  void NoteClasses(const FloatSet& set);
  FloatSet OfTreesOfPoints() const;
  // What the last addition rounds: see bounds.cc.
  Ends BeforeRounding() const {
    if (on_grid_) return {lo_, hi_};
    constexpr Wide kUnit = std::numeric_limits<Wide>::epsilon() / 2;
    const auto n = static_cast<Wide>(count_);
    const auto unit = static_cast<Wide>(format_->unit);
    const Wide magnitude = (magnitude_ + huge_magnitude_) * (1 + (n + 4) * 2 * kUnit);
    Wide d = (std::max(n - 2, Wide{0}) * unit + (n + 4) * kUnit) * magnitude;
    if (!exact_terms_) d += n * static_cast<Wide>(format_->min_subnormal);
    if (flush_) d += 2 * n * static_cast<Wide>(format_->min_normal);
    d *= 1 + Wide{0x1p-40};
    return {lo_ + huge_lo_ - d, hi_ + huge_hi_ + d};
  }
  FloatSet OfEveryTree() const;
  FloatSet OfAnyOrder(bool wide) const;

  const FloatFormat* format_;
  ir::Dtype dtype_;
  bool fixed_;
  bool flush_;
  int grid_floor_;  // no grid is finer
  bool has_classes_ = false;
  TermClasses classes_;
  Wide lo_ = 0;
  Wide hi_ = 0;
  Wide magnitude_ = 0;  // sum of the largest magnitudes
  // The same of products that may overflow by themselves, and what of those does not.
  Wide huge_lo_ = 0;
  Wide huge_hi_ = 0;
  Wide huge_magnitude_ = 0;
  Wide huge_up_ = 0;
  Wide huge_down_ = 0;
  int64_t count_ = 0;  // terms that are not certainly zero
  std::array<Interval, kTreeLeavesMax> first_;
  double ordered_lo_ = 0;  // left to right
  double ordered_hi_ = 0;
  bool exact_terms_ = true;
  bool up_ = false;  // some product may overflow by itself
  bool down_ = false;
  bool on_grid_ = true;    // every partial sum so far is exact in every order
  int lowest_bit_ = 1024;  // of all terms
  Wide grid_limit_ = 0;    // 2^(precision + lowest_bit_)
};

// The set of a sum in the accumulator's dtype, whose terms `fill(bound)` adds.
template <class F>
FloatSet SumSet(ir::Dtype accumulator, const Contract& contract, const F& fill) {
  if (accumulator == ir::Dtype::kF64) {
    SumBound<long double> bound(accumulator, contract);
    fill(bound);
    return bound.Result(contract.wider_intermediates);
  }
  SumBound<double> bound(accumulator, contract);
  fill(bound);
  return bound.Result(contract.wider_intermediates);
}

// The product of factors multiplied in any order. Factors are values of the accumulator's dtype.
class ProductBound {
 public:
  ProductBound(ir::Dtype accumulator, const Contract& contract)
      : format_(&FormatOf(accumulator)), dtype_(accumulator), contract_(&contract) {
    first_[0] = first_[1] = FloatSet::Of(1);
  }

  void Multiply(const FloatSet& factor);
  void Multiply(double factor);
  // The admissible products as values of the accumulator's dtype; a zero has the product of the
  // signs. `wide` as above.
  FloatSet Result(bool wide = false) const;

 private:
  void NoteMagnitude(const FloatSet& factor);
  void NoteMagnitude(double least, double greatest, bool must_zero);
  FloatSet ResultOfTwo(bool wide) const;
  FloatSet OfEveryTree() const;
  void AddFinite(FloatSet& set, bool wide) const;
  bool MayOverflow() const;
  bool MayVanish() const;

  const FloatFormat* format_;
  ir::Dtype dtype_;
  const Contract* contract_;
  bool nan_ = false;
  bool must_nan_ = false;
  bool infinite_ = false;  // some factor may be infinite
  bool must_infinite_ = false;
  bool zero_ = false;  // some factor may be zero
  bool must_zero_ = false;
  bool positive_ = true;  // signs the product may have
  bool negative_ = false;
  bool points_ = true;
  double ordered_ = 1;                          // left to right, of points
  std::array<FloatSet, kTreeLeavesMax> first_;  // factors that are not certainly +-1
  int64_t count_ = 0;                           // of such factors
  bool flip_ = false;                           // an odd number of factors -1
  int64_t rounding_ = 0;                        // factors that are not certainly powers of two
  long double least_ = 1;                       // magnitudes
  long double greatest_ = 1;
  long double above_ = 1;  // product of max(1, magnitude)
  long double below_ = 1;  // product of min(1, magnitude)
  double odd_ = 1;         // product of the odd parts of the factors, infinity with a box
};

}  // namespace faultline::reference

#endif  // REFERENCE_BOUNDS_H_
