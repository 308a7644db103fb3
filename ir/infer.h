// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Type inference: the result types of an application, or why it is not legal. The one place where
// the dtype and shape rules of the op table are carried out.

#ifndef IR_INFER_H_
#define IR_INFER_H_

#include <span>
#include <vector>

#include "ir/attributes.h"
#include "ir/base/status.h"
#include "ir/element.h"
#include "ir/op.h"
#include "ir/shape.h"
#include "ir/type.h"

namespace faultline::ir {

// Result types of op(operands; scalars; attributes). `declared` gives the result types as written:
// it is the argument of ops whose rule says so (reshape, expand, full, cast, quantize, argmax's
// index dtype, ...), and elsewhere it must equal the inferred types. It may be empty where nothing
// is taken from it. Errors are kInvalidProgram and name both values.
Result<std::vector<Type>> InferTypes(Opcode op, std::span<const Type> operands,
                                     std::span<const Scalar> scalars, const Attributes& attributes,
                                     std::span<const Type> declared);

// The shape of result `r` alone. Of the declared types it takes no more than what is the argument:
// where one is to be declared for its dtype, this is the shape to write.
Result<Shape> InferResultShape(Opcode op, std::span<const Type> operands,
                               const Attributes& attributes, std::span<const Type> declared,
                               size_t r);
// Indices that name one place together: the extent of the last axis of the index where that holds
// tuples, else 1.
int64_t TupleOf(Opcode op, const Shape& index);
// An op that decodes its operands (ir/op.h) means: dequantize the quantized ones to the compute
// dtype, apply the op, and, where the declared type is quantized, quantize anew (min-max). Only
// then does the result have a scheme, and it is that of the first quantized operand.
bool SeesDecoded(Opcode op, std::span<const Type> operands);
// The dtype of the first float operand, else f32 where one is quantized, else that of the first.
Dtype ComputeDtype(std::span<const Type> operands);

// Whether a q_matmul takes the integer path: both operands have integer codes, and every block
// covers the whole of the inner axis, so that one scale belongs to all of a dot's terms.
bool MultipliesCodes(std::span<const Type> operands);

// Whether a layout op on quantized operands moves codes and scales without requantizing. Never
// looks at data. If false the meaning is: dequantize to f32, move, quantize with the result's
// scheme.
bool MovesCodes(Opcode op, const Attributes& attributes, std::span<const Type> operands,
                const Type& result);

}  // namespace faultline::ir

#endif  // IR_INFER_H_
