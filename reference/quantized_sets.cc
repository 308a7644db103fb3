// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Rule R7 of the oracle: what quantizing sets of values can give. A scale, a zero point and a code
// are monotone in what they follow from, so each is taken at the ends of the sets; with a scale
// observed, what depends on it is taken anew with that scale as a point (membership.cc).

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "reference/algebra.h"
#include "reference/bounds.h"
#include "reference/intermediate.h"
#include "reference/quantized.h"

namespace faultline::reference {
namespace {

constexpr double kLargest = std::numeric_limits<float>::max();

size_t At(int64_t i) { return static_cast<size_t>(i); }

Sets Float32(const Contract& contract) { return {contract, ir::Dtype::kF32, ir::Dtype::kF32}; }

// The finite part of a set, where what was consumed wider may be rounded to f32 first.
Interval FiniteHull(const FloatSet& set) {
  Interval hull = {set.lo(), set.hi()};
  const double lo = Round(ir::Dtype::kF32, hull.lo);
  const double hi = Round(ir::Dtype::kF32, hull.hi);
  if (std::isfinite(lo)) hull.lo = std::min(hull.lo, lo);
  if (std::isfinite(hi)) hull.hi = std::max(hull.hi, hi);
  return hull;
}

// The finite magnitudes of a set: least and greatest. Requires count > 0.
Interval Magnitudes(const FloatSet& set) {
  Interval all = {HUGE_VAL, 0};
  for (int k = 0; k < set.count; ++k) {
    const Interval& piece = set.intervals[At(k)];
    const double a = std::fabs(piece.lo);
    const double b = std::fabs(piece.hi);
    const bool over_zero = piece.lo <= 0 && piece.hi >= 0;
    all.lo = std::min(all.lo, over_zero ? 0 : std::min(a, b));
    all.hi = std::max({all.hi, a, b});
  }
  const double hi = Round(ir::Dtype::kF32, all.hi);
  all.lo = std::min(all.lo, Round(ir::Dtype::kF32, all.lo));
  if (std::isfinite(hi)) all.hi = std::max(all.hi, hi);
  return all;
}

// What the scale and zero point of one block may follow from.
class BlockRangeSet {
 public:
  BlockRangeSet(const Contract& contract, ir::Range range)
      : contract_(&contract), range_(range), sum_(ir::Dtype::kF32, contract) {}

  void Note(const FloatSet& x) {
    if (x.count == 0) return;
    const Interval magnitudes = Magnitudes(x);
    const Interval hull = FiniteHull(x);
    absmax_.hi = std::max(absmax_.hi, magnitudes.hi);
    least_.lo = std::min(least_.lo, hull.lo);
    greatest_.hi = std::max(greatest_.hi, hull.hi);
    ++count_;
    if (x.finite_only()) {
      absmax_.lo = std::max(absmax_.lo, magnitudes.lo);
      least_.hi = std::min(least_.hi, hull.hi);
      greatest_.lo = std::max(greatest_.lo, hull.lo);
    } else {
      certain_ = false;
    }
    if (range_ == ir::Range::kAbsMean) sum_.Add(FloatSet::Between(magnitudes.lo, magnitudes.hi));
  }

  FloatSet Least() const { return FloatSet::Between(least_.lo, least_.hi); }

  FloatSet Range(const ir::Scheme& scheme) const {
    if (scheme.asymmetric()) {
      return Float32(*contract_).Sub(FloatSet::Between(greatest_.lo, greatest_.hi), Least());
    }
    if (range_ == ir::Range::kMinMax) return FloatSet::Between(absmax_.lo, absmax_.hi);
    if (count_ == 0) return FloatSet::Of(0);
    const auto count = static_cast<double>(count_);
    if (certain_) return Float32(*contract_).Div(sum_.Result(), FloatSet::Of(count));
    // How many elements count is not certain: the mean lies below the greatest magnitude, up to
    // the rounding errors of the sum, or is infinite because the sum overflowed.
    const double rounding = 1 + 0x1p-22 * count;
    FloatSet mean = FloatSet::Between(0, std::min(absmax_.hi * rounding, kLargest));
    mean.positive_infinity = absmax_.hi * count * rounding >= kLargest;
    return mean;
  }

 private:
  const Contract* contract_;
  ir::Range range_;
  SumBound<double> sum_;
  Interval absmax_;  // [what it is at least, what it is at most]
  Interval least_;   // zero is among the elements
  Interval greatest_;
  int64_t count_ = 0;
  bool certain_ = true;
};

FloatSet UnroundedScaleSet(ir::QValue value, const Contract& contract, const FloatSet& range) {
  const FloatSet quotient = Float32(contract).Div(range, FloatSet::Of(ir::ScaleDivisor(value)));
  return FloatSet::Between(std::clamp(quotient.Lowest(), 0x1p-126, kLargest),
                           std::clamp(quotient.Highest(), 0x1p-126, kLargest));
}

FloatSet TensorScaleSet(ir::ScaleDtype dtype, const Contract& contract, const FloatSet& largest) {
  const FloatSet quotient =
      Float32(contract).Div(largest, FloatSet::Of(double{LargestScale(dtype)}));
  return FloatSet::Between(std::max(quotient.Lowest(), 0x1p-100),
                           std::max(quotient.Highest(), 0x1p-100));
}

// Scales as a program gives them. A value between two of f32 may be rounded to one of them first.
FloatSet GivenScaleSet(ir::ScaleDtype dtype, const FloatSet& given) {
  const auto stored = [dtype](float scale) {
    return double{DecodeScale(dtype, RoundUpGivenScale(dtype, scale))};
  };
  const auto below = [](double x) {
    const auto near = static_cast<float>(x);
    return double{near} > x ? std::nextafter(near, -HUGE_VALF) : near;
  };
  const auto above = [](double x) {
    const auto near = static_cast<float>(x);
    return double{near} < x ? std::nextafter(near, HUGE_VALF) : near;
  };
  FloatSet set;
  for (int k = 0; k < given.count; ++k) {
    const Interval& piece = given.intervals[At(k)];
    set.Add(stored(below(piece.lo)), stored(above(piece.hi)));
  }
  if (given.negative_infinity) set.AddValue(stored(-HUGE_VALF));
  if (given.positive_infinity) set.AddValue(stored(HUGE_VALF));
  if (given.nan) set.nan = true;
  return set;
}

IntSet RanksBetween(ir::QValue value, const Contract& contract, Interval quotient,
                    const IntSet& zeros) {
  const bool even = contract.quantize != QuantizeRounding::kHalfAway;
  const bool away = contract.quantize != QuantizeRounding::kHalfEven;
  const auto rank = [&](double end, int64_t zero, bool half_away) {
    return int64_t{
        RankOfCode(value, CodeOfQuotient(value, end, static_cast<int32_t>(zero), half_away))};
  };
  int64_t from = rank(quotient.lo, zeros.lo, !even);
  int64_t to = rank(quotient.hi, zeros.hi, !even);
  if (even && away) {
    from = std::min(from, rank(quotient.lo, zeros.lo, true));
    to = std::max(to, rank(quotient.hi, zeros.hi, true));
  }
  return IntSet::Between(ir::Dtype::kI32, from, to);
}

// Codes of x by the sets of a tensor's scales, and the sets themselves where they are no points.
void PutCodes(const Contract& contract, const Enclosure& x, QuantizedSets sets, Enclosure& result) {
  const ir::Scheme& scheme = result.type().scheme();
  const std::vector<int64_t> scale_of = ScaleIndices(scheme, result.type().shape);
  result.SetQuantized(sets);
  const std::vector<FloatSet> scales = ScaleSets(result);
  const std::vector<IntSet> zeros = ZeroSets(result);
  for (int64_t i = 0; i < x.size(); ++i) {
    const size_t block = At(scale_of[At(i)]);
    result.Put(i,
               AdmissibleCodes(scheme.value, contract, x.FloatAt(i), scales[block], zeros[block]));
  }
  // Where scales are points the codes need nothing else to be exact.
  if (sets.AllPoints()) return;
  sets.source = std::make_shared<const Enclosure>(x);
  result.SetQuantized(std::move(sets));
}

}  // namespace

std::shared_ptr<const Enclosure> FinishScales(Enclosure scales) {
  Points points;
  points.type = scales.type();
  for (int64_t i = 0; i < scales.size(); ++i) {
    points.cells.push_back(scales.IsPoint(i) ? scales.PointAt(i) : ToCell(0.0));
  }
  scales.Finish(std::make_shared<const Points>(std::move(points)));
  return std::make_shared<const Enclosure>(std::move(scales));
}

QuantizedSets QuantizedSetsOf(const Enclosure& quantized) {
  if (!quantized.AllPoints()) return *quantized.quantized();
  const Points& points = *quantized.points();
  QuantizedSets sets;
  Enclosure scales = Enclosure::ToFill(ScalesType(points.type));
  for (size_t i = 0; i < points.scales.size(); ++i) {
    const float scale = DecodeScale(points.type.scheme().scale, points.scales[i]);
    scales.Put(static_cast<int64_t>(i), FloatSet::Of(double{scale}));
  }
  sets.scales = FinishScales(std::move(scales));
  sets.tensor_scale = FloatSet::Of(double{points.tensor_scale.value_or(1)});
  for (const int32_t zero : points.zeros) sets.zeros.push_back(IntSet::Of(zero));
  return sets;
}

std::vector<FloatSet> ScaleSets(const Enclosure& quantized) {
  std::vector<FloatSet> sets;
  if (quantized.AllPoints()) {
    for (const float value : ScaleValues(*quantized.points())) {
      sets.push_back(FloatSet::Of(double{value}));
    }
    return sets;
  }
  const QuantizedSets& from = *quantized.quantized();
  const Contract exact;
  for (int64_t i = 0; i < from.scales->size(); ++i) {
    const FloatSet stored = from.scales->FloatAt(i);
    sets.push_back(quantized.type().scheme().two_level
                       ? Float32(exact).Mul(stored, from.tensor_scale)
                       : stored);
  }
  return sets;
}

std::vector<IntSet> ZeroSets(const Enclosure& quantized) {
  const auto count = At(ScaleCount(quantized.type().scheme(), quantized.type().shape));
  if (!quantized.type().scheme().asymmetric()) return std::vector<IntSet>(count, IntSet::Of(0));
  return QuantizedSetsOf(quantized).zeros;
}

FloatSet StoredScaleSet(const ir::Scheme& scheme, const Contract& contract,
                        const FloatSet& unrounded, const FloatSet& tensor_scale) {
  const FloatSet set =
      scheme.two_level ? Float32(contract).Div(unrounded, tensor_scale) : unrounded;
  const auto stored = [&](double scale) {
    const auto positive = static_cast<float>(std::clamp(scale, 0.0, kLargest));
    return double{DecodeScale(scheme.scale, RoundUpToScale(scheme.scale, positive))};
  };
  return FloatSet::Between(stored(set.Lowest()), stored(set.Highest()));
}

IntSet ZeroSet(ir::QValue value, const Contract& contract, const FloatSet& least,
               const FloatSet& scale) {
  const FloatSet low = FloatSet::Of(ir::CodeMin(value));
  const Sets f32 = Float32(contract);
  const FloatSet quotient = Intermediate(f32, ir::Dtype::kF32, [&](const Sets& sets) {
    FloatSet by_division = sets.Div(least, scale);
    if (contract.reciprocal_scale) {
      by_division.Unite(sets.Mul(least, sets.Div(FloatSet::Of(1), scale)));
    }
    return by_division;
  });
  const FloatSet place =
      Intermediate(f32, ir::Dtype::kF32, [&](const Sets& sets) { return sets.Sub(low, quotient); });
  if (place.nan) return IntSet::Between(ir::Dtype::kI32, ir::CodeMin(value), ir::CodeMax(value));
  return RanksBetween(value, contract, {place.Lowest(), place.Highest()}, IntSet::Of(0));
}

IntSet AdmissibleRanks(ir::QValue value, const Contract& contract, const FloatSet& x,
                       const FloatSet& scale, const IntSet& zeros) {
  if (IsPinnedQuantize(contract) && ir::IsIntegerCode(value) && x.simple() && scale.simple() &&
      scale.lo() > 0) {
    // The quotient grows with x, and its magnitude falls with the scale.
    const auto quotient = [](double end, double divisor) {
      return Round(ir::Dtype::kF32, end / divisor);
    };
    return RanksBetween(value, contract,
                        {quotient(x.lo(), x.lo() < 0 ? scale.lo() : scale.hi()),
                         quotient(x.hi(), x.hi() < 0 ? scale.hi() : scale.lo())},
                        zeros);
  }
  const FloatSet quotient = Intermediate(Float32(contract), ir::Dtype::kF32, [&](const Sets& sets) {
    FloatSet by_division = sets.Div(x, scale);
    if (contract.reciprocal_scale) {
      by_division.Unite(sets.Mul(x, sets.Div(FloatSet::Of(1), scale)));
    }
    return by_division;
  });
  std::optional<IntSet> ranks;
  const auto add = [&](const IntSet& more) {
    if (ranks.has_value()) {
      ranks->Unite(ir::Dtype::kI32, more);
    } else {
      ranks = more;
    }
  };
  for (int k = 0; k < quotient.count; ++k) {
    add(RanksBetween(value, contract, quotient.intervals[At(k)], zeros));
  }
  if (quotient.negative_infinity) {
    add(RanksBetween(value, contract, {-HUGE_VAL, -HUGE_VAL}, zeros));
  }
  if (quotient.positive_infinity) {
    add(RanksBetween(value, contract, {HUGE_VAL, HUGE_VAL}, zeros));
  }
  if (quotient.nan) {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    add(RanksBetween(value, contract, {kNan, kNan}, zeros));
  }
  return *ranks;
}

IntSet AdmissibleCodes(ir::QValue value, const Contract& contract, const FloatSet& x,
                       const FloatSet& scale, const IntSet& zeros) {
  const IntSet ranks = AdmissibleRanks(value, contract, x, scale, zeros);
  if (ir::IsIntegerCode(value)) return ranks;
  std::optional<IntSet> codes;
  for (int64_t rank = ranks.lo; rank <= ranks.hi; ++rank) {
    if (!ranks.Contains(ir::Dtype::kI32, rank)) continue;
    const int64_t code = CodeOfRank(value, static_cast<int32_t>(rank));
    if (codes.has_value()) {
      codes->AddValue(ir::Dtype::kI32, code);
    } else {
      codes = IntSet::Of(code);
    }
  }
  return *codes;
}

void Quantize(const Contract& contract, const Enclosure& x, ir::Range range, Enclosure& result) {
  const ir::Type& type = result.type();
  const ir::Scheme& scheme = type.scheme();
  const std::vector<int64_t> scale_of = ScaleIndices(scheme, type.shape);
  std::vector<BlockRangeSet> ranges(At(ScaleCount(scheme, type.shape)),
                                    BlockRangeSet(contract, range));
  for (int64_t i = 0; i < x.size(); ++i) ranges[At(scale_of[At(i)])].Note(x.FloatAt(i));

  QuantizedSets sets;
  Enclosure unrounded = Enclosure::ToFill(ScalesType(type));
  const FloatSet none = UnroundedScaleSet(scheme.value, contract, FloatSet::Of(0));
  Interval largest = {none.lo(), none.hi()};
  for (size_t block = 0; block < ranges.size(); ++block) {
    const FloatSet scale = UnroundedScaleSet(scheme.value, contract, ranges[block].Range(scheme));
    unrounded.Put(static_cast<int64_t>(block), scale);
    largest = {std::max(largest.lo, scale.lo()), std::max(largest.hi, scale.hi())};
  }
  if (scheme.two_level) {
    sets.tensor_scale =
        TensorScaleSet(scheme.scale, contract, FloatSet::Between(largest.lo, largest.hi));
  }
  Enclosure scales = Enclosure::ToFill(ScalesType(type));
  Enclosure least = Enclosure::ToFill(ScalesType(type));
  for (int64_t block = 0; block < unrounded.size(); ++block) {
    scales.Put(block,
               StoredScaleSet(scheme, contract, unrounded.FloatAt(block), sets.tensor_scale));
    if (!scheme.asymmetric()) continue;
    least.Put(block, ranges[At(block)].Least());
    sets.zeros.push_back(
        ZeroSet(scheme.value, contract, least.FloatAt(block), scales.FloatAt(block)));
  }
  sets.scales = FinishScales(std::move(scales));
  if (scheme.two_level) sets.unrounded = FinishScales(std::move(unrounded));
  if (scheme.asymmetric()) sets.least = FinishScales(std::move(least));
  PutCodes(contract, x, std::move(sets), result);
}

void QuantizeWith(const Contract& contract, const Enclosure& x, const Enclosure& scales,
                  const Enclosure* third, Enclosure& result) {
  const ir::Scheme& scheme = result.type().scheme();
  QuantizedSets sets;
  Enclosure stored = Enclosure::ToFill(ScalesType(result.type()));
  for (int64_t block = 0; block < stored.size(); ++block) {
    stored.Put(block, GivenScaleSet(scheme.scale, scales.FloatAt(block)));
    if (scheme.asymmetric()) sets.zeros.push_back(third->IntAt(block));
  }
  if (scheme.two_level) {
    sets.tensor_scale = GivenScaleSet(ir::ScaleDtype::kF32, third->FloatAt(0));
  }
  sets.scales = FinishScales(std::move(stored));
  PutCodes(contract, x, std::move(sets), result);
}

}  // namespace faultline::reference
