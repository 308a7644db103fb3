// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Held elements: how the reference keeps one element of any dtype in 64 bits, and the rounding of
// floats to a run-time format. Not shared with any engine under test.

#ifndef REFERENCE_HELD_H_
#define REFERENCE_HELD_H_

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "ir/dtype.h"

namespace faultline::reference {

// A held element. Floats: the bits of the f64 of the same value; the payload of an f32, f16 or bf16
// NaN is kept in the top bits, so that moving a cell moves the NaN bitwise. Ints: the value, as
// i64, u64 above INT64_MAX as its two's complement. Bools: 0 or 1. Codes: decoded integer codes, or
// the bit pattern of float codes.
using Cell = uint64_t;

inline double AsFloat(Cell cell) { return std::bit_cast<double>(cell); }
inline int64_t AsInt(Cell cell) { return std::bit_cast<int64_t>(cell); }
inline Cell ToCell(double value) { return std::bit_cast<Cell>(value); }
inline Cell ToCell(int64_t value) { return std::bit_cast<Cell>(value); }

// The NaN that arithmetic gives: its payload is not pinned, so any NaN is equal to it. No f32, f16
// or bf16 payload is held as this pattern; an f64 input with these very bits is compared loosely.
inline constexpr Cell kFreeNan = 0x7ff8f4ee00000001;
inline double FreeNan() { return AsFloat(kFreeNan); }

// Facts of a float dtype.
struct FloatFormat {
  int precision;     // bits of the significand with the hidden one
  int exponent_min;  // of the smallest normal: 2^exponent_min
  double max;        // largest finite value
  double threshold;  // magnitudes from here on round to infinity (f64: infinity)
  double min_normal;
  double min_subnormal;
  double unit;  // unit roundoff: 2^-precision
};
const FloatFormat& FormatOf(ir::Dtype float_dtype);

// The dtype in which an op on this dtype computes and accumulates: f32 for f16 and bf16.
constexpr ir::Dtype ComputeDtype(ir::Dtype dtype) {
  return dtype == ir::Dtype::kF16 || dtype == ir::Dtype::kBf16 ? ir::Dtype::kF32 : dtype;
}

// Nearest value of a 16-bit format, ties to even, overflow to infinity. NaN in, NaN out.
double RoundToSmall(const FloatFormat& format, double value);

// Rounds once, half to even, overflow to infinity; every NaN becomes the free one. One operation
// + - * / sqrt on f32, f16 or bf16 values, computed in f64 and rounded here, is correctly rounded:
// 53 >= 2p + 2 makes the double rounding innocuous (Figueroa 1995), and f64 has exponent range to
// spare, so that subnormal results are covered by the same argument.
inline double Round(ir::Dtype float_dtype, double value) {
  if (std::isnan(value)) return FreeNan();
  if (float_dtype == ir::Dtype::kF32) return static_cast<double>(static_cast<float>(value));
  if (float_dtype == ir::Dtype::kF64) return value;
  return RoundToSmall(FormatOf(float_dtype), value);
}

// Distance between neighbours around a finite |value| of the format; of the lower binade at a power
// of two's own binade (ulp(1) = 2^(1-p)), at least the smallest subnormal.
double UlpOf(ir::Dtype float_dtype, double value);

// Next value of the format above or below; past the largest finite one: infinity. Requires a value
// of the format that is not NaN. Steps from the smallest subnormal to the zero of its sign.
double NextUp(ir::Dtype float_dtype, double value);
double NextDown(ir::Dtype float_dtype, double value);

// Greatest value of the format that is not above `value`, and least that is not below (finite ones
// only: clamped to +-max).
double RoundDown(ir::Dtype float_dtype, double value);
double RoundUp(ir::Dtype float_dtype, double value);

// The total order on floats in which -0 comes before +0; NaN is not allowed.
inline int64_t OrderKey(double value) {
  const int64_t bits = std::bit_cast<int64_t>(value);
  return bits ^ ((bits >> 63) & std::numeric_limits<int64_t>::max());
}
inline bool Below(double a, double b) { return a < b || (a == b && OrderKey(a) < OrderKey(b)); }
inline double Lesser(double a, double b) { return Below(b, a) ? b : a; }
inline double Greater(double a, double b) { return Below(a, b) ? b : a; }

// Two's complement value of the low bits, as an element of the dtype.
inline int64_t Wrap(ir::Dtype int_dtype, uint64_t bits) {
  if (int_dtype == ir::Dtype::kBool) return static_cast<int64_t>(bits & 1);
  const int spare = 64 - ir::BitWidth(int_dtype);
  const uint64_t top = bits << spare;
  return ir::IsSigned(int_dtype) ? std::bit_cast<int64_t>(top) >> spare
                                 : std::bit_cast<int64_t>(top >> spare);
}
inline bool IntLess(ir::Dtype int_dtype, int64_t a, int64_t b) {
  if (int_dtype != ir::Dtype::kU64) return a < b;
  return std::bit_cast<uint64_t>(a) < std::bit_cast<uint64_t>(b);
}

// Between storage bits (ir/element.h) and cells. The free NaN is stored as the canonical quiet one.
// Bools other than 0 and 1 become 1.
Cell Hold(ir::Dtype dtype, uint64_t storage_bits);
uint64_t Store(ir::Dtype dtype, Cell cell);

}  // namespace faultline::reference

#endif  // REFERENCE_HELD_H_
