// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// What codes of each value type stand for, and the codes of numbers: small floats and integers with
// a zero point. Symmetric integers have kernels of their own (kernels/memory.cc).

#ifndef FUSION_CPU_CODE_VALUES_H_
#define FUSION_CPU_CODE_VALUES_H_

#include <array>
#include <cstdint>

#include "ir/scheme.h"

namespace faultline::fusion::cpu {

// By the byte that a code is read as: fields of integers come sign-extended, others as they are.
using CodeTable = std::array<float, 256>;
const CodeTable& CodesOf(ir::QValue value);

// The codes of values[i] / scale: to the nearest, ties to the even code, saturating.
void EncodeFloats(ir::QValue value, const float* values, int64_t count, float scale, int8_t* codes);
void EncodeIntegers(ir::QValue value, const float* values, int64_t count, float scale, int zero,
                    int8_t* codes);

// The code of zero where `least`, at most 0, has the lowest one.
int ZeroPointOf(ir::QValue value, float least, float scale);

}  // namespace faultline::fusion::cpu

#endif  // FUSION_CPU_CODE_VALUES_H_
