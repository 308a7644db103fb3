// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "reference/bounds.h"

#include <limits>
#include <type_traits>

#include "reference/algebra.h"

namespace faultline::reference {
namespace {

// Magnitudes from here on round to infinity: max plus half an ulp.
template <typename Wide>
Wide Threshold(const FloatFormat& format) {
  const int exponent = std::ilogb(format.max) - format.precision;
  return static_cast<Wide>(format.max) + std::ldexp(Wide{1}, exponent);
}

// So that a real bound stays one as a double.
double Downward(double value) { return value; }
double Upward(double value) { return value; }
double Downward(long double value) {
  const auto near = static_cast<double>(value);
  return static_cast<long double>(near) > value ? std::nextafter(near, -HUGE_VAL) : near;
}
double Upward(long double value) { return -Downward(-value); }

// Calls visit with what every way to combine n values two at a time gives.
template <class T, class Op, class Visit>
void ForEveryTree(const std::array<T, kTreeLeavesMax>& values, size_t n, const Op& op,
                  const Visit& visit) {
  if (n == 1) return visit(values[0]);
  for (size_t i = 0; i + 1 < n; ++i) {
    for (size_t j = i + 1; j < n; ++j) {
      std::array<T, kTreeLeavesMax> rest = values;
      rest[i] = op(values[i], values[j]);
      rest[j] = values[n - 1];
      ForEveryTree(rest, n - 1, op, visit);
    }
  }
}

// Requires count > 0.
bool IsIntegral(const FloatSet& set) {
  return set.integral || (set.lo() == set.hi() && std::nearbyint(set.lo()) == set.lo());
}

// The odd integer o of a finite non-zero o * 2^e.
double OddPart(double value) {
  const auto bits = std::bit_cast<uint64_t>(value);
  constexpr uint64_t kHidden = uint64_t{1} << 52;
  const uint64_t fraction = bits & (kHidden - 1);
  const uint64_t significand = (bits & (kHidden * 0x7ff)) == 0 ? fraction : fraction | kHidden;
  return static_cast<double>(significand >> std::countr_zero(significand));
}

}  // namespace

void TermClasses::Note(const FloatSet& set) {
  nan = nan || set.nan;
  positive = positive || set.positive_infinity;
  negative = negative || set.negative_infinity;
  if (set.count > 0) return;
  must_nan = must_nan || (!set.positive_infinity && !set.negative_infinity);
  must_positive = must_positive || (!set.nan && !set.negative_infinity);
  must_negative = must_negative || (!set.nan && !set.positive_infinity);
}

template <typename Wide>
void SumBound<Wide>::Add(const FloatSet& set) {
  if (!set.finite_only()) NoteClasses(set);
  if (set.count > 0) Add({set.lo(), set.hi()}, set.integral);
}

template <typename Wide>
void SumBound<Wide>::AddOrdered(const Interval& near) {
  ordered_lo_ = Near(ordered_lo_ + near.lo);
  ordered_hi_ = Near(ordered_hi_ + near.hi);
}

template <typename Wide>
void SumBound<Wide>::NoteClasses(const FloatSet& set) {
  classes_.Note(set);
  has_classes_ = true;
}

// Under a contract that may flush, a subnormal operand may be 0 as well.
template <typename Wide>
FloatSet SumBound<Wide>::Flushed(const FloatSet& set) const {
  FloatSet flushed = set;
  for (int k = 0; flush_ && k < set.count; ++k) {
    const Interval& piece = set.intervals[static_cast<size_t>(k)];
    if (piece.lo < format_->min_normal && piece.hi > -format_->min_normal) flushed.Add(-0.0, 0.0);
  }
  return flushed;
}

template <typename Wide>
void SumBound<Wide>::AddProduct(const FloatSet& left, const FloatSet& right) {
  const FloatSet a = Flushed(left);
  const FloatSet b = Flushed(right);
  if (!a.finite_only() || !b.finite_only()) {
    // Classes of every combination of pieces; sign by sign for the infinities.
    FloatSet product;
    const bool a_infinite = a.positive_infinity || a.negative_infinity;
    const bool b_infinite = b.positive_infinity || b.negative_infinity;
    product.nan =
        a.nan || b.nan || (a_infinite && b.ContainsZero()) || (b_infinite && a.ContainsZero());
    const auto has = [](const FloatSet& set, bool positive) {
      if (positive ? set.positive_infinity : set.negative_infinity) return true;
      return set.count > 0 && (positive ? set.hi() > 0 : set.lo() < 0);
    };
    const auto infinite = [&](bool a_positive, bool b_positive) {
      return ((a_positive ? a.positive_infinity : a.negative_infinity) && has(b, b_positive)) ||
             ((b_positive ? b.positive_infinity : b.negative_infinity) && has(a, a_positive));
    };
    product.positive_infinity = infinite(true, true) || infinite(false, false);
    product.negative_infinity = infinite(true, false) || infinite(false, true);
    product.count = static_cast<int8_t>(a.count > 0 && b.count > 0 ? 1 : 0);
    NoteClasses(product);
  }
  if (a.count == 0 || b.count == 0) return;
  AddProduct(Interval{a.lo(), a.hi()}, Interval{b.lo(), b.hi()}, IsIntegral(a) && IsIntegral(b));
}

// In a dot each product is rounded before it is added, or (in an FMA) is not: the term lies between
// the exact product p and fl(p). This replaces the u|p| of the textbook bound n' u sum|a||b| by the
// rounding error that this product really has.
template <typename Wide>
void SumBound<Wide>::AddProduct(Interval a, Interval b, bool integral) {
  if (a.lo == a.hi && b.lo == b.hi && !flush_) return AddProduct(a.lo, b.lo);
  const Wide c[] = {Wide{a.lo} * b.lo, Wide{a.lo} * b.hi, Wide{a.hi} * b.lo, Wide{a.hi} * b.hi};
  Wide lo = std::min(std::min(c[0], c[1]), std::min(c[2], c[3]));
  Wide hi = std::max(std::max(c[0], c[1]), std::max(c[2], c[3]));
  if (lo == 0 && hi == 0) return;
  // A long double is not the exact product: its rounding to f64 may be off at a tie, which an
  // interval of one step more covers.
  Interval near = {NearWide(lo), NearWide(hi)};
  if (!std::is_same_v<Wide, double>) {
    near = {std::nextafter(near.lo, -HUGE_VAL), std::nextafter(near.hi, HUGE_VAL)};
  }
  if (std::isfinite(near.lo)) lo = std::min(lo, Wide{near.lo});
  if (std::isfinite(near.hi)) hi = std::max(hi, Wide{near.hi});
  // Products of integers within p bits are exact, and so are all between the ends.
  const bool exact = integral && std::max(-lo, hi) <= std::ldexp(Wide{1}, format_->precision);
  AddTerm(lo, hi, near, exact);
  if (on_grid_) NoteGrid(exact, 0);
}

// NoteGrid, rule R12: if every term is k * 2^g, and sum|x| <= 2^p * 2^g, every partial sum of every
// order is such a multiple of at most p bits, hence exact, and an FMA has nothing to round either.
// g must not lie below the smallest subnormal (the smallest normal, where subnormals may be
// flushed).
//
// BeforeRounding, rule R4: the last operation of any order is one addition fl(a + b) of two partial
// sums, of k and n' - k terms, which are off by at most (k-1) u sum|x| and (n'-k-1) u sum|x|
// (Jeannerod and Rump; Lange and Rump for trees), together (n'-2) u sum|x| =: d. So the result lies
// between fl(lo - d) and fl(hi + d), because fl is monotone. This is sharper than (n'-1) u sum|x|
// around the exact sum if terms cancel, and makes n' <= 2 one correct rounding. Sums do not
// underflow; an FMA may, by eta, where its product is no value of the dtype. Flushing takes at most
// the smallest normal at each operand and each partial sum.
//
// d and the ends are computed in Wide, whose own errors are at most (n'+4) units of it relative to
// sum|x|, counted in; 2^-40 covers the second order and the evaluation of d itself.

// At most four points: every tree, and each result apart.
template <typename Wide>
FloatSet SumBound<Wide>::OfTreesOfPoints() const {
  using Value = std::conditional_t<std::is_same_v<Wide, double>, float, double>;
  std::array<Value, kTreeLeavesMax> values;
  const auto n = static_cast<size_t>(count_);
  for (size_t i = 0; i < n; ++i) values[i] = static_cast<Value>(first_[i].lo);
  FloatSet set;
  Value last = std::numeric_limits<Value>::quiet_NaN();
  const auto add = [](Value a, Value b) { return a + b; };
  ForEveryTree(values, n, add, [&](Value sum) {
    if (sum != last) set.AddValue(double{sum});
    last = sum;
  });
  return set;
}

// At most four terms, all of them values of the dtype (an FMA has no say): the results of all
// trees, each monotone in its terms. An addition in f64 rounded to f32 is correctly rounded.
template <typename Wide>
FloatSet SumBound<Wide>::OfEveryTree() const {
  const auto is_point = [](const Interval& term) { return term.lo == term.hi; };
  if (std::all_of(first_.begin(), first_.begin() + count_, is_point)) return OfTreesOfPoints();
  FloatSet set;
  const auto add = [](const Interval& a, const Interval& b) {
    return Interval{Near(a.lo + b.lo), Near(a.hi + b.hi)};
  };
  ForEveryTree(first_, static_cast<size_t>(count_), add, [&](const Interval& sum) {
    // Partial sums that overflowed both ways.
    set.nan = set.nan || std::isnan(sum.lo) || std::isnan(sum.hi);
    const double lo = std::isnan(sum.lo) ? -HUGE_VAL : sum.lo;
    const double hi = std::isnan(sum.hi) ? HUGE_VAL : sum.hi;
    if (!std::isnan(sum.lo) || !std::isnan(sum.hi)) set.AddRounded(dtype_, lo, hi);
  });
  return set;
}

template <typename Wide>
FloatSet SumBound<Wide>::OfAnyOrder(bool wide) const {
  const Ends ends = BeforeRounding();
  double lo = NearWide(ends.lo);
  double hi = NearWide(ends.hi);
  if (count_ == 1 && !flush_) {
    // A single product is fl(p), by an FMA on a zero accumulator too.
    lo = first_[0].lo;
    hi = first_[0].hi;
  }
  FloatSet set;
  if (wide) {
    set = FloatSet::Between(std::isinf(lo) ? Downward(ends.lo) : std::min(lo, Downward(ends.lo)),
                            std::isinf(hi) ? Upward(ends.hi) : std::max(hi, Upward(ends.hi)));
  } else {
    set.AddRounded(dtype_, lo, hi);
  }
  // Some order adds all that is positive first: it overflows iff that sum does, before rounding.
  // That sum is at most (sum|x| + sum hi) / 2, and just that for points.
  // A product that overflows by itself does so wherever it is rounded.
  bool up = hi == HUGE_VAL || up_;
  bool down = lo == -HUGE_VAL || down_;
  if (count_ > 2) {
    const Wide inflate = 1 + static_cast<Wide>(count_) * static_cast<Wide>(2 * format_->unit);
    const Wide positive = (magnitude_ + hi_) / 2 + huge_up_;
    const Wide negative = (magnitude_ - lo_) / 2 + huge_down_;
    up = up || positive * inflate >= Threshold<Wide>(*format_);
    down = down || negative * inflate >= Threshold<Wide>(*format_);
  }
  set.positive_infinity = up;
  set.negative_infinity = down;
  set.nan = up && down;
  return set;
}

template <typename Wide>
FloatSet SumBound<Wide>::Result(bool wide) const {
  if (classes_.must_nan) return FloatSet::AnyNan();
  FloatSet set;
  if (fixed_ && std::isfinite(ordered_lo_) && std::isfinite(ordered_hi_)) {
    set = FloatSet::Between(ordered_lo_, ordered_hi_);
  } else if (count_ > 0 && count_ <= kTreeLeavesMax && exact_terms_ && !on_grid_ && !flush_ &&
             !wide) {
    set = OfEveryTree();
  } else {
    set = OfAnyOrder(wide);
  }
  const bool positive = classes_.positive || set.positive_infinity;
  const bool negative = classes_.negative || set.negative_infinity;
  if (classes_.must_positive || classes_.must_negative) set.count = 0;
  set.integral = on_grid_ && lowest_bit_ >= 0;
  set.positive_infinity = positive && !classes_.must_negative;
  set.negative_infinity = negative && !classes_.must_positive;
  set.nan = set.nan || classes_.nan || (positive && negative);
  // The sign of a zero sum is free.
  if (set.ContainsZero()) set.Add(-0.0, 0.0);
  return set;
}

template class SumBound<double>;
template class SumBound<long double>;

void ProductBound::Multiply(const FloatSet& factor) {
  nan_ = nan_ || factor.nan;
  const bool infinite = factor.positive_infinity || factor.negative_infinity;
  infinite_ = infinite_ || infinite;
  if (factor.count == 0) (infinite ? must_infinite_ : must_nan_) = true;
  points_ = points_ && factor.IsPoint();
  if (points_) ordered_ = Round(dtype_, ordered_ * factor.Value());
  const bool plus = factor.positive_infinity || (factor.count > 0 && !std::signbit(factor.hi()));
  const bool minus = factor.negative_infinity || (factor.count > 0 && std::signbit(factor.lo()));
  const bool positive = (positive_ && plus) || (negative_ && minus);
  negative_ = (positive_ && minus) || (negative_ && plus);
  positive_ = positive;
  if (factor.IsPoint() && std::fabs(factor.Value()) == 1) {
    flip_ = flip_ != (factor.Value() < 0);
    return;
  }
  if (count_ < kTreeLeavesMax) first_[static_cast<size_t>(count_)] = factor;
  ++count_;
  if (factor.count > 0) NoteMagnitude(factor);
}

// The same for a point, without a set.
void ProductBound::Multiply(double factor) {
  if (!std::isfinite(factor)) return Multiply(FloatSet::Of(factor));
  if (points_) ordered_ = Round(dtype_, ordered_ * factor);
  if (std::signbit(factor)) std::swap(positive_, negative_);
  const double magnitude = std::fabs(factor);
  if (magnitude == 1) {
    flip_ = flip_ != (factor < 0);
    return;
  }
  if (count_ < kTreeLeavesMax) first_[static_cast<size_t>(count_)] = FloatSet::Of(factor);
  ++count_;
  NoteMagnitude(magnitude, magnitude, magnitude == 0);
}

void ProductBound::NoteMagnitude(const FloatSet& factor) {
  const double greatest = std::max(std::fabs(factor.lo()), std::fabs(factor.hi()));
  double least = greatest;
  for (int k = 0; k < factor.count; ++k) {
    const Interval& piece = factor.intervals[static_cast<size_t>(k)];
    least = std::min(least, piece.lo <= 0 && piece.hi >= 0
                                ? 0
                                : std::min(std::fabs(piece.lo), std::fabs(piece.hi)));
  }
  NoteMagnitude(least, greatest, greatest == 0 && factor.finite_only());
}

void ProductBound::NoteMagnitude(double least, double greatest, bool must_zero) {
  if (contract_->may_flush && least < format_->min_normal) least = 0;
  zero_ = zero_ || least == 0;
  must_zero_ = must_zero_ || must_zero;
  const double odd = least == greatest && least != 0 ? OddPart(least) : HUGE_VAL;
  if (greatest != 0) odd_ *= odd;
  if (odd != 1) ++rounding_;
  least_ *= least;
  greatest_ *= greatest;
  if (greatest > 1) above_ *= greatest;
  if (least < 1) below_ *= least;
}

// Some order multiplies all magnitudes above 1 first, some other all below 1; no partial product
// lies outside of what these two reach, off by (1 + u)^n <= 1 + 2 n u.
bool ProductBound::MayOverflow() const {
  const long double inflate = 1 + 2 * static_cast<long double>(format_->unit) * count_;
  return !(above_ * inflate < Threshold<long double>(*format_));
}

bool ProductBound::MayVanish() const {
  const long double deflate = 1 - 2 * static_cast<long double>(format_->unit) * count_;
  return !(below_ * deflate >= format_->min_normal);
}

FloatSet ProductBound::ResultOfTwo(bool wide) const {
  const Sets sets(*contract_, dtype_, dtype_);
  FloatSet product = sets.Mul(first_[0], first_[1]);
  if (wide) product.Unite(Sets(*contract_, dtype_, dtype_, true).Mul(first_[0], first_[1]));
  return flip_ ? sets.Neg(product) : product;
}

FloatSet ProductBound::OfEveryTree() const {
  std::array<double, kTreeLeavesMax> values = {};
  const auto n = static_cast<size_t>(count_);
  for (size_t i = 0; i < n; ++i) values[i] = first_[i].Value();
  if (flip_) values[0] = -values[0];
  FloatSet set;
  ForEveryTree(
      values, n, [this](double a, double b) { return Round(dtype_, a * b); },
      [&](double product) { set.AddValue(product); });
  return set;
}

FloatSet ProductBound::Result(bool wide) const {
  if (must_nan_) return FloatSet::AnyNan();
  if (FixesOrder(*contract_) && points_) return FloatSet::Of(ordered_);
  // There is one multiplication and no order to choose.
  if (count_ <= 2 && !contract_->may_flush) return ResultOfTwo(wide);
  if (count_ <= kTreeLeavesMax && points_ && !contract_->may_flush && !wide) return OfEveryTree();
  FloatSet set;
  const bool infinite = infinite_ || MayOverflow();
  set.nan = nan_ || (infinite && (zero_ || MayVanish()));
  set.positive_infinity = infinite && positive_ && !must_zero_;
  set.negative_infinity = infinite && negative_ && !must_zero_;
  if (!must_infinite_) AddFinite(set, wide);
  return set;
}

// The last multiplication is fl(a b) of two partial products, which together are off by at most
// (1 + u)^(r - 2), r factors that are not powers of two, while nothing underflows; fl is monotone,
// as for sums. Powers of two count as well where a partial product may underflow. A
// partial product that underflows is off by eta, later multiplied by at most the product of the
// factors above 1. If the odd parts of all factors multiply to at most p bits, no partial product
// of any order has more, and all are exact.
//
// long double keeps the products: 2^-63 a factor covers its own rounding.
void ProductBound::AddFinite(FloatSet& set, bool wide) const {
  const double max = format_->max;
  double lo = 0;
  double hi = max;
  if (must_zero_) {
    hi = 0;
  } else if (std::isfinite(above_)) {
    const bool vanishes = MayVanish();
    const auto n = static_cast<double>(vanishes ? count_ : rounding_);
    const bool exact = !vanishes && odd_ <= std::ldexp(1.0, format_->precision);
    const long double own = 0x1p-63L * (static_cast<long double>(count_) + 4);
    const long double relative =
        exact ? 0 : std::expm1(std::max(n - 2, 0.0) * format_->unit) * (1 + 0x1p-40L) + own;
    long double shift = 0;
    if (vanishes) {
      const double each = contract_->may_flush ? format_->min_normal : format_->min_subnormal;
      shift = above_ * each * static_cast<long double>(count_);
    }
    const long double least = std::max(least_ * (1 - relative) - shift, 0.0L);
    const long double greatest = greatest_ * (1 + relative) + shift;
    const bool f64 = dtype_ == ir::Dtype::kF64;
    lo = f64 ? static_cast<double>(least) : Round(dtype_, Downward(least));
    hi = f64 ? static_cast<double>(greatest) : Round(dtype_, Upward(greatest));
    if (wide) {
      lo = std::min(lo, Downward(least));
      hi = std::isinf(hi) ? Upward(greatest) : std::max(hi, Upward(greatest));
    }
  }
  if (lo == HUGE_VAL) return;
  hi = std::min(hi, wide ? std::numeric_limits<double>::max() : max);
  if (positive_) set.Add(lo, hi);
  if (negative_) set.Add(-hi, -lo);
}

}  // namespace faultline::reference
