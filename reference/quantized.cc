// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The naive evaluation of quantize and dequantize, and dequantize as sets.

#include "reference/quantized.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "reference/algebra.h"
#include "reference/intermediate.h"

namespace faultline::reference {
namespace {

size_t At(int64_t i) { return static_cast<size_t>(i); }

// What a block's scale (and zero point) follow from, over its finite elements.
struct BlockRange {
  float absmax = 0;
  float sum = 0;  // of magnitudes
  int64_t finite = 0;
  float least = 0;  // zero is among the elements
  float greatest = 0;

  void Note(float x) {
    if (!std::isfinite(x)) return;
    absmax = std::max(absmax, std::fabs(x));
    sum += std::fabs(x);
    ++finite;
    least = std::min(least, x);
    greatest = std::max(greatest, x);
  }
  float Range(const ir::Scheme& scheme, ir::Range range) const {
    if (scheme.asymmetric()) return greatest - least;
    if (range == ir::Range::kMinMax || finite == 0) return absmax;
    return sum / static_cast<float>(finite);
  }
};

void PutCodes(const Points& x, const std::vector<int64_t>& scale_of, Points& result) {
  const ir::QValue value = result.type.scheme().value;
  const std::vector<float> scales = ScaleValues(result);
  for (size_t i = 0; i < x.cells.size(); ++i) {
    const size_t block = At(scale_of[i]);
    const int32_t zero = result.zeros.empty() ? 0 : result.zeros[block];
    const auto element = static_cast<float>(AsFloat(x.cells[i]));
    result.cells[i] = ToCell(int64_t{CodeOf(value, element, scales[block], zero)});
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

void Quantize(const Points& x, ir::Range range, Points& result) {
  const ir::Scheme& scheme = result.type.scheme();
  const std::vector<int64_t> scale_of = ScaleIndices(scheme, result.type.shape);
  std::vector<BlockRange> ranges(At(ScaleCount(scheme, result.type.shape)));
  for (size_t i = 0; i < x.cells.size(); ++i) {
    ranges[At(scale_of[i])].Note(static_cast<float>(AsFloat(x.cells[i])));
  }
  std::vector<float> unrounded;
  float largest = UnroundedScale(scheme.value, 0);
  for (const BlockRange& block : ranges) {
    unrounded.push_back(UnroundedScale(scheme.value, block.Range(scheme, range)));
    largest = std::max(largest, unrounded.back());
  }
  if (scheme.two_level) result.tensor_scale = TensorScale(scheme.scale, largest);
  result.scales.clear();
  result.zeros.clear();
  for (size_t block = 0; block < unrounded.size(); ++block) {
    result.scales.push_back(StoredScale(scheme, unrounded[block], result.tensor_scale.value_or(1)));
    if (!scheme.asymmetric()) continue;
    const float scale = DecodeScale(scheme.scale, result.scales.back());
    result.zeros.push_back(ZeroPoint(scheme.value, ranges[block].least, scale));
  }
  PutCodes(x, scale_of, result);
}

void QuantizeWith(const Points& x, const Points& scales, const Points* third, Points& result) {
  const ir::Scheme& scheme = result.type.scheme();
  result.scales.clear();
  result.zeros.clear();
  for (const Cell scale : scales.cells) {
    result.scales.push_back(RoundUpGivenScale(scheme.scale, static_cast<float>(AsFloat(scale))));
  }
  if (scheme.two_level) {
    const uint32_t tensor =
        RoundUpGivenScale(ir::ScaleDtype::kF32, static_cast<float>(third->Float(0)));
    result.tensor_scale = DecodeScale(ir::ScaleDtype::kF32, tensor);
  }
  if (scheme.asymmetric()) {
    for (const Cell zero : third->cells) {
      result.zeros.push_back(static_cast<int32_t>(AsInt(zero)));
    }
  }
  PutCodes(x, ScaleIndices(scheme, result.type.shape), result);
}

void Dequantize(const Points& quantized, Points& result) {
  const ir::Scheme& scheme = quantized.type.scheme();
  const std::vector<int64_t> scale_of = ScaleIndices(scheme, quantized.type.shape);
  const std::vector<float> scales = ScaleValues(quantized);
  for (size_t i = 0; i < quantized.cells.size(); ++i) {
    const size_t block = At(scale_of[i]);
    const auto code = static_cast<int32_t>(AsInt(quantized.cells[i]));
    const int32_t zero = quantized.zeros.empty() ? 0 : quantized.zeros[block];
    const float value = DequantizeCode(scheme.value, code, scales[block], zero);
    result.cells[i] = ToCell(Round(result.type.dtype(), value));
  }
}

Points Decoded(const Points& quantized, ir::Dtype to) {
  Points values;
  values.type = {to, quantized.type.shape};
  values.cells.resize(quantized.cells.size());
  Dequantize(quantized, values);
  return values;
}

// Each possible code apart (a handful: the set keeps four pieces), a range of many as their hull.
void Dequantize(const Contract& contract, const Enclosure& quantized, bool wide,
                Enclosure& result) {
  const ir::QValue value = quantized.type().scheme().value;
  const ir::Type& type = result.type();
  const Sets cast(contract, ir::Dtype::kF32, type.dtype(), wide);
  const std::vector<int64_t> scale_of = ScaleIndices(quantized.type().scheme(), type.shape);
  const std::vector<FloatSet> scales = ScaleSets(quantized);
  const std::vector<IntSet> zeros = ZeroSets(quantized);
  for (int64_t i = 0; i < quantized.size(); ++i) {
    const IntSet codes = quantized.IntAt(i);
    const size_t block = At(scale_of[At(i)]);
    const IntSet& zero = zeros[block];
    FloatSet values;
    if (codes.enumerated() && zero.IsPoint()) {
      for (int k = 0; k < codes.count; ++k) {
        const auto code = static_cast<int32_t>(codes.values[At(k)] - zero.Value());
        values.AddValue(DecodeCode(value, code));
      }
    } else if (ir::IsIntegerCode(value)) {
      values.Add(static_cast<double>(codes.lo - zero.hi), static_cast<double>(codes.hi - zero.lo));
    } else {
      for (auto code = static_cast<int32_t>(codes.lo); code <= codes.hi; ++code) {
        values.AddValue(DecodeCode(value, code));
      }
    }
    result.Put(i, cast.CastToFloat(Intermediate(cast, ir::Dtype::kF32, [&](const Sets& sets) {
      return sets.Mul(values, scales[block]);
    })));
  }
}

// The product of code and scale may also reach the op unrounded, where the contract lets products
// or intermediates do so.
Enclosure Decoded(const Contract& contract, const Enclosure& quantized,
                  const std::shared_ptr<const Points>& naive) {
  if (quantized.AllPoints() && !contract.may_flush && !contract.wider_intermediates &&
      !contract.contraction) {
    return Enclosure(naive);
  }
  Enclosure values = Enclosure::ToFill(naive->type);
  Dequantize(contract, quantized, false, values);
  if (contract.wider_intermediates || contract.contraction) {
    Enclosure wide = Enclosure::ToFill(naive->type);
    Dequantize(contract, quantized, true, wide);
    for (int64_t i = 0; i < values.size(); ++i) {
      FloatSet set = values.FloatAt(i);
      set.Unite(wide.FloatAt(i));
      wide.Put(i, set);
    }
    values = std::move(wide);
  }
  values.Finish(naive);
  return values;
}

bool IsPinnedQuantize(const Contract& contract) {
  return contract.division_ulp == 0 && !contract.reciprocal_scale && !contract.may_flush &&
         !contract.wider_intermediates && contract.quantize == QuantizeRounding::kHalfEven;
}

}  // namespace faultline::reference
