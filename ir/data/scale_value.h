// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The value of a stored scale, for text and for checking input data. Rounding to a scale dtype is
// arithmetic and lives elsewhere.

#ifndef IR_DATA_SCALE_VALUE_H_
#define IR_DATA_SCALE_VALUE_H_

#include <cstdint>
#include <optional>

#include "ir/scheme.h"

namespace faultline::ir {

// Exact; NaN for bits that mean none.
double ScaleValue(ScaleDtype dtype, uint32_t bits);

// The bits with exactly this value.
std::optional<uint32_t> FindScale(ScaleDtype dtype, double value);

}  // namespace faultline::ir

#endif  // IR_DATA_SCALE_VALUE_H_
