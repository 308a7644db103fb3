// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "ir/element.h"

#include <bit>
#include <cmath>

#include "ir/base/half.h"

namespace faultline::ir {
namespace {

uint64_t LowBits(Dtype dtype, uint64_t bits) {
  const int width = BitWidth(dtype);
  return width == 64 ? bits : bits & ((uint64_t{1} << width) - 1);
}

}  // namespace

double ToDouble(Dtype float_dtype, uint64_t bits) {
  switch (float_dtype) {
    case Dtype::kF64:
      return std::bit_cast<double>(bits);
    case Dtype::kF16:
      return DecodeF16(static_cast<uint16_t>(bits));
    case Dtype::kBf16:
      return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
    default:
      return std::bit_cast<float>(static_cast<uint32_t>(bits));
  }
}

uint64_t FromDouble(Dtype float_dtype, double value) {
  switch (float_dtype) {
    case Dtype::kF64:
      return std::bit_cast<uint64_t>(value);
    case Dtype::kF16:
      return EncodeF16(value);
    case Dtype::kBf16:
      return EncodeBf16(value);
    default:
      return std::bit_cast<uint32_t>(static_cast<float>(value));
  }
}

bool IsRepresentable(Dtype dtype, double value) {
  if (IsFloat(dtype)) {
    return std::isnan(value) || ToDouble(dtype, FromDouble(dtype, value)) == value;
  }
  if (dtype == Dtype::kQuantized || std::trunc(value) != value) return false;
  // The first double above the range is exact where the maximum itself is not.
  const double above =
      dtype == Dtype::kBool ? 2 : std::ldexp(1, BitWidth(dtype) - (IsSigned(dtype) ? 1 : 0));
  return value >= static_cast<double>(IntMin(dtype)) && value < above;
}

int64_t ToInt(Dtype int_dtype, uint64_t bits) {
  if (!IsSigned(int_dtype)) return static_cast<int64_t>(LowBits(int_dtype, bits));
  const int unused = 64 - BitWidth(int_dtype);
  return static_cast<int64_t>(bits << unused) >> unused;
}

uint64_t FromInt(Dtype int_dtype, int64_t value) {
  return LowBits(int_dtype, static_cast<uint64_t>(value));
}

Scalar FloatScalar(Dtype dtype, double value) { return {dtype, FromDouble(dtype, value)}; }
Scalar IntScalar(Dtype dtype, int64_t value) { return {dtype, FromInt(dtype, value)}; }

bool IsNan(Dtype float_dtype, uint64_t bits) { return std::isnan(ToDouble(float_dtype, bits)); }

}  // namespace faultline::ir
