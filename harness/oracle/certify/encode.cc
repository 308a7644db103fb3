// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/oracle/certify/encode.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

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

// How codes are made: scales and zero points by block, and the scale of the tensor.
struct Parameters {
  std::vector<uint32_t> scales;
  std::vector<int64_t> zeros;
  std::optional<uint32_t> level;  // bits of an f32
};

// What codes are divided by.
double EffectiveScale(const ir::Scheme& scheme, const Parameters& parameters, size_t block) {
  const double scale = ScaleOf(scheme.scale, parameters.scales[block]);
  if (!parameters.level.has_value()) return scale;
  return F32(Real(scale) * ScaleOf(ir::ScaleDtype::kF32, *parameters.level));
}

size_t Block(const ir::Type& type, const int64_t* index) {
  return static_cast<size_t>(BlockOf(type.scheme(), type.shape, index));
}

Parameters Computed(const ir::Type& type, size_t blocks, std::span<const Element> elements) {
  const ir::Scheme& scheme = type.scheme();
  std::vector<Range> ranges(blocks);
  ForEach(type.shape, [&](size_t i, const int64_t* index) {
    const double element = elements[i].real;
    if (!std::isfinite(element)) return;
    Range& range = ranges[Block(type, index)];
    range.least = std::min(range.least, element);
    range.greatest = std::max(range.greatest, element);
  });
  std::vector<double> unrounded;
  for (const Range& range : ranges) unrounded.push_back(UnroundedScale(scheme, range));
  Parameters parameters;
  double level = 1;
  if (scheme.two_level) {
    const double top = ScaleOf(scheme.scale, GreatestScale(scheme.scale));
    double greatest = 0;  // of no block
    for (const double scale : unrounded) greatest = std::max(greatest, scale);
    level = std::max(F32(Real(greatest) / top), 0x1p-100);
    parameters.level = ScaleBits(ir::ScaleDtype::kF32, level);
  }
  for (size_t k = 0; k < blocks; ++k) {
    parameters.scales.push_back(ScaleBits(scheme.scale, F32(Real(unrounded[k]) / level)));
    if (!scheme.asymmetric()) continue;
    const double least = F32(Real(ranges[k].least) / EffectiveScale(scheme, parameters, k));
    parameters.zeros.push_back(
        IntCode(scheme.value, F32(Real(ir::CodeMin(scheme.value)) - least), 0));
  }
  return parameters;
}

// A scale that a program gives, rounded up: of those that are not above 0 an f32 stays as it is, a
// 16-bit one is cut off, and the unsigned formats have nothing below their least.
uint32_t GivenScale(ir::ScaleDtype dtype, double scale) {
  if (scale > 0) return ScaleBits(dtype, scale);
  const bool nan = std::isnan(scale);
  // Magnitudes grow with their bits, as scales do: the last one that is no greater.
  const auto below = [&](uint32_t sign) {
    if (scale == 0) return std::signbit(scale) ? sign : 0;
    const uint32_t up = ScaleBits(dtype, -scale);
    return sign | (ScaleOf(dtype, up) > -scale ? up - 1 : up);
  };
  switch (dtype) {
    case ir::ScaleDtype::kF32:
      return nan ? 0x7fc00000 : below(0x80000000);
    case ir::ScaleDtype::kF16:
      return nan ? 0x7e00 : below(0x8000);
    case ir::ScaleDtype::kBf16:
      return nan ? 0x7fc0 : below(0x8000);
    case ir::ScaleDtype::kUe8m0:
      return nan ? 0xff : 0;
    case ir::ScaleDtype::kUe4m3:
      return nan ? 0x7f : 0;
  }
  return 0;
}

Parameters Given(const ir::Scheme& scheme, std::span<const std::vector<Element>> operands) {
  Parameters parameters;
  for (const Element& scale : operands[1]) {
    parameters.scales.push_back(GivenScale(scheme.scale, scale.real));
  }
  if (scheme.two_level) {
    parameters.level = GivenScale(ir::ScaleDtype::kF32, operands[2][0].real);
  }
  if (scheme.asymmetric()) {
    for (const Element& zero : operands[2]) parameters.zeros.push_back(zero.integer);
  }
  return parameters;
}

}  // namespace

ir::HostTensor EncodeTensor(const ir::Type& type, std::span<const std::vector<Element>> operands) {
  const ir::Scheme& scheme = type.scheme();
  const ir::QuantizedLayout layout = ir::LayoutOf(scheme, type.shape);
  const auto blocks = static_cast<size_t>(layout.scale_count);
  const Parameters parameters =
      operands.size() > 1 ? Given(scheme, operands) : Computed(type, blocks, operands[0]);
  ir::HostTensor tensor;
  tensor.type = type;
  tensor.bytes.assign(static_cast<size_t>(layout.total_bytes), std::byte{0});
  if (parameters.level.has_value()) Put(tensor, layout.tensor_scale_offset, 4, *parameters.level);
  std::vector<double> scales;
  for (size_t k = 0; k < blocks; ++k) {
    const auto at = static_cast<int64_t>(k);
    const int bytes = ir::ScaleBytes(scheme.scale);
    Put(tensor, layout.scale_offset + at * bytes, bytes, parameters.scales[k]);
    scales.push_back(EffectiveScale(scheme, parameters, k));
    if (!scheme.asymmetric()) continue;
    Put(tensor, layout.zero_offset + at, 1, static_cast<uint32_t>(parameters.zeros[k]) & 0xff);
  }
  const uint32_t mask = (1U << ir::CodeBits(scheme.value)) - 1;
  ForEach(type.shape, [&](size_t i, const int64_t* index) {
    const size_t block = Block(type, index);
    const double quotient = F32(Real(operands[0][i].real) / scales[block]);
    const int64_t zero = scheme.asymmetric() ? parameters.zeros[block] : 0;
    const int64_t code = ir::IsIntegerCode(scheme.value) ? IntCode(scheme.value, quotient, zero)
                                                         : FloatCode(scheme.value, quotient);
    const auto [byte, shift] = ir::PlaceOfCode(scheme, type.shape, index);
    const uint32_t field = (static_cast<uint32_t>(code) & mask) << shift;
    Put(tensor, byte, shift + ir::CodeBits(scheme.value) > 8 ? 4 : 1, field);
  });
  return tensor;
}

}  // namespace faultline::harness
