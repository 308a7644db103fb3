// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Quantized tensors: quantize and dequantize, naive and as sets (rule R7), shared by their own
// kernels and by layout ops that cannot move codes. The arithmetic of one number is in
// quantize_arithmetic.h.

#ifndef REFERENCE_QUANTIZED_H_
#define REFERENCE_QUANTIZED_H_

#include <memory>
#include <vector>

#include "ir/attributes.h"
#include "ir/scheme.h"
#include "reference/contract.h"
#include "reference/enclosure.h"
#include "reference/quantize_arithmetic.h"
#include "reference/sets.h"

namespace faultline::reference {

// Type of the enclosure over the block scales: f32, the shape of the grid.
ir::Type ScalesType(const ir::Type& quantized);
// Effective scales, row-major in the grid.
std::vector<float> ScaleValues(const Points& quantized);
std::vector<FloatSet> ScaleSets(const Enclosure& quantized);
// Closes the filling of an enclosure over scales.
std::shared_ptr<const Enclosure> FinishScales(Enclosure scales);

// Codes and scales of result.type, whose cells are sized.
void Quantize(const Points& x, ir::Range range, Points& result);
// fl32(q * s), then one rounding to the dtype of result.type.
void Dequantize(const Points& quantized, Points& result);

// Fill result, an enclosure to be filled. Requires float operands as consumed.
void Quantize(const Contract& contract, const Enclosure& x, ir::Range range, Enclosure& result);
void Dequantize(const Contract& contract, const Enclosure& quantized, bool wide, Enclosure& result);

// Whether the contract takes the arithmetic of quantizing as pinned.
bool IsPinnedQuantize(const Contract& contract);
// Codes that x, any member of a set, may get with a scale, any member of another: rule R7 (2),
// under the contract's rounding and division.
IntSet AdmissibleCodes(ir::QValue value, const Contract& contract, const FloatSet& x,
                       const FloatSet& scale);

}  // namespace faultline::reference

#endif  // REFERENCE_QUANTIZED_H_
