// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "ir/infer.h"

#include <string>

#include "ir/infer/rules.h"
#include "ir/program.h"

namespace faultline::ir {
namespace {

Status CheckArity(const Application& application) {
  const auto count = static_cast<int>(application.operands.size());
  if (application.info.arity == kVariadic) {
    return count >= 1 ? Status() : Invalid("takes at least 1 operand");
  }
  if (count == application.info.arity) return {};
  return Invalid("takes " + std::to_string(application.info.arity) +
                 (application.info.arity == 1 ? " operand" : " operands") + ", but has " +
                 std::to_string(count));
}

Status CheckSize(const Type& type) {
  for (const int64_t extent : type.shape) {
    if (extent >= 0 && extent <= kElementsMax) continue;
    return Invalid("extent " + std::to_string(extent) + " of " + PrintType(type) +
                   " is not in 0 to " + std::to_string(kElementsMax));
  }
  if (type.NumElements() <= kElementsMax) return {};
  return Invalid("result " + PrintType(type) + " has " + std::to_string(type.NumElements()) +
                 " elements, above the limit of " + std::to_string(kElementsMax));
}

// An index result must hold every position it may name.
Status CheckIndexFits(const Application& application, const Type& result) {
  if (application.info.dtype_rule != DtypeRule::kIndex) return {};
  const int64_t last = application.operands[0].NumElements() - 1;
  if (last < 0 || static_cast<uint64_t>(last) <= IntMax(result.dtype())) return {};
  return Invalid("index " + std::to_string(last) + " does not fit " +
                 std::string(DtypeName(result.dtype())));
}

Result<Type> InferResult(const Application& application) {
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckArity(application));
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckAttributes(application.info, application.attributes));
  FAULTLINE_ASSIGN_OR_RETURN(const ElementType element, InferElement(application));
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckScalars(application, element));
  FAULTLINE_ASSIGN_OR_RETURN(const Shape shape, InferShape(application));
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckReducedExtent(application));
  const Type result(element, shape);
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckSize(result));
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckIndexFits(application, result));
  if (result.quantized()) {
    FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(VerifyScheme(result.scheme(), shape));
  }
  if (!application.declared.empty() && application.declared[0] != result) {
    return std::unexpected(Invalid("result is declared " + PrintType(application.declared[0]) +
                                   ", but is " + PrintType(result)));
  }
  return result;
}

}  // namespace

Result<std::vector<Type>> InferTypes(Opcode op, std::span<const Type> operands,
                                     std::span<const Scalar> scalars, const Attributes& attributes,
                                     std::span<const Type> declared) {
  const OpInfo& info = InfoOf(op);
  if (declared.size() > 1) {
    return Error(StatusCode::kInvalidProgram, std::string(info.mnemonic) + " has 1 result, but " +
                                                  std::to_string(declared.size()) +
                                                  " are declared");
  }
  const auto result = InferResult({info, operands, scalars, attributes, declared});
  if (!result.has_value()) {
    return Error(result.error().code(),
                 std::string(info.mnemonic) + ": " + result.error().message());
  }
  return std::vector<Type>{*result};
}

}  // namespace faultline::ir
