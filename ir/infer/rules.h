// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The pieces of type inference (ir/infer.h is its entry): one function a column of the op table.
// Messages carry no mnemonic; the entry puts it in front.

#ifndef IR_INFER_RULES_H_
#define IR_INFER_RULES_H_

#include <span>
#include <string>
#include <vector>

#include "ir/attributes.h"
#include "ir/base/status.h"
#include "ir/element.h"
#include "ir/op.h"
#include "ir/type.h"

namespace faultline::ir {

// An application as it stands in a program, with its row.
struct Application {
  const OpInfo& info;
  std::span<const Type> operands;
  std::span<const Scalar> scalars;
  const Attributes& attributes;
  std::span<const Type> declared;

  const Shape& shape(size_t operand) const { return operands[operand].shape; }
};

inline Status Invalid(std::string message) {
  return {StatusCode::kInvalidProgram, std::move(message)};
}

// Keys of the row, each spelled as its info says; required ones present. Ranges come later.
Status CheckAttributes(const OpInfo& info, const Attributes& attributes);
// 0 <= dim < rank.
Status CheckDim(int64_t dim, int rank);

// The element type of result `r`. Checks every operand dtype against the row.
Result<ElementType> InferElement(const Application& application, size_t r);
// Number and dtypes of the scalars; `result` is the element type of result 0.
Status CheckScalars(const Application& application, const ElementType& result);
// The shape of result `r`. Requires operands of the row's arity and checked attributes.
Result<Shape> InferShape(const Application& application, size_t r);
// The rules of composites, of which InferShape takes its part.
Result<Shape> InferSplit(const Application& application, size_t r);
Result<Shape> InferMeshgrid(const Application& application);
Result<Shape> InferMatrices(const Application& application);
Result<Shape> InferNarrow(const Application& application);
Result<Shape> InferStack(const Application& application);
Result<Shape> InferDiagonal(const Application& application);
Result<Shape> InferOneHot(const Application& application);
Result<Shape> InferCross(const Application& application);
Result<Shape> InferEmbedding(const Application& application);
Result<Shape> InferLinear(const Application& application);
Result<Shape> InferNormalizeRows(const Application& application);
Result<Shape> InferNormalizeChannels(const Application& application);
// The scheme that a layout op on quantized operands gives: axes permute it, others keep it.
Scheme InferScheme(const Application& application);
// The number of results where the shapes say it.
Result<size_t> InferParts(const Application& application);
// Ranges of attributes that are neither axes nor extents.
Status CheckAttributeRanges(const Application& application);
// The same for ops that see their quantized operands decoded (SeesDecoded).
Result<std::vector<Type>> InferOverDecoded(Opcode op, std::span<const Type> operands,
                                           std::span<const Scalar> scalars,
                                           const Attributes& attributes,
                                           std::span<const Type> declared);
Result<ElementType> InferQMatmulElement(const Application& application);
// The operands of quantize_with beside the first fit the scheme.
Status CheckGivenScales(const Application& application, const ElementType& result);
// Rejects reductions of nothing that have no value.
Status CheckReducedExtent(const Application& application);

}  // namespace faultline::ir

#endif  // IR_INFER_RULES_H_
