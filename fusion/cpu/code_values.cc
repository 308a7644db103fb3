// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/cpu/code_values.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace faultline::fusion::cpu {
namespace {

// A float of 1 + exponent + fraction bits is the f32 whose exponent and fraction fields begin with
// its own, times a power of two: subnormals come out right by themselves.
struct SmallFloat {
  int fraction;      // bits
  int bias;          // of the exponent
  int bits;          // of a code
  uint32_t largest;  // the code of the greatest finite magnitude
  uint32_t nan;      // the code that a NaN gets
};

constexpr SmallFloat kE4m3{3, 7, 8, 0x7e, 0x7f};
constexpr SmallFloat kE5m2{2, 15, 8, 0x7b, 0x7f};
constexpr SmallFloat kE2m1{1, 1, 4, 0x7, 0x0};

const SmallFloat& FormatOf(ir::QValue value) {
  return value == ir::QValue::kE4m3 ? kE4m3 : value == ir::QValue::kE5m2 ? kE5m2 : kE2m1;
}

float PowerOfTwo(int exponent) {
  return std::bit_cast<float>(static_cast<uint32_t>(exponent + 127) << 23);
}

float MagnitudeOf(const SmallFloat& format, uint32_t code) {
  const float scaled = std::bit_cast<float>(code << (23 - format.fraction));
  return scaled * PowerOfTwo(127 - format.bias);
}

float ValueOf(ir::QValue value, uint32_t code) {
  if (value == ir::QValue::kU8) return static_cast<float>(code);
  if (ir::IsIntegerCode(value)) return static_cast<float>(static_cast<int8_t>(code));
  const SmallFloat& format = FormatOf(value);
  const uint32_t sign = code >> (format.bits - 1) & 1;
  const uint32_t magnitude = code & ((1u << (format.bits - 1)) - 1);
  float x = MagnitudeOf(format, magnitude);
  if (magnitude > format.largest) {
    // e4m3 has no infinity.
    const bool infinity = value == ir::QValue::kE5m2 && magnitude == format.largest + 1;
    x = infinity ? std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
  }
  return sign != 0 ? -x : x;
}

uint32_t Encoded(const SmallFloat& format, float greatest, float quotient) {
  if (std::isnan(quotient)) return format.nan;
  const uint32_t sign = std::signbit(quotient) ? 1u << (format.bits - 1) : 0;
  const float magnitude = std::min(std::fabs(quotient), greatest);
  if (magnitude < PowerOfTwo(1 - format.bias)) {
    // Added to a number whose last bit is the format's smallest subnormal, it is rounded there.
    const float grid = PowerOfTwo(1 - format.bias - format.fraction + 23);
    return sign | (std::bit_cast<uint32_t>(magnitude + grid) - std::bit_cast<uint32_t>(grid));
  }
  const int dropped = 23 - format.fraction;
  const auto bits = std::bit_cast<uint32_t>(magnitude);
  const uint32_t half = (1u << (dropped - 1)) - 1 + (bits >> dropped & 1);
  const uint32_t rebias = static_cast<uint32_t>(127 - format.bias) << format.fraction;
  return sign | (((bits + half) >> dropped) - rebias);
}

CodeTable MakeTable(ir::QValue value) {
  CodeTable table;
  for (uint32_t code = 0; code < table.size(); ++code) table[code] = ValueOf(value, code);
  return table;
}

}  // namespace

const CodeTable& CodesOf(ir::QValue value) {
  static const auto* const kTables = [] {
    auto* tables = new std::array<CodeTable, ir::kQValueCount>;
    for (size_t i = 0; i < tables->size(); ++i) {
      (*tables)[i] = MakeTable(static_cast<ir::QValue>(i));
    }
    return tables;
  }();
  return (*kTables)[static_cast<size_t>(value)];
}

void EncodeFloats(ir::QValue value, const float* values, int64_t count, float scale,
                  int8_t* codes) {
  const SmallFloat format = FormatOf(value);
  const float greatest = MagnitudeOf(format, format.largest);
  for (int64_t i = 0; i < count; ++i) {
    codes[i] = static_cast<int8_t>(Encoded(format, greatest, values[i] / scale));
  }
}

void EncodeIntegers(ir::QValue value, const float* values, int64_t count, float scale, int zero,
                    int8_t* codes) {
  const auto low = static_cast<float>(ir::CodeMin(value) - zero);
  const auto high = static_cast<float>(ir::CodeMax(value) - zero);
  for (int64_t i = 0; i < count; ++i) {
    const float quotient = values[i] / scale;
    const float number = std::isnan(quotient) ? 0 : quotient;
    const long code = std::lrint(std::min(std::max(number, low), high));
    codes[i] = static_cast<int8_t>(code + zero);
  }
}

int ZeroPointOf(ir::QValue value, float least, float scale) {
  const auto low = static_cast<float>(ir::CodeMin(value));
  const auto high = static_cast<float>(ir::CodeMax(value));
  const float place = low - least / scale;
  return static_cast<int>(std::rint(std::min(std::max(place, low), high)));
}

}  // namespace faultline::fusion::cpu
