// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Quantized operands: ops that see them decoded, and the ops that know them.

#include <algorithm>
#include <string>

#include "ir/infer.h"
#include "ir/infer/rules.h"

namespace faultline::ir {
namespace {

const Type* FirstQuantized(std::span<const Type> operands) {
  const auto it = std::ranges::find_if(operands, &Type::quantized);
  return it == operands.end() ? nullptr : &*it;
}

// What a propagated result is, where the op itself gives `plain`.
Result<Type> Propagated(const OpInfo& info, std::span<const Type> operands, const Type& plain,
                        const Type& declared) {
  const auto fail = [&](const std::string& message) {
    return Error(StatusCode::kInvalidProgram, std::string(info.mnemonic) + ": " + message);
  };
  if (!IsIn(plain.dtype(), kQuantizableMask)) {
    return fail("result is declared " + PrintType(declared) + ", but " + PrintType(plain) +
                " is not quantized");
  }
  const Type result(FirstQuantized(operands)->element, plain.shape);
  if (declared != result) {
    return fail("result is declared " + PrintType(declared) + ", but the scheme of the first " +
                "quantized operand gives " + PrintType(result));
  }
  const Status status = VerifyScheme(result.scheme(), result.shape);
  if (!status.ok()) return fail(status.message());
  return result;
}

// Whether blocks reach over the whole of an axis.
bool CoversAxis(const Type& type, int axis) {
  return type.scheme().per_tensor() ||
         BlockExtents(type.scheme(), type.shape)[static_cast<size_t>(axis)] >= type.shape[axis];
}

}  // namespace

bool SeesDecoded(Opcode op, std::span<const Type> operands) {
  return FirstQuantized(operands) != nullptr && DecodesOperands(op);
}

Dtype ComputeDtype(std::span<const Type> operands) {
  const auto it =
      std::ranges::find_if(operands, [](const Type& type) { return IsFloat(type.dtype()); });
  if (it != operands.end()) return it->dtype();
  if (FirstQuantized(operands) != nullptr) return Dtype::kF32;
  return operands.empty() ? Dtype::kF32 : operands[0].dtype();
}

bool MultipliesCodes(std::span<const Type> operands) {
  if (operands.size() != 2) return false;
  for (size_t i = 0; i < 2; ++i) {
    const Type& type = operands[i];
    if (!type.quantized() || !IsIntegerCode(type.scheme().value)) return false;
    const int inner = type.shape.rank() - (i == 0 ? 1 : 2);
    if (inner < 0 || !CoversAxis(type, inner)) return false;
  }
  return true;
}

Result<std::vector<Type>> InferOverDecoded(Opcode op, std::span<const Type> operands,
                                           std::span<const Scalar> scalars,
                                           const Attributes& attributes,
                                           std::span<const Type> declared) {
  const ElementType decoded(ComputeDtype(operands));
  std::vector<Type> seen(operands.begin(), operands.end());
  std::vector<Type> plain_declared(declared.begin(), declared.end());
  for (std::vector<Type>* types : {&seen, &plain_declared}) {
    for (Type& type : *types) {
      if (type.quantized()) type.element = decoded;
    }
  }
  FAULTLINE_ASSIGN_OR_RETURN(std::vector<Type> results,
                             InferTypes(op, seen, scalars, attributes, plain_declared));
  for (size_t i = 0; i < results.size() && i < declared.size(); ++i) {
    if (!declared[i].quantized()) continue;
    FAULTLINE_ASSIGN_OR_RETURN(results[i],
                               Propagated(InfoOf(op), operands, results[i], declared[i]));
  }
  return results;
}

Result<ElementType> InferQMatmulElement(const Application& application) {
  const auto operands = application.operands;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (IsIn(operands[i].dtype(), application.info.operand_dtypes)) continue;
    return std::unexpected(Invalid("operand " + std::to_string(i) + " may not be " +
                                   PrintElementType(operands[i].element)));
  }
  const Type* first = FirstQuantized(operands);
  if (first == nullptr) {
    return std::unexpected(Invalid("takes a quantized operand, but has " +
                                   PrintElementType(operands[0].element) + " and " +
                                   PrintElementType(operands[1].element)));
  }
  // A quantized result is the scheme's own matter; a float one is as wide as the float operand.
  if (application.declared.size() == 1 && application.declared[0].quantized()) {
    return first->element;
  }
  return ElementType(ComputeDtype(operands));
}

Status CheckGivenScales(const Application& application, const ElementType& result) {
  if (!result.quantized()) return {};
  const auto operands = application.operands;
  const Scheme& scheme = result.scheme;
  const bool third = scheme.two_level || scheme.asymmetric();
  if (operands.size() != (third ? 3u : 2u)) {
    return Invalid(PrintElementType(result) + " takes " + (third ? "3" : "2") +
                   " operands, but there are " + std::to_string(operands.size()));
  }
  FAULTLINE_RETURN_IF_ERROR(VerifyScheme(scheme, operands[0].shape));
  const auto check = [&](size_t i, const Type& wanted, std::string_view what) -> Status {
    if (operands[i] == wanted) return {};
    return Invalid("operand " + std::to_string(i) + ", " + std::string(what) + ", is " +
                   PrintType(operands[i]) + ", but must be " + PrintType(wanted));
  };
  const Shape grid = ScaleGrid(scheme, operands[0].shape);
  FAULTLINE_RETURN_IF_ERROR(check(1, Type(Dtype::kF32, grid), "the scales"));
  if (scheme.two_level) return check(2, Type(Dtype::kF32, Shape()), "the scale of the tensor");
  if (!scheme.asymmetric()) return {};
  const Dtype zero = scheme.value == QValue::kU8 ? Dtype::kU8 : Dtype::kI8;
  return check(2, Type(zero, grid), "the zero points");
}

}  // namespace faultline::ir
