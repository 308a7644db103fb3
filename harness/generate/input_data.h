// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Data, layouts, schemes and scalars, drawn to be revealing: position-revealing integers show index
// errors, exact grids show lost terms, ties and special values show wrong rules.

#ifndef HARNESS_GENERATE_INPUT_DATA_H_
#define HARNESS_GENERATE_INPUT_DATA_H_

#include <cstdint>
#include <span>

#include "harness/generate/choice_stream.h"
#include "harness/generate/swarm.h"
#include "ir/data.h"
#include "ir/element.h"
#include "ir/op.h"
#include "ir/type.h"

namespace faultline::harness {

// Bits of the values that rules are made of: NaN, infinities, zeros, subnormals, limits, 2^24 +- 1,
// the least int, ...
std::span<const uint64_t> SpecialValues(ir::Dtype dtype);
// As SpecialValues, without NaN and infinities.
std::span<const uint64_t> FiniteSpecialValues(ir::Dtype dtype);

// Data of a plain or quantized type, mostly within `domain`.
ir::DataPtr DrawData(ChoiceStream& choices, const Swarm& swarm, const ir::Type& type,
                     ir::Domain domain);
// Integers in [low, high], for indices. Requires that the dtype holds them.
ir::DataPtr DrawIndices(ChoiceStream& choices, const ir::Type& type, int64_t low, int64_t high);
// The same data but for a few elements, which are neighbours of what they were: what comparisons,
// ties and cancellation are about. Null for quantized, empty and large tensors.
ir::DataPtr NeighbourData(ChoiceStream& choices, const ir::DataSpec& data, const ir::Type& type);
// Puts special values at a few places, each lane alike.
void AddSpecialValues(ChoiceStream& choices, const ir::Type& type, ir::DataSpec& data);
// Sorted, without duplicates.
void SetOverride(ir::DataSpec& data, int64_t index, uint64_t bits);
// Least and greatest element of int data; nothing known of quantized or float data.
bool BoundsOfData(const ir::DataSpec& data, const ir::Type& type, int64_t* low, int64_t* high);

// Strides, offset and storage: transposed, padded, stepped, reversed, at an offset. `data` may
// have to be such that elements sharing a cell agree; then the layout shares none.
ir::Layout DrawLayout(ChoiceStream& choices, const ir::Shape& shape);
// Stride 0 on the leading axes, with data that repeat along them.
ir::Layout DrawBroadcastLayout(ChoiceStream& choices, const ir::Type& type, ir::DataPtr* data);

// A scheme for a tensor of this shape.
ir::Scheme DrawScheme(ChoiceStream& choices, const ir::Shape& shape);

// A scalar operand of the dtype.
ir::Scalar DrawScalar(ChoiceStream& choices, ir::Dtype dtype, ir::Domain domain,
                      uint32_t special_percent);
// A shift amount, mostly within the width.
// An exponent of powi: mostly small, now and then beyond what floats and narrow ints hold.
int64_t DrawExponent(ChoiceStream& choices, ir::Dtype dtype);
ir::DataPtr DrawExponents(ChoiceStream& choices, const ir::Type& type);
ir::Scalar DrawShift(ChoiceStream& choices, ir::Dtype dtype);

}  // namespace faultline::harness

#endif  // HARNESS_GENERATE_INPUT_DATA_H_
