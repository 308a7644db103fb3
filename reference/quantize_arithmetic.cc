// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "reference/quantize_arithmetic.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "ir/base/check.h"

namespace faultline::reference {
namespace {

// A small binary format: values m * 2^(e - fraction_bits) with e >= exponent_min, as IEEE 754 has
// them, up to `largest`. All values of all of them are exact in f32.
struct SmallFormat {
  int fraction_bits;
  int exponent_min;
  float largest;
};

constexpr SmallFormat kE4m3{3, -6, 448};
constexpr SmallFormat kE5m2{2, -14, 57344};
constexpr SmallFormat kE2m1{1, 0, 6};
constexpr SmallFormat kF16{10, -14, 65504};
constexpr SmallFormat kBf16{7, -126, 0x1.fep127f};

const SmallFormat& FormatOf(ir::QValue value) {
  if (value == ir::QValue::kE4m3) return kE4m3;
  if (value == ir::QValue::kE5m2) return kE5m2;
  FAULTLINE_CHECK(value == ir::QValue::kE2m1, "integer codes have no float format");
  return kE2m1;
}

// Distance between neighbours at magnitude > 0.
double QuantumAt(const SmallFormat& format, double magnitude) {
  const int exponent = std::max(std::ilogb(magnitude), format.exponent_min);
  return std::ldexp(1.0, exponent - format.fraction_bits);
}

// Bits (without sign) of a magnitude that the format has.
uint32_t EncodeSmall(const SmallFormat& format, double magnitude) {
  if (magnitude == 0) return 0;
  const int exponent = std::max(std::ilogb(magnitude), format.exponent_min);
  const auto significand =
      static_cast<uint32_t>(std::ldexp(magnitude, format.fraction_bits - exponent));
  // A normal significand carries its leading bit into the exponent field, hence no + 1.
  const auto field = static_cast<uint32_t>(exponent - format.exponent_min);
  return (field << format.fraction_bits) + significand;
}

float DecodeSmall(const SmallFormat& format, uint32_t bits) {
  const auto field = static_cast<int>(bits >> format.fraction_bits);
  const uint32_t fraction = bits & ((1u << format.fraction_bits) - 1);
  const uint32_t significand = field == 0 ? fraction : fraction | (1u << format.fraction_bits);
  const int exponent = std::max(field - 1, 0) + format.exponent_min;
  return std::ldexp(static_cast<float>(significand), exponent - format.fraction_bits);
}

uint32_t RoundUpSmall(const SmallFormat& format, double scale) {
  if (scale >= double{format.largest}) return EncodeSmall(format, format.largest);
  const double smallest = std::ldexp(1.0, format.exponent_min - format.fraction_bits);
  const double positive = std::max(scale, smallest);
  const double quantum = QuantumAt(format, positive);
  return EncodeSmall(format, std::ceil(positive / quantum) * quantum);
}

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

}  // namespace

float DecodeScale(ir::ScaleDtype dtype, uint32_t bits) {
  switch (dtype) {
    case ir::ScaleDtype::kF32:
      return std::bit_cast<float>(bits);
    case ir::ScaleDtype::kF16: {
      const float magnitude = (bits & 0x7fff) < 0x7c00    ? DecodeSmall(kF16, bits & 0x7fff)
                              : (bits & 0x7fff) == 0x7c00 ? HUGE_VALF
                                                          : kNan;
      return (bits & 0x8000) != 0 ? -magnitude : magnitude;
    }
    case ir::ScaleDtype::kBf16:
      return std::bit_cast<float>(bits << 16);
    case ir::ScaleDtype::kUe8m0:
      return bits == 0xff ? kNan : std::ldexp(1.0f, static_cast<int>(bits) - 127);
    case ir::ScaleDtype::kUe4m3:
      return (bits & 0x7f) == 0x7f ? kNan : DecodeSmall(kE4m3, bits & 0x7f);
  }
  return kNan;
}

uint32_t RoundUpToScale(ir::ScaleDtype dtype, float scale) {
  switch (dtype) {
    case ir::ScaleDtype::kF32: {
      constexpr float kSmallest = std::numeric_limits<float>::denorm_min();
      constexpr float kLargest = std::numeric_limits<float>::max();
      return std::bit_cast<uint32_t>(std::clamp(scale, kSmallest, kLargest));
    }
    case ir::ScaleDtype::kF16:
      return RoundUpSmall(kF16, scale);
    case ir::ScaleDtype::kBf16:
      return RoundUpSmall(kBf16, scale);
    case ir::ScaleDtype::kUe8m0: {
      if (scale <= 0x1p-127f) return 0;
      const int exponent = std::min(std::ilogb(scale), 127);
      const bool between = exponent < 127 && std::ldexp(1.0f, exponent) < scale;
      return static_cast<uint32_t>(exponent + (between ? 1 : 0) + 127);
    }
    case ir::ScaleDtype::kUe4m3:
      return RoundUpSmall(kE4m3, scale);
  }
  return 0;
}

float LargestScale(ir::ScaleDtype dtype) {
  return DecodeScale(dtype, RoundUpToScale(dtype, std::numeric_limits<float>::max()));
}

uint32_t RoundUpGivenScale(ir::ScaleDtype dtype, float scale) {
  if (scale > 0) return RoundUpToScale(dtype, scale);
  switch (dtype) {
    case ir::ScaleDtype::kF32:
      if (std::isnan(scale)) return 0x7fc00000;
      return std::bit_cast<uint32_t>(std::max(scale, std::numeric_limits<float>::lowest()));
    case ir::ScaleDtype::kF16:
    case ir::ScaleDtype::kBf16: {
      // Up is toward zero.
      const bool half = dtype == ir::ScaleDtype::kF16;
      if (std::isnan(scale)) return half ? 0x7e00 : 0x7fc0;
      const SmallFormat& format = half ? kF16 : kBf16;
      const double magnitude = std::min(std::fabs(double{scale}), double{format.largest});
      if (magnitude == 0) return std::signbit(scale) ? 0x8000 : 0;
      const double quantum = QuantumAt(format, magnitude);
      return 0x8000 | EncodeSmall(format, std::floor(magnitude / quantum) * quantum);
    }
    case ir::ScaleDtype::kUe8m0:
      return std::isnan(scale) ? 0xff : 0;
    case ir::ScaleDtype::kUe4m3:
      return std::isnan(scale) ? 0x7f : 0;
  }
  return 0;
}

float UnroundedScale(ir::QValue value, float range) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  return std::clamp(range / static_cast<float>(ir::ScaleDivisor(value)), 0x1p-126f, kLargest);
}

int32_t ZeroPoint(ir::QValue value, float least, float scale) {
  const float low = static_cast<float>(ir::CodeMin(value));
  const float high = static_cast<float>(ir::CodeMax(value));
  return static_cast<int32_t>(std::clamp(std::nearbyint(low - least / scale), low, high));
}

float TensorScale(ir::ScaleDtype dtype, float largest) {
  return std::max(largest / LargestScale(dtype), 0x1p-100f);
}

uint32_t StoredScale(const ir::Scheme& scheme, float unrounded, float tensor_scale) {
  return RoundUpToScale(scheme.scale, scheme.two_level ? unrounded / tensor_scale : unrounded);
}

float EffectiveScale(const ir::Scheme& scheme, uint32_t stored, float tensor_scale) {
  const float block = DecodeScale(scheme.scale, stored);
  return scheme.two_level ? block * tensor_scale : block;
}

int32_t CodeOfQuotient(ir::QValue value, double quotient, int32_t zero, bool half_away) {
  const auto nearest = [half_away](double x) {
    return half_away ? std::round(x) : std::nearbyint(x);
  };
  if (ir::IsIntegerCode(value)) {
    if (std::isnan(quotient)) return zero;
    const double low = ir::CodeMin(value);
    const double high = ir::CodeMax(value);
    return static_cast<int32_t>(std::clamp(nearest(quotient) + zero, low, high));
  }
  if (std::isnan(quotient)) return value == ir::QValue::kE2m1 ? 0 : 0x7f;
  const SmallFormat& format = FormatOf(value);
  double magnitude = std::min(std::fabs(quotient), double{format.largest});
  if (magnitude != 0) {
    // Half to even of the significand is the tie to the even mantissa.
    const double quantum = QuantumAt(format, magnitude);
    magnitude = nearest(magnitude / quantum) * quantum;
  }
  const auto sign = std::signbit(quotient) ? 1u << (ir::CodeBits(value) - 1) : 0u;
  return static_cast<int32_t>(sign | EncodeSmall(format, magnitude));
}

int32_t CodeOf(ir::QValue value, float x, float scale, int32_t zero) {
  return CodeOfQuotient(value, x / scale, zero);
}

float DecodeCode(ir::QValue value, int32_t code) {
  if (ir::IsIntegerCode(value)) return static_cast<float>(code);
  const auto sign_bit = 1u << (ir::CodeBits(value) - 1);
  const auto bits = static_cast<uint32_t>(code);
  const uint32_t rest = bits & (sign_bit - 1);
  float magnitude = DecodeSmall(FormatOf(value), rest);
  if (value == ir::QValue::kE4m3 && rest == 0x7f) magnitude = kNan;
  if (value == ir::QValue::kE5m2 && rest == 0x7c) magnitude = HUGE_VALF;
  if (value == ir::QValue::kE5m2 && rest > 0x7c) magnitude = kNan;
  return (bits & sign_bit) != 0 ? -magnitude : magnitude;
}

float DequantizeCode(ir::QValue value, int32_t code, float scale, int32_t zero) {
  return DecodeCode(value, code - zero) * scale;
}

// Magnitude bits of a float code grow with the magnitude, NaN beyond infinity.
int32_t RankOfCode(ir::QValue value, int32_t code) {
  if (ir::IsIntegerCode(value)) return code;
  const int32_t sign_bit = 1 << (ir::CodeBits(value) - 1);
  return (code & sign_bit) != 0 ? -1 - (code & (sign_bit - 1)) : code;
}

int32_t CodeOfRank(ir::QValue value, int32_t rank) {
  if (ir::IsIntegerCode(value) || rank >= 0) return rank;
  return (-1 - rank) | (1 << (ir::CodeBits(value) - 1));
}

std::vector<int64_t> ScaleIndices(const ir::Scheme& scheme, const ir::Shape& shape) {
  std::vector<int64_t> indices(static_cast<size_t>(shape.NumElements()), 0);
  if (scheme.per_tensor()) return indices;
  if (indices.empty()) return indices;
  const std::array<int64_t, ir::kRankMax> block = ir::BlockExtents(scheme, shape);
  const auto blocks = [&](int axis) {
    const int64_t extent = block[static_cast<size_t>(axis)];
    return (shape[axis] + extent - 1) / extent;
  };
  // Row by row along the last axis: the blocks of the outer axes from the row's number, then those
  // along the row.
  const int last = shape.rank() - 1;
  const auto length = static_cast<size_t>(shape[last]);
  const auto width = static_cast<size_t>(block[static_cast<size_t>(last)]);
  for (size_t row = 0; row * length < indices.size(); ++row) {
    auto rest = static_cast<int64_t>(row);
    int64_t first = 0;
    int64_t blocks_inside = blocks(last);
    for (int axis = last - 1; axis >= 0; --axis) {
      first += rest % shape[axis] / block[static_cast<size_t>(axis)] * blocks_inside;
      blocks_inside *= blocks(axis);
      rest /= shape[axis];
    }
    for (size_t i = 0; i < length; ++i) {
      indices[row * length + i] = first + static_cast<int64_t>(i / width);
    }
  }
  return indices;
}

int64_t ScaleCount(const ir::Scheme& scheme, const ir::Shape& shape) {
  if (scheme.per_tensor()) return 1;
  const std::array<int64_t, ir::kRankMax> block = ir::BlockExtents(scheme, shape);
  int64_t count = 1;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const int64_t extent = block[static_cast<size_t>(axis)];
    count *= (shape[axis] + extent - 1) / extent;
  }
  return count;
}

}  // namespace faultline::reference
