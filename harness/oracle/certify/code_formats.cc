// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/oracle/certify/code_formats.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace faultline::harness {
namespace {

using ir::QValue;
using ir::ScaleDtype;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// What the greatest exponent of a format is for.
enum class Top : uint8_t { kSpecial, kNanOnly, kNumbers };

// Sign (if there is one), exponent and mantissa; subnormals as in IEEE 754.
double FloatOf(uint32_t bits, int exponent_bits, int mantissa_bits, Top top) {
  const uint32_t mantissa = bits & ((1U << mantissa_bits) - 1);
  const uint32_t greatest = (1U << exponent_bits) - 1;
  const uint32_t exponent = bits >> mantissa_bits & greatest;
  const double sign = (bits >> (exponent_bits + mantissa_bits) & 1) != 0 ? -1.0 : 1.0;
  if (exponent == greatest && top == Top::kSpecial) return mantissa == 0 ? sign * kInfinity : kNan;
  if (exponent == greatest && top == Top::kNanOnly && mantissa == (1U << mantissa_bits) - 1) {
    return kNan;
  }
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const uint32_t hidden = exponent > 0 ? 1U << mantissa_bits : 0;
  const int unit = std::max(static_cast<int>(exponent), 1) - bias - mantissa_bits;
  return sign * std::ldexp(static_cast<double>(hidden | mantissa), unit);
}

}  // namespace

double CodeOf(QValue value, uint32_t field) {
  switch (value) {
    case QValue::kE4m3:
      return FloatOf(field, 4, 3, Top::kNanOnly);
    case QValue::kE5m2:
      return FloatOf(field, 5, 2, Top::kSpecial);
    case QValue::kE2m1:
      return FloatOf(field, 2, 1, Top::kNumbers);
    case QValue::kU8:
      return field;
    default: {
      // Two's complement in as many bits.
      const int bits = ir::CodeBits(value);
      const bool negative = (field >> (bits - 1) & 1) != 0;
      return static_cast<double>(field) - (negative ? std::ldexp(1.0, bits) : 0);
    }
  }
}

double ScaleOf(ScaleDtype dtype, uint32_t bits) {
  switch (dtype) {
    case ScaleDtype::kF32:
      return FloatOf(bits, 8, 23, Top::kSpecial);
    case ScaleDtype::kF16:
      return FloatOf(bits, 5, 10, Top::kSpecial);
    case ScaleDtype::kBf16:
      return FloatOf(bits, 8, 7, Top::kSpecial);
    case ScaleDtype::kUe4m3:
      return FloatOf(bits & 0x7f, 4, 3, Top::kNanOnly);
    case ScaleDtype::kUe8m0:
      return bits == 0xff ? kNan : std::ldexp(1.0, static_cast<int>(bits) - 127);
  }
  return kNan;
}

uint32_t GreatestScale(ScaleDtype dtype) {
  switch (dtype) {
    case ScaleDtype::kF32:
      return 0x7f7fffff;
    case ScaleDtype::kF16:
      return 0x7bff;
    case ScaleDtype::kBf16:
      return 0x7f7f;
    case ScaleDtype::kUe4m3:
      return 0x7e;
    case ScaleDtype::kUe8m0:
      return 0xfe;
  }
  return 0;
}

int64_t BlockOf(const ir::Scheme& scheme, const ir::Shape& shape, const int64_t* index) {
  if (scheme.per_tensor()) return 0;
  const auto extents = ir::BlockExtents(scheme, shape);
  int64_t block = 0;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const int64_t extent = extents[static_cast<size_t>(axis)];
    block = block * ((shape[axis] + extent - 1) / extent) + index[axis] / extent;
  }
  return block;
}

}  // namespace faultline::harness
