// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Scales in their dtypes: rounding up to them, and back to f32.

#ifndef FUSION_CPU_SCALE_VALUES_H_
#define FUSION_CPU_SCALE_VALUES_H_

#include <cstdint>

#include "ir/scheme.h"

namespace faultline::fusion::cpu {

float ScaleOfBits(ir::ScaleDtype dtype, uint32_t bits);
// The bits of the smallest value of the dtype that is at least `scale`, from the smallest positive
// to the greatest finite one. Requires scale >= 0.
uint32_t ScaleBitsAtLeast(ir::ScaleDtype dtype, float scale);
// The same of any number, as a program may give it: 0 and less included; every NaN becomes the
// quiet one.
uint32_t GivenScaleBits(ir::ScaleDtype dtype, float scale);
float GreatestScale(ir::ScaleDtype dtype);

}  // namespace faultline::fusion::cpu

#endif  // FUSION_CPU_SCALE_VALUES_H_
