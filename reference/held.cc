// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "reference/held.h"

#include <algorithm>

#include "ir/base/check.h"

namespace faultline::reference {
namespace {

constexpr uint64_t kF64Quiet = uint64_t{1} << 51;
constexpr uint64_t kF64Exponent = uint64_t{0x7ff} << 52;
constexpr uint64_t kSign = uint64_t{1} << 63;

constexpr double Pow2(int exponent) {
  double value = 1;
  for (int i = 0; i < exponent; ++i) value *= 2;
  for (int i = 0; i > exponent; --i) value /= 2;
  return value;
}

constexpr FloatFormat MakeFormat(int precision, int exponent_min, int exponent_max) {
  return {.precision = precision,
          .exponent_min = exponent_min,
          .max = Pow2(exponent_max) * (2 - Pow2(1 - precision)),
          .threshold = Pow2(exponent_max) * (2 - Pow2(-precision)),
          .min_normal = Pow2(exponent_min),
          .min_subnormal = Pow2(exponent_min - precision + 1),
          .unit = Pow2(-precision)};
}

constexpr FloatFormat MakeF64() {
  FloatFormat format = MakeFormat(53, -1022, 1023);
  // The f64 computation itself has rounded: what is at or beyond the threshold is infinite already.
  format.threshold = std::numeric_limits<double>::infinity();
  return format;
}

constexpr FloatFormat kFormats[] = {MakeF64(), MakeFormat(24, -126, 127), MakeFormat(11, -14, 15),
                                    MakeFormat(8, -126, 127)};

// Of a positive normal f64.
int ExponentOf(double value) {
  return static_cast<int>(std::bit_cast<uint64_t>(value) >> 52) - 1023;
}

// 2^exponent, -1074 <= exponent <= 1023.
double PowerOfTwo(int exponent) {
  if (exponent < -1022) return std::bit_cast<double>(uint64_t{1} << (exponent + 1074));
  return std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52);
}

// Bits of the storage form of a float dtype: width and fraction.
struct Layout {
  int width;
  int fraction;
};
constexpr Layout kLayouts[] = {{64, 52}, {32, 23}, {16, 10}, {16, 7}};

Cell HoldFloat(ir::Dtype dtype, uint64_t bits) {
  const Layout layout = kLayouts[static_cast<size_t>(dtype)];
  if (layout.width == 64) return bits;
  const uint64_t sign = (bits >> (layout.width - 1)) & 1;
  const uint64_t fraction = bits & ((uint64_t{1} << layout.fraction) - 1);
  const int exponent_bits = layout.width - 1 - layout.fraction;
  const uint64_t exponent = (bits >> layout.fraction) & ((uint64_t{1} << exponent_bits) - 1);
  if (exponent == (uint64_t{1} << exponent_bits) - 1) {
    return (sign << 63) | kF64Exponent | (fraction << (52 - layout.fraction));
  }
  if (exponent == 0) {
    const double magnitude = static_cast<double>(fraction) * FormatOf(dtype).min_subnormal;
    return (sign << 63) | ToCell(magnitude);
  }
  const auto rebias = static_cast<uint64_t>(1022 + FormatOf(dtype).exponent_min);
  return (sign << 63) | ((exponent + rebias) << 52) | (fraction << (52 - layout.fraction));
}

uint64_t StoreFloat(ir::Dtype dtype, Cell cell) {
  const Layout layout = kLayouts[static_cast<size_t>(dtype)];
  if (cell == kFreeNan) cell = kF64Exponent | kF64Quiet;
  if (layout.width == 64) return cell;
  const uint64_t sign = (cell >> 63) << (layout.width - 1);
  const int exponent_bits = layout.width - 1 - layout.fraction;
  const uint64_t top = ((uint64_t{1} << exponent_bits) - 1) << layout.fraction;
  const double value = AsFloat(cell & ~kSign);
  if (std::isnan(value)) {
    return sign | top | ((cell >> (52 - layout.fraction)) & ((uint64_t{1} << layout.fraction) - 1));
  }
  if (std::isinf(value)) return sign | top;
  const FloatFormat& format = FormatOf(dtype);
  FAULTLINE_CHECK(value <= format.max, "a held float is not a value of its dtype");
  if (value < format.min_normal) return sign | static_cast<uint64_t>(value / format.min_subnormal);
  const int exponent = ExponentOf(value);
  const uint64_t biased = static_cast<uint64_t>(exponent - format.exponent_min + 1);
  const uint64_t fraction =
      (cell >> (52 - layout.fraction)) & ((uint64_t{1} << layout.fraction) - 1);
  return sign | (biased << layout.fraction) | fraction;
}

}  // namespace

const FloatFormat& FormatOf(ir::Dtype float_dtype) {
  return kFormats[static_cast<size_t>(float_dtype)];
}

double RoundToSmall(const FloatFormat& format, double value) {
  const double magnitude = std::fabs(value);
  if (magnitude >= format.threshold) {
    return std::copysign(std::numeric_limits<double>::infinity(), value);
  }
  // Adding and taking away 1.5*2^52 quanta rounds to a multiple of the quantum, half to even.
  const int exponent = magnitude < format.min_normal ? format.exponent_min : ExponentOf(magnitude);
  const double shift = 1.5 * PowerOfTwo(exponent - format.precision + 1 + 52);
  return std::copysign((magnitude + shift) - shift, value);
}

double UlpOf(ir::Dtype float_dtype, double value) {
  const FloatFormat& format = FormatOf(float_dtype);
  const double magnitude = std::fabs(value);
  if (!(magnitude >= format.min_normal)) return format.min_subnormal;
  return PowerOfTwo(ExponentOf(std::min(magnitude, format.max)) - format.precision + 1);
}

double NextUp(ir::Dtype float_dtype, double value) {
  const FloatFormat& format = FormatOf(float_dtype);
  if (float_dtype == ir::Dtype::kF64) {
    if (value == 0) return format.min_subnormal;
    return std::nextafter(value, std::numeric_limits<double>::infinity());
  }
  if (value == std::numeric_limits<double>::infinity()) return value;
  if (value == -std::numeric_limits<double>::infinity()) return -format.max;
  if (value == format.max) return std::numeric_limits<double>::infinity();
  double ulp = UlpOf(float_dtype, value);
  // From a negative power of two the way up leads into the lower binade.
  const bool power_of_two = (ToCell(value) & ((uint64_t{1} << 52) - 1)) == 0;
  if (value < -format.min_normal && power_of_two) ulp /= 2;
  const double next = value + ulp;
  return next == 0 ? -0.0 : next;
}

double NextDown(ir::Dtype float_dtype, double value) { return -NextUp(float_dtype, -value); }

double RoundDown(ir::Dtype float_dtype, double value) {
  const FloatFormat& format = FormatOf(float_dtype);
  if (value >= format.max) return format.max;
  if (value <= -format.max) return -format.max;
  const double rounded = Round(float_dtype, value);
  return rounded <= value ? rounded : NextDown(float_dtype, rounded);
}

double RoundUp(ir::Dtype float_dtype, double value) { return -RoundDown(float_dtype, -value); }

Cell Hold(ir::Dtype dtype, uint64_t storage_bits) {
  if (ir::IsFloat(dtype)) {
    if (dtype == ir::Dtype::kF32) {
      const float value = std::bit_cast<float>(static_cast<uint32_t>(storage_bits));
      if (!std::isnan(value)) return ToCell(static_cast<double>(value));
    }
    return HoldFloat(dtype, storage_bits);
  }
  if (dtype == ir::Dtype::kBool) return storage_bits != 0 ? 1 : 0;
  return ToCell(Wrap(dtype, storage_bits));
}

uint64_t Store(ir::Dtype dtype, Cell cell) {
  if (ir::IsFloat(dtype)) {
    if (dtype == ir::Dtype::kF32) {
      const double value = AsFloat(cell);
      if (!std::isnan(value)) return std::bit_cast<uint32_t>(static_cast<float>(value));
    }
    return StoreFloat(dtype, cell);
  }
  return ir::BitWidth(dtype) == 64 ? cell : cell & ((uint64_t{1} << ir::BitWidth(dtype)) - 1);
}

}  // namespace faultline::reference
