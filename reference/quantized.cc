// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "reference/quantized.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "reference/algebra.h"
#include "reference/bounds.h"
#include "reference/intermediate.h"

namespace faultline::reference {
namespace {

size_t At(int64_t i) { return static_cast<size_t>(i); }

// Per block: the absmax of its finite elements, or their mean magnitude.
std::vector<float> Ranges(const Points& x, ir::Range range, const std::vector<int64_t>& scale_of,
                          int64_t count) {
  std::vector<float> ranges(At(count), 0);
  std::vector<int64_t> finite(At(count), 0);
  for (size_t i = 0; i < x.cells.size(); ++i) {
    const auto magnitude = static_cast<float>(std::fabs(AsFloat(x.cells[i])));
    if (!std::isfinite(magnitude)) continue;
    float& block = ranges[At(scale_of[i])];
    block = range == ir::Range::kMinMax ? std::max(block, magnitude) : block + magnitude;
    ++finite[At(scale_of[i])];
  }
  if (range == ir::Range::kAbsMean) {
    for (size_t k = 0; k < ranges.size(); ++k) {
      if (finite[k] > 0) ranges[k] /= static_cast<float>(finite[k]);
    }
  }
  return ranges;
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
  return all;
}

// What Ranges may give for one block.
class RangeSet {
 public:
  RangeSet(const Contract& contract, ir::Range range)
      : contract_(&contract), range_(range), sum_(ir::Dtype::kF32, contract) {}

  void Note(const FloatSet& x) {
    if (x.count == 0) return;
    Interval magnitudes = Magnitudes(x);
    // What was consumed wider may be rounded to f32 first.
    const double hi = Round(ir::Dtype::kF32, magnitudes.hi);
    magnitudes.lo = std::min(magnitudes.lo, Round(ir::Dtype::kF32, magnitudes.lo));
    if (std::isfinite(hi)) magnitudes.hi = std::max(magnitudes.hi, hi);
    hi_ = std::max(hi_, magnitudes.hi);
    ++count_;
    if (x.finite_only()) {
      lo_ = std::max(lo_, magnitudes.lo);
    } else {
      certain_ = false;
    }
    if (range_ == ir::Range::kAbsMean) sum_.Add(FloatSet::Between(magnitudes.lo, magnitudes.hi));
  }

  FloatSet Result() const {
    if (range_ == ir::Range::kMinMax) return FloatSet::Between(lo_, hi_);
    if (count_ == 0) return FloatSet::Of(0);
    if (certain_) {
      const Sets sets(*contract_, ir::Dtype::kF32, ir::Dtype::kF32);
      const FloatSet mean = sets.Div(sum_.Result(), FloatSet::Of(static_cast<double>(count_)));
      return mean;
    }
    // How many elements count is not certain: the mean lies below the greatest magnitude, up to
    // the rounding errors of the sum, or is infinite because the sum overflowed.
    const auto count = static_cast<double>(count_);
    const double rounding = 1 + 0x1p-22 * count;
    const double max = FormatOf(ir::Dtype::kF32).max;
    FloatSet mean = FloatSet::Between(0, std::min(hi_ * rounding, max));
    mean.positive_infinity = hi_ * count * rounding >= max;
    return mean;
  }

 private:
  const Contract* contract_;
  ir::Range range_;
  SumBound<double> sum_;
  double lo_ = 0;
  double hi_ = 0;
  int64_t count_ = 0;
  bool certain_ = true;
};

// The scale rule is monotone, so it is taken at both ends.
FloatSet ScaleSetOf(const ir::Scheme& scheme, const Contract& contract, const FloatSet& range) {
  const Sets sets(contract, ir::Dtype::kF32, ir::Dtype::kF32);
  const FloatSet quotient = sets.Div(range, FloatSet::Of(ir::ScaleDivisor(scheme.value)));
  // An infinite mean (its sum overflowed) gives the largest scale.
  const auto stored = [&](double unrounded) {
    const auto floored = std::max(static_cast<float>(unrounded), 0x1p-126f);
    return static_cast<double>(DecodeScale(scheme.scale, StoredScale(scheme, floored, 1)));
  };
  return FloatSet::Between(stored(quotient.Lowest()), stored(quotient.Highest()));
}

// Any scale at all: two-level scales of ambiguous data are not followed further.
FloatSet AnyScale() { return FloatSet::Between(0x1p-149, FormatOf(ir::Dtype::kF32).max); }

void AddCodes(ir::QValue value, const Contract& contract, double lo, double hi, IntSet& codes,
              bool first) {
  const bool even = contract.quantize != QuantizeRounding::kHalfAway;
  const bool away = contract.quantize != QuantizeRounding::kHalfEven;
  int32_t from = RankOfCode(value, CodeOfQuotient(value, lo, !even));
  int32_t to = RankOfCode(value, CodeOfQuotient(value, hi, !even));
  if (even && away) {
    from = std::min(from, RankOfCode(value, CodeOfQuotient(value, lo, true)));
    to = std::max(to, RankOfCode(value, CodeOfQuotient(value, hi, true)));
  }
  if (ir::IsIntegerCode(value)) {
    const IntSet between = IntSet::Between(ir::Dtype::kI32, from, to);
    if (first) codes = between;
    if (!first) codes.Unite(ir::Dtype::kI32, between);
    return;
  }
  for (int32_t rank = from; rank <= to; ++rank) {
    const int32_t code = CodeOfRank(value, rank);
    if (first) codes = IntSet::Of(code);
    codes.AddValue(ir::Dtype::kI32, code);
    first = false;
  }
}

}  // namespace

ir::Type ScalesType(const ir::Type& quantized) {
  const int64_t count = ScaleCount(quantized.scheme(), quantized.shape);
  if (quantized.scheme().per_tensor()) return {ir::Dtype::kF32, ir::Shape{count}};
  return {ir::Dtype::kF32, ir::ScaleGrid(quantized.scheme(), quantized.shape)};
}

std::vector<float> ScaleValues(const Points& quantized) {
  std::vector<float> values;
  for (const uint32_t stored : quantized.scales) {
    values.push_back(
        EffectiveScale(quantized.type.scheme(), stored, quantized.tensor_scale.value_or(1)));
  }
  return values;
}

std::vector<FloatSet> ScaleSets(const Enclosure& quantized) {
  std::vector<FloatSet> sets;
  if (quantized.AllPoints()) {
    for (const float value : ScaleValues(*quantized.points())) sets.push_back(FloatSet::Of(value));
    return sets;
  }
  const Enclosure& scales = *quantized.scales();
  for (int64_t i = 0; i < scales.size(); ++i) {
    sets.push_back(quantized.type().scheme().two_level ? AnyScale() : scales.FloatAt(i));
  }
  return sets;
}

std::shared_ptr<const Enclosure> FinishScales(Enclosure scales) {
  Points points;
  points.type = scales.type();
  for (int64_t i = 0; i < scales.size(); ++i) {
    points.cells.push_back(scales.IsPoint(i) ? scales.PointAt(i) : ToCell(0.0));
  }
  scales.Finish(std::make_shared<const Points>(std::move(points)));
  return std::make_shared<const Enclosure>(std::move(scales));
}

void Quantize(const Points& x, ir::Range range, Points& result) {
  const ir::Scheme& scheme = result.type.scheme();
  const std::vector<int64_t> scale_of = ScaleIndices(scheme, result.type.shape);
  const int64_t count = ScaleCount(scheme, result.type.shape);
  std::vector<float> unrounded;
  float largest = UnroundedScale(scheme.value, 0);
  for (const float block : Ranges(x, range, scale_of, count)) {
    unrounded.push_back(UnroundedScale(scheme.value, block));
    largest = std::max(largest, unrounded.back());
  }
  if (scheme.two_level) result.tensor_scale = TensorScale(scheme.scale, largest);
  result.scales.clear();
  for (const float scale : unrounded) {
    result.scales.push_back(StoredScale(scheme, scale, result.tensor_scale.value_or(1)));
  }
  const std::vector<float> scales = ScaleValues(result);
  for (size_t i = 0; i < x.cells.size(); ++i) {
    const auto value = static_cast<float>(AsFloat(x.cells[i]));
    result.cells[i] = ToCell(int64_t{CodeOf(scheme.value, value, scales[At(scale_of[i])])});
  }
}

void Dequantize(const Points& quantized, Points& result) {
  const ir::Scheme& scheme = quantized.type.scheme();
  const std::vector<int64_t> scale_of = ScaleIndices(scheme, quantized.type.shape);
  const std::vector<float> scales = ScaleValues(quantized);
  for (size_t i = 0; i < quantized.cells.size(); ++i) {
    const auto code = static_cast<int32_t>(AsInt(quantized.cells[i]));
    const float value = DequantizeCode(scheme.value, code, scales[At(scale_of[i])]);
    result.cells[i] = ToCell(Round(result.type.dtype(), value));
  }
}

bool IsPinnedQuantize(const Contract& contract) {
  return contract.division_ulp == 0 && !contract.reciprocal_scale && !contract.may_flush &&
         !contract.wider_intermediates && contract.quantize == QuantizeRounding::kHalfEven;
}

IntSet AdmissibleCodes(ir::QValue value, const Contract& contract, const FloatSet& x,
                       const FloatSet& scale) {
  if (IsPinnedQuantize(contract) && ir::IsIntegerCode(value) && x.simple() && scale.simple()) {
    // Scales are positive: the quotient grows with x, and its magnitude falls with the scale.
    const auto code = [&](double end, double divisor) {
      return CodeOfQuotient(value, Round(ir::Dtype::kF32, end / divisor));
    };
    return IntSet::Between(ir::Dtype::kI32, code(x.lo(), x.lo() < 0 ? scale.lo() : scale.hi()),
                           code(x.hi(), x.hi() < 0 ? scale.hi() : scale.lo()));
  }
  const Sets f32(contract, ir::Dtype::kF32, ir::Dtype::kF32);
  const FloatSet quotient = Intermediate(f32, ir::Dtype::kF32, [&](const Sets& sets) {
    FloatSet by_division = sets.Div(x, scale);
    if (contract.reciprocal_scale) {
      by_division.Unite(sets.Mul(x, sets.Div(FloatSet::Of(1), scale)));
    }
    return by_division;
  });
  IntSet codes;
  bool first = true;
  const auto add = [&](double lo, double hi) {
    AddCodes(value, contract, lo, hi, codes, first);
    first = false;
  };
  for (int k = 0; k < quotient.count; ++k) {
    add(quotient.intervals[At(k)].lo, quotient.intervals[At(k)].hi);
  }
  if (quotient.negative_infinity) add(-HUGE_VAL, -HUGE_VAL);
  if (quotient.positive_infinity) add(HUGE_VAL, HUGE_VAL);
  if (quotient.nan) {
    const int32_t code = CodeOfQuotient(value, std::numeric_limits<double>::quiet_NaN());
    if (first) codes = IntSet::Of(code);
    codes.AddValue(ir::Dtype::kI32, code);
  }
  return codes;
}

void Quantize(const Contract& contract, const Enclosure& x, ir::Range range, Enclosure& result) {
  const ir::Type& type = result.type();
  const ir::Scheme& scheme = type.scheme();
  const std::vector<int64_t> scale_of = ScaleIndices(scheme, type.shape);
  std::vector<RangeSet> ranges(At(ScaleCount(scheme, type.shape)), RangeSet(contract, range));
  for (int64_t i = 0; i < x.size(); ++i) ranges[At(scale_of[At(i)])].Note(x.FloatAt(i));
  Enclosure scales = Enclosure::ToFill(ScalesType(type));
  std::vector<FloatSet> sets;
  for (size_t k = 0; k < ranges.size(); ++k) {
    sets.push_back(scheme.two_level ? AnyScale()
                                    : ScaleSetOf(scheme, contract, ranges[k].Result()));
    scales.Put(static_cast<int64_t>(k), sets[k]);
  }
  for (int64_t i = 0; i < x.size(); ++i) {
    result.Put(i, AdmissibleCodes(scheme.value, contract, x.FloatAt(i), sets[At(scale_of[At(i)])]));
  }
  const std::shared_ptr<const Enclosure> finished = FinishScales(std::move(scales));
  result.SetScales(finished,
                   finished->AllPoints() ? nullptr : std::make_shared<const Enclosure>(x));
}

// Each possible code apart (a handful: the set keeps four pieces), a range of many as their hull.
void Dequantize(const Contract& contract, const Enclosure& quantized, bool wide,
                Enclosure& result) {
  const ir::QValue value = quantized.type().scheme().value;
  const ir::Type& type = result.type();
  const Sets cast(contract, ir::Dtype::kF32, type.dtype(), wide);
  const std::vector<int64_t> scale_of = ScaleIndices(quantized.type().scheme(), type.shape);
  const std::vector<FloatSet> scales = ScaleSets(quantized);
  for (int64_t i = 0; i < quantized.size(); ++i) {
    const IntSet codes = quantized.IntAt(i);
    FloatSet values;
    if (codes.enumerated()) {
      for (int k = 0; k < codes.count; ++k) {
        const auto code = static_cast<int32_t>(codes.values[At(k)]);
        values.AddValue(DecodeCode(value, code));
      }
    } else if (ir::IsIntegerCode(value)) {
      values.Add(static_cast<double>(codes.lo), static_cast<double>(codes.hi));
    } else {
      for (auto code = static_cast<int32_t>(codes.lo); code <= codes.hi; ++code) {
        values.AddValue(DecodeCode(value, code));
      }
    }
    const FloatSet& scale = scales[At(scale_of[At(i)])];
    result.Put(i, cast.CastToFloat(Intermediate(cast, ir::Dtype::kF32, [&](const Sets& sets) {
      return sets.Mul(values, scale);
    })));
  }
}

}  // namespace faultline::reference
