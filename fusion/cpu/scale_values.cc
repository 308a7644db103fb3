// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/cpu/scale_values.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "fusion/fault.h"

namespace faultline::fusion::cpu {
namespace {

// A format whose exponent and fraction fields are the upper part of f32's, rebiased.
struct Format {
  int dropped;      // bits of f32's fraction that it lacks
  uint32_t rebias;  // difference of the biases
  float smallest_normal;
  float subnormals_a_one;  // how many smallest subnormals make 1
  float greatest;
  uint32_t greatest_bits;
};

constexpr Format kF16{13, 112, 0x1p-14f, 0x1p24f, 65504, 0x7bff};
constexpr Format kUe4m3{20, 120, 0x1p-6f, 0x1p9f, 448, 0x7e};

uint32_t Rebiased(const Format& format, uint32_t bits) {
  return (bits >> format.dropped) - (format.rebias << (23 - format.dropped));
}

uint32_t RoundedUp(const Format& format, float scale) {
  if (scale >= format.greatest) return format.greatest_bits;
  if (scale < format.smallest_normal) {
    return std::max(1u, static_cast<uint32_t>(std::ceil(scale * format.subnormals_a_one)));
  }
  const auto bits = std::bit_cast<uint32_t>(scale);
  if (FAULT(scale_rounded_to_nearest)) {
    return Rebiased(format, bits + (1u << (format.dropped - 1)));
  }
  return Rebiased(format, bits + ((1u << format.dropped) - 1));
}

// Toward zero, which is up for what is below it.
uint32_t MagnitudeCut(const Format& format, float magnitude) {
  if (magnitude >= format.greatest) return format.greatest_bits;
  if (magnitude < format.smallest_normal) {
    return static_cast<uint32_t>(magnitude * format.subnormals_a_one);
  }
  return Rebiased(format, std::bit_cast<uint32_t>(magnitude));
}

float Widened(const Format& format, uint32_t magnitude) {
  const float scaled = std::bit_cast<float>(magnitude << format.dropped);
  return scaled * std::bit_cast<float>((format.rebias + 127) << 23);
}

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kGreatest = std::numeric_limits<float>::max();

}  // namespace

float ScaleOfBits(ir::ScaleDtype dtype, uint32_t bits) {
  switch (dtype) {
    case ir::ScaleDtype::kF32:
      return std::bit_cast<float>(bits);
    case ir::ScaleDtype::kF16: {
      const uint32_t magnitude = bits & 0x7fff;
      const float x = magnitude > 0x7c00    ? kNan
                      : magnitude == 0x7c00 ? std::numeric_limits<float>::infinity()
                                            : Widened(kF16, magnitude);
      return (bits & 0x8000) != 0 ? -x : x;
    }
    case ir::ScaleDtype::kBf16:
      return std::bit_cast<float>(bits << 16);
    case ir::ScaleDtype::kUe8m0:
      if (bits == 0xff) return kNan;
      return bits == 0 ? 0x1p-127f : std::bit_cast<float>(bits << 23);
    case ir::ScaleDtype::kUe4m3:
      return (bits & 0x7f) == 0x7f ? kNan : Widened(kUe4m3, bits & 0x7f);
  }
  return kNan;
}

uint32_t ScaleBitsAtLeast(ir::ScaleDtype dtype, float scale) {
  const auto bits = std::bit_cast<uint32_t>(scale);
  switch (dtype) {
    case ir::ScaleDtype::kF32:
      return std::min(std::max(bits, 1u), std::bit_cast<uint32_t>(kGreatest));
    case ir::ScaleDtype::kF16:
      return RoundedUp(kF16, scale);
    case ir::ScaleDtype::kBf16:
      return std::min(std::max((bits >> 16) + ((bits & 0xffff) != 0 ? 1 : 0), 1u), 0x7f7fu);
    case ir::ScaleDtype::kUe8m0:
      if (scale <= 0x1p-127f) return 0;
      return std::min((bits + 0x7fffff) >> 23, 254u);
    case ir::ScaleDtype::kUe4m3:
      return RoundedUp(kUe4m3, scale);
  }
  return 0;
}

uint32_t GivenScaleBits(ir::ScaleDtype dtype, float scale) {
  if (scale > 0) return ScaleBitsAtLeast(dtype, scale);
  const auto bits = std::bit_cast<uint32_t>(scale);
  const uint32_t sign = bits >> 31 << 15;
  switch (dtype) {
    case ir::ScaleDtype::kF32:
      if (std::isnan(scale)) return 0x7fc00000;
      return std::isinf(scale) ? std::bit_cast<uint32_t>(-kGreatest) : bits;
    case ir::ScaleDtype::kF16:
      return std::isnan(scale) ? 0x7e00 : sign | MagnitudeCut(kF16, -scale);
    case ir::ScaleDtype::kBf16:
      if (std::isnan(scale)) return 0x7fc0;
      return std::isinf(scale) ? 0xff7f : bits >> 16;
    case ir::ScaleDtype::kUe8m0:
      return std::isnan(scale) ? 0xff : 0;
    case ir::ScaleDtype::kUe4m3:
      return std::isnan(scale) ? 0x7f : 0;
  }
  return 0;
}

float GreatestScale(ir::ScaleDtype dtype) {
  return ScaleOfBits(dtype, ScaleBitsAtLeast(dtype, kGreatest));
}

}  // namespace faultline::fusion::cpu
