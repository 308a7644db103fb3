// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "ir/base/half.h"

#include <bit>
#include <cmath>

namespace faultline::ir {
namespace {

struct Format {
  int fraction_bits;
  int exponent_bits;
};

constexpr Format kF16{10, 5};
constexpr Format kBf16{7, 8};

double Decode(uint16_t bits, Format format) {
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const uint32_t fraction = bits & ((1u << format.fraction_bits) - 1u);
  const int exponent = (bits >> format.fraction_bits) & ((1 << format.exponent_bits) - 1);
  const bool negative = (bits >> 15) != 0;
  double magnitude = 0;
  if (exponent == (1 << format.exponent_bits) - 1) {
    if (fraction != 0) {
      const uint64_t sign = negative ? 1ull << 63 : 0;
      return std::bit_cast<double>(sign | 0x7ff0000000000000ull |
                                   (uint64_t{fraction} << (52 - format.fraction_bits)));
    }
    magnitude = HUGE_VAL;
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<double>(fraction), 1 - bias - format.fraction_bits);
  } else {
    magnitude = std::ldexp(static_cast<double>(fraction | (1u << format.fraction_bits)),
                           exponent - bias - format.fraction_bits);
  }
  return negative ? -magnitude : magnitude;
}

uint16_t Encode(double value, Format format) {
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const uint32_t infinity = ((1u << format.exponent_bits) - 1u) << format.fraction_bits;
  if (std::isnan(value)) {
    return static_cast<uint16_t>(sign | infinity | (1u << (format.fraction_bits - 1)));
  }
  const double magnitude = std::fabs(value);
  if (magnitude == 0) return sign;
  // The quantum of the result is 2^(exponent - fraction_bits), at least that of the subnormals.
  int exponent = std::isinf(magnitude) ? 1024 : std::ilogb(magnitude);
  if (exponent > bias + 1) return static_cast<uint16_t>(sign | infinity);
  if (exponent < 1 - bias) exponent = 1 - bias;
  const double scaled = std::ldexp(magnitude, format.fraction_bits - exponent);
  const double floor = std::floor(scaled);
  auto units = static_cast<uint32_t>(floor);
  const double rest = scaled - floor;
  if (rest > 0.5 || (rest == 0.5 && (units & 1u) != 0)) ++units;
  // Adding the biased exponent carries a rounded-up fraction into the exponent, infinity included.
  const auto biased = static_cast<uint32_t>(exponent + bias - 1);
  const uint32_t bits = units + (biased << format.fraction_bits);
  return static_cast<uint16_t>(sign | (bits > infinity ? infinity : bits));
}

}  // namespace

double DecodeF16(uint16_t bits) { return Decode(bits, kF16); }
double DecodeBf16(uint16_t bits) { return Decode(bits, kBf16); }
uint16_t EncodeF16(double value) { return Encode(value, kF16); }
uint16_t EncodeBf16(double value) { return Encode(value, kBf16); }

}  // namespace faultline::ir
