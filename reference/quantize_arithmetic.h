// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The pinned arithmetic of quantization, one number at a time: scale rule, rounding of scales up to
// their dtype, codes, and back. Every step is f32 or exact. Not for tensors (kernels_quantize.cc)
// nor for byte layouts (ir/scheme.h).

#ifndef REFERENCE_QUANTIZE_ARITHMETIC_H_
#define REFERENCE_QUANTIZE_ARITHMETIC_H_

#include <cstdint>
#include <vector>

#include "ir/scheme.h"
#include "ir/shape.h"

namespace faultline::reference {

// Scales. Bits are raw bits of the scale dtype.

// Exact value; NaN for the NaN patterns.
float DecodeScale(ir::ScaleDtype dtype, uint32_t bits);
// Smallest value of the dtype that is at least `scale`, kept between the dtype's smallest positive
// and largest finite value. Requires scale >= 0, not NaN.
uint32_t RoundUpToScale(ir::ScaleDtype dtype, float scale);
float LargestScale(ir::ScaleDtype dtype);
// A scale that a program gives, which may be anything: the smallest value of the dtype that is at
// least as great, at most its greatest finite one; every NaN becomes the quiet one.
uint32_t RoundUpGivenScale(ir::ScaleDtype dtype, float scale);

// fl32(range / h), at least 2^-126 and finite: the scale before it is rounded to its dtype. The
// range is the absmax, or for asymmetric values the distance from the least element to the
// greatest, zero among them.
float UnroundedScale(ir::QValue value, float range);
// Two-level: max(fl32(largest / max(T)), 2^-100), `largest` the greatest unrounded block scale.
float TensorScale(ir::ScaleDtype dtype, float largest);
// Stored block scale: roundup_T(unrounded), or roundup_T(fl32(unrounded / tensor)) if two-level.
uint32_t StoredScale(const ir::Scheme& scheme, float unrounded, float tensor_scale);
// What codes and dequantizing use: the stored scale, times the tensor scale if two-level.
float EffectiveScale(const ir::Scheme& scheme, uint32_t stored, float tensor_scale);

// Asymmetric: the code that stands for zero where the least element, at most 0, takes the lowest
// one.
int32_t ZeroPoint(ir::QValue value, float least, float scale);

// Codes. Integer codes are signed integers, float codes raw bit patterns (as ir::QuantizedParts).

// Of a quotient q = x/s. Integer: clamp(rint(q) + zero, a, b), NaN gives the zero point. Float: q
// to the nearest, ties to the even mantissa, saturating; zero keeps its sign; NaN gives 0x7f (e2m1:
// 0). `half_away` breaks ties away from zero, as some contracts allow.
int32_t CodeOfQuotient(ir::QValue value, double quotient, int32_t zero = 0, bool half_away = false);
// With the quotient rounded to f32.
int32_t CodeOf(ir::QValue value, float x, float scale, int32_t zero = 0);
// Exact value of a code; NaN and infinity for the patterns that mean them.
float DecodeCode(ir::QValue value, int32_t code);
// fl32((q - zero) * s).
float DequantizeCode(ir::QValue value, int32_t code, float scale, int32_t zero = 0);
// A number that orders the codes of a value type by what they decode to (-0 before +0, NaN last),
// and back: codes between two codes are those whose rank lies between.
int32_t RankOfCode(ir::QValue value, int32_t code);
int32_t CodeOfRank(ir::QValue value, int32_t rank);

// Which scale each element of a row-major tensor has: index into the row-major block grid.
std::vector<int64_t> ScaleIndices(const ir::Scheme& scheme, const ir::Shape& shape);
// Number of block scales: 1 per tensor, the size of the grid otherwise.
int64_t ScaleCount(const ir::Scheme& scheme, const ir::Shape& shape);

}  // namespace faultline::reference

#endif  // REFERENCE_QUANTIZE_ARITHMETIC_H_
