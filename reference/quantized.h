// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Quantized tensors: quantize and dequantize, naive and as sets (rule R7), shared by their own
// kernels, by layout ops that cannot move codes and by ops that see their operands decoded. The
// arithmetic of one number is in quantize_arithmetic.h.

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
// Zero points, one a scale; all 0 of a symmetric scheme.
std::vector<IntSet> ZeroSets(const Enclosure& quantized);
// What the enclosure of a quantized tensor says of its scales, also where it is points.
QuantizedSets QuantizedSetsOf(const Enclosure& quantized);
// Closes the filling of an enclosure whose points have no other bits than their values'.
std::shared_ptr<const Enclosure> FinishScales(Enclosure scales);

// Codes and scales of result.type, whose cells are sized.
void Quantize(const Points& x, ir::Range range, Points& result);
// With scales as a program gives them, and the scale of the tensor or the zero points where the
// scheme has them (else null).
void QuantizeWith(const Points& x, const Points& scales, const Points* third, Points& result);
// fl32((q - zero) * s), then one rounding to the dtype of result.type.
void Dequantize(const Points& quantized, Points& result);
Points Decoded(const Points& quantized, ir::Dtype to);

// Fill result, an enclosure to be filled. Requires float operands as consumed.
void Quantize(const Contract& contract, const Enclosure& x, ir::Range range, Enclosure& result);
void QuantizeWith(const Contract& contract, const Enclosure& x, const Enclosure& scales,
                  const Enclosure* third, Enclosure& result);
void Dequantize(const Contract& contract, const Enclosure& quantized, bool wide, Enclosure& result);
// As an op sees its operand decoded; `naive` is what the naive evaluation decodes.
Enclosure Decoded(const Contract& contract, const Enclosure& quantized,
                  const std::shared_ptr<const Points>& naive);

// Whether the contract takes the arithmetic of quantizing as pinned.
bool IsPinnedQuantize(const Contract& contract);

// Rule R7, number by number; every rule is monotone, so it is taken at the ends of the sets.
// The value stored for a block's unrounded scale.
FloatSet StoredScaleSet(const ir::Scheme& scheme, const Contract& contract,
                        const FloatSet& unrounded, const FloatSet& tensor_scale);
IntSet ZeroSet(ir::QValue value, const Contract& contract, const FloatSet& least,
               const FloatSet& scale);
// Ranks of the codes that x may get, under the contract's rounding and division.
IntSet AdmissibleRanks(ir::QValue value, const Contract& contract, const FloatSet& x,
                       const FloatSet& scale, const IntSet& zeros);
IntSet AdmissibleCodes(ir::QValue value, const Contract& contract, const FloatSet& x,
                       const FloatSet& scale, const IntSet& zeros);

}  // namespace faultline::reference

#endif  // REFERENCE_QUANTIZED_H_
