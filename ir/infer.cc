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
  const OpInfo& info = application.info;
  if (info.TakesOperands(count)) return {};
  if (info.arity == kVariadic) return Invalid("takes at least 1 operand");
  std::string takes = std::to_string(info.arity);
  if (info.optional > 0) takes += " to " + std::to_string(info.arity + info.optional);
  return Invalid("takes " + takes + (takes == "1" ? " operand" : " operands") + ", but has " +
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
Status CheckIndexFits(const Application& application, size_t r, const Type& result) {
  if (!IsIndexResult(application.info.op, r)) return {};
  const int64_t last = application.operands[0].NumElements() - 1;
  if (last < 0 || static_cast<uint64_t>(last) <= IntMax(result.dtype())) return {};
  return Invalid("index " + std::to_string(last) + " does not fit " +
                 std::string(DtypeName(result.dtype())));
}

Result<Type> InferResult(const Application& application, size_t r) {
  FAULTLINE_ASSIGN_OR_RETURN(const ElementType element, InferElement(application, r));
  if (r == 0) FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckScalars(application, element));
  FAULTLINE_ASSIGN_OR_RETURN(const Shape shape, InferShape(application, r));
  if (r == 0) FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckAttributeRanges(application));
  if (r == 0) FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckReducedExtent(application));
  const Type result(element, shape);
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckSize(result));
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckIndexFits(application, r, result));
  if (result.quantized()) {
    FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(VerifyScheme(result.scheme(), shape));
  }
  if (!application.declared.empty() && application.declared[r] != result) {
    const bool one = application.declared.size() == 1;
    return std::unexpected(Invalid((one ? "result" : "result " + std::to_string(r)) +
                                   " is declared " + PrintType(application.declared[r]) +
                                   ", but is " + PrintType(result)));
  }
  return result;
}

// How many results there are by the row, or by the shapes; as many are declared, or none.
Result<size_t> CountResults(const Application& application) {
  const size_t declared = application.declared.size();
  size_t count = static_cast<size_t>(application.info.result_count());
  if (application.info.result_count() == kVariadic) {
    FAULTLINE_ASSIGN_OR_RETURN(count, InferParts(application));
  }
  if (declared == 0 || declared == count) return count;
  return std::unexpected(
      Invalid("has " + std::to_string(count) + (count == 1 ? " result, but " : " results, but ") +
              std::to_string(declared) + (declared == 1 ? " is declared" : " are declared")));
}

Result<std::vector<Type>> InferResults(const Application& application) {
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckArity(application));
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckAttributes(application.info, application.attributes));
  FAULTLINE_ASSIGN_OR_RETURN(const size_t count, CountResults(application));
  std::vector<Type> results;
  for (size_t r = 0; r < count; ++r) {
    FAULTLINE_ASSIGN_OR_RETURN(const Type result, InferResult(application, r));
    results.push_back(result);
  }
  return results;
}

}  // namespace

Result<Shape> InferResultShape(Opcode op, std::span<const Type> operands,
                               const Attributes& attributes, std::span<const Type> declared,
                               size_t r) {
  const Application application{InfoOf(op), operands, {}, attributes, declared};
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckArity(application));
  FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckAttributes(application.info, application.attributes));
  return InferShape(application, r);
}

Result<std::vector<Type>> InferTypes(Opcode op, std::span<const Type> operands,
                                     std::span<const Scalar> scalars, const Attributes& attributes,
                                     std::span<const Type> declared) {
  const OpInfo& info = InfoOf(op);
  if (SeesDecoded(op, operands)) {
    return InferOverDecoded(op, operands, scalars, attributes, declared);
  }
  auto results = InferResults({info, operands, scalars, attributes, declared});
  if (!results.has_value()) {
    return Error(results.error().code(),
                 std::string(info.mnemonic) + ": " + results.error().message());
  }
  return results;
}

int64_t TupleOf(Opcode op, const Shape& index) {
  const ShapeRule rule = InfoOf(op).shape_rule;
  const bool tuples = rule == ShapeRule::kGatherNd || rule == ShapeRule::kScatterNd;
  return tuples && index.rank() > 0 ? index[index.rank() - 1] : 1;
}

}  // namespace faultline::ir
