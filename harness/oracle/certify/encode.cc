// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/oracle/certify/encode.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "harness/oracle/certify/code_formats.h"
#include "harness/oracle/certify/real.h"

namespace faultline::harness {
namespace {

double F32(const Real& exact) { return RoundTo(ir::Dtype::kF32, exact); }

// What is finite of a block, with zero.
struct Range {
  double least = 0;
  double greatest = 0;
};

double UnroundedScale(const ir::Scheme& scheme, const Range& range) {
  const double width = scheme.asymmetric() ? F32(Real(range.greatest) - range.least)
                                           : std::max(range.greatest, -range.least);
  const double scale = F32(Real(width) / ir::ScaleDivisor(scheme.value));
  return std::clamp(scale, 0x1p-126, 0x1.fffffep127);
}

// The least scale that is as great, else the greatest one. Zero would be as great as none.
uint32_t ScaleBits(ir::ScaleDtype dtype, double scale) {
  uint32_t low = ScaleOf(dtype, 0) > 0 ? 0 : 1;
  uint32_t high = GreatestScale(dtype);
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (ScaleOf(dtype, middle) >= scale) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

int64_t IntCode(ir::QValue value, double quotient, int64_t zero) {
  if (std::isnan(quotient)) return zero;
  const double code = std::nearbyint(quotient) + static_cast<double>(zero);
  return static_cast<int64_t>(
      std::clamp(code, double(ir::CodeMin(value)), double(ir::CodeMax(value))));
}

// The nearest code, of two as near the even one; magnitudes grow with their bits.
int64_t FloatCode(ir::QValue value, double quotient) {
  const bool e2m1 = value == ir::QValue::kE2m1;
  if (std::isnan(quotient)) return e2m1 ? 0 : 0x7f;
  const uint32_t greatest = e2m1 ? 7 : value == ir::QValue::kE5m2 ? 0x7b : 0x7e;
  const uint32_t sign = std::signbit(quotient) ? (e2m1 ? 8 : 0x80) : 0;
  const double magnitude = std::min(std::fabs(quotient), CodeOf(value, greatest));
  uint32_t code = 0;
  while (code < greatest && CodeOf(value, code + 1) <= magnitude) ++code;
  if (code < greatest) {
    const double below = magnitude - CodeOf(value, code);
    const double above = CodeOf(value, code + 1) - magnitude;
    if (above < below || (above == below && code % 2 == 1)) ++code;
  }
  return sign | code;
}

// Little-endian; other bits stay.
void Put(ir::HostTensor& tensor, int64_t offset, int bytes, uint32_t bits) {
  for (int i = 0; i < bytes; ++i) {
    tensor.bytes[static_cast<size_t>(offset + i)] |= static_cast<std::byte>(bits >> (8 * i));
  }
}

template <typename Visit>
void ForEach(const ir::Shape& shape, const Visit& visit) {
  if (shape.NumElements() == 0) return;
  int64_t index[ir::kRankMax] = {};
  size_t i = 0;
  do {
    visit(i++, index);
  } while (ir::NextIndex(shape, index));
}

}  // namespace

ir::HostTensor EncodeTensor(const ir::Type& quantized, std::span<const double> elements) {
  const ir::Shape& shape = quantized.shape;
  const ir::Scheme& scheme = quantized.scheme();
  const ir::QuantizedLayout layout = ir::LayoutOf(scheme, shape);
  ir::HostTensor tensor;
  tensor.type = quantized;
  tensor.bytes.assign(static_cast<size_t>(layout.total_bytes), std::byte{0});

  std::vector<Range> ranges(static_cast<size_t>(layout.scale_count));
  const auto block_of = [&](const int64_t* index) {
    return static_cast<size_t>(BlockOf(scheme, shape, index));
  };
  ForEach(shape, [&](size_t i, const int64_t* index) {
    if (!std::isfinite(elements[i])) return;
    Range& range = ranges[block_of(index)];
    range.least = std::min(range.least, elements[i]);
    range.greatest = std::max(range.greatest, elements[i]);
  });

  std::vector<double> scales;
  for (const Range& range : ranges) scales.push_back(UnroundedScale(scheme, range));
  double level = 1;
  if (scheme.two_level) {
    const double top = ScaleOf(scheme.scale, GreatestScale(scheme.scale));
    level = 0;
    for (const double scale : scales) level = std::max(level, scale);
    level = std::max(F32(Real(level) / top), 0x1p-100);
    // The bits of an f32.
    Put(tensor, layout.tensor_scale_offset, 4, ScaleBits(ir::ScaleDtype::kF32, level));
  }
  std::vector<int64_t> zeros(scales.size(), 0);
  for (size_t k = 0; k < scales.size(); ++k) {
    const auto at = static_cast<int64_t>(k);
    const int bytes = ir::ScaleBytes(scheme.scale);
    const uint32_t bits = ScaleBits(scheme.scale, F32(Real(scales[k]) / level));
    Put(tensor, layout.scale_offset + at * bytes, bytes, bits);
    scales[k] = F32(Real(ScaleOf(scheme.scale, bits)) * level);
    if (!scheme.asymmetric()) continue;
    const double least = F32(Real(ranges[k].least) / scales[k]);
    zeros[k] = IntCode(scheme.value, F32(Real(ir::CodeMin(scheme.value)) - least), 0);
    Put(tensor, layout.zero_offset + at, 1, static_cast<uint32_t>(zeros[k]) & 0xff);
  }

  const uint32_t mask = (1U << ir::CodeBits(scheme.value)) - 1;
  ForEach(shape, [&](size_t i, const int64_t* index) {
    const size_t block = block_of(index);
    const double quotient = F32(Real(elements[i]) / scales[block]);
    const int64_t code = ir::IsIntegerCode(scheme.value)
                             ? IntCode(scheme.value, quotient, zeros[block])
                             : FloatCode(scheme.value, quotient);
    const auto [byte, shift] = ir::PlaceOfCode(scheme, shape, index);
    const uint32_t field = (static_cast<uint32_t>(code) & mask) << shift;
    Put(tensor, byte, shift + ir::CodeBits(scheme.value) > 8 ? 4 : 1, field);
  });
  return tensor;
}

}  // namespace faultline::harness
