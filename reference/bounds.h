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

// The sum of terms added in any order, by any tree, over any number of lanes, or left to right if
// the contract fixes the order. Wide holds sums of the accumulator's values with bits to spare:
// double for f32, long double for f64. Result() may be asked for after each term (scans).
template <typename Wide>
class SumBound {
 public:
  SumBound(ir::Dtype accumulator, const Contract& contract)
      : format_(&FormatOf(accumulator)),
        dtype_(accumulator),
        fixed_(contract.order == ReductionOrder::kFixed),
        flush_(contract.may_flush) {}

  // A value of the accumulator's dtype, of any class.
  void Add(double point) {
    if (std::isfinite(point)) {
      AddTerm({point, point, point, point, true, true});
    } else {
      classes_.Note(FloatSet::Of(point));
    }
  }
  void Add(const FloatSet& set);
  // The product of two such values, rounded or (in an FMA) not.
  void AddProduct(double a, double b);
  void AddProduct(const FloatSet& a, const FloatSet& b);

  // The admissible sums, as values of the accumulator's dtype; zeros with both signs. `wide`: also
  // the sum before its last rounding, for a consumer that may see it (bounds, no values of the
  // dtype).
  FloatSet Result(bool wide = false) const;

 private:
  struct Term {
    Wide lo;
    Wide hi;
    double near_lo;  // the ends rounded to the accumulator's dtype
    double near_hi;
    bool exact;  // the term is a value of that dtype: near_lo == lo, near_hi == hi
    bool grid;   // its lowest bit is known: a point, or integers
  };
  struct Ends {
    Wide lo;
    Wide hi;
  };
  void AddTerm(const Term& term) {
    if (fixed_) {
      ordered_lo_ = Round(dtype_, ordered_lo_ + term.near_lo);
      ordered_hi_ = Round(dtype_, ordered_hi_ + term.near_hi);
    }
    if (term.lo == 0 && term.hi == 0) return;  // adding zero is exact
    if (count_ < kTreeLeavesMax) {
      first_[static_cast<size_t>(count_)] = {term.near_lo, term.near_hi};
    }
    ++count_;
    lo_ += term.lo;
    hi_ += term.hi;
    magnitude_ += std::max(-term.lo, term.hi);
    exact_terms_ = exact_terms_ && term.exact;
    up_ = up_ || term.near_hi == HUGE_VAL;
    down_ = down_ || term.near_lo == -HUGE_VAL;
    if (on_grid_) NoteGrid(term);
  }
  void AddProductBox(const FloatSet& a, const FloatSet& b);
  void NoteGrid(const Term& term);
  // What the last addition rounds.
  Ends BeforeRounding() const;
  FloatSet OfEveryTree() const;
  FloatSet OfAnyOrder(bool wide) const;

  const FloatFormat* format_;
  ir::Dtype dtype_;
  bool fixed_;
  bool flush_;
  TermClasses classes_;
  Wide lo_ = 0;
  Wide hi_ = 0;
  Wide magnitude_ = 0;  // sum of the largest magnitudes
  int64_t count_ = 0;   // terms that are not certainly zero
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
  // The admissible products as values of the accumulator's dtype; a zero has the product of the
  // signs. `wide` as above.
  FloatSet Result(bool wide = false) const;

 private:
  void NoteMagnitude(const FloatSet& factor);
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
