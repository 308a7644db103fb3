// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The numbers that codes and scales of quantized tensors stand for, and which scale an element has.

#ifndef HARNESS_ORACLE_CERTIFY_CODE_FORMATS_H_
#define HARNESS_ORACLE_CERTIFY_CODE_FORMATS_H_

#include <cstdint>

#include "ir/scheme.h"
#include "ir/shape.h"

namespace faultline::harness {

// Of the field of a code, of as many bits as it has; of the bits of a scale.
double CodeOf(ir::QValue value, uint32_t field);
double ScaleOf(ir::ScaleDtype dtype, uint32_t bits);
// The bits of the greatest finite scale. Up to there scales grow with their bits.
uint32_t GreatestScale(ir::ScaleDtype dtype);

// Row-major number of an element's block in the grid of blocks.
int64_t BlockOf(const ir::Scheme& scheme, const ir::Shape& shape, const int64_t* index);

}  // namespace faultline::harness

#endif  // HARNESS_ORACLE_CERTIFY_CODE_FORMATS_H_
