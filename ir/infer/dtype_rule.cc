// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <string>

#include "ir/infer/rules.h"
#include "ir/text/element.h"

namespace faultline::ir {
namespace {

std::string Number(size_t n) { return std::to_string(n); }

// Operand i must have exactly this element type.
Status CheckSame(const Application& application, size_t i, const ElementType& expected) {
  const ElementType& actual = application.operands[i].element;
  if (actual == expected) return {};
  return Invalid("operand " + Number(i) + " is " + PrintElementType(actual) +
                 ", but operand 0 is " + PrintElementType(expected));
}

Status CheckMask(const Application& application, size_t i, DtypeMask mask) {
  const ElementType& actual = application.operands[i].element;
  if (IsIn(actual.dtype, mask)) return {};
  return Invalid("operand " + Number(i) + " may not be " + PrintElementType(actual));
}

Result<ElementType> Declared(const Application& application, size_t r, DtypeMask mask) {
  if (r >= application.declared.size()) return std::unexpected(Invalid("needs a declared type"));
  const ElementType& declared = application.declared[r].element;
  if (!IsIn(declared.dtype, mask)) {
    return std::unexpected(Invalid("result may not be " + PrintElementType(declared)));
  }
  return declared;
}

// Operand 1 has its own dtype by rule; 0 and 2 agree.
Status CheckIndexed(const Application& application, DtypeMask mask, std::string_view what) {
  const ElementType& second = application.operands[1].element;
  if (!IsIn(second.dtype, mask)) {
    return Invalid("operand 1 is " + PrintElementType(second) + ", but must be " +
                   std::string(what));
  }
  if (application.operands.size() < 3) return {};
  return CheckSame(application, 2, application.operands[0].element);
}

Status CheckQuantize(const Application& application) {
  if (application.declared.size() == 1 && application.declared[0].quantized() &&
      application.declared[0].scheme().asymmetric() &&
      application.attributes.Int(AttributeKey::kRange) != static_cast<int64_t>(Range::kMinMax)) {
    return Invalid("an asymmetric scheme has the range min_max: a mean magnitude says nothing of " +
                   std::string("where zero lies"));
  }
  return {};
}

// Requires bits of the dtype, which is a float where the rule has a range.
Status CheckScalarRange(ScalarRule rule, const Scalar& scalar) {
  if (rule != ScalarRule::kPositive && rule != ScalarRule::kProbability) return {};
  const double value = ToDouble(scalar.dtype, scalar.bits);
  const bool positive = rule == ScalarRule::kPositive;
  // Neither holds of NaN.
  if (positive ? value > 0 && std::isfinite(value) : value >= 0 && value <= 1) return {};
  return Invalid("scalar " + PrintElement(scalar.dtype, scalar.bits) +
                 (positive ? " is not above 0 and finite" : " is no probability"));
}

}  // namespace

Result<ElementType> InferElement(const Application& application, size_t r) {
  const OpInfo& info = application.info;
  const auto operands = application.operands;
  if (!operands.empty()) {
    FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckMask(application, 0, info.operand_dtypes));
  }
  constexpr DtypeMask kIndexMask = MaskOf(Dtype::kI32) | MaskOf(Dtype::kI64);
  switch (info.dtype_rule) {
    case DtypeRule::kSame:
    case DtypeRule::kSameParts:
    case DtypeRule::kCompare:
      for (size_t i = 1; i < operands.size(); ++i) {
        FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckSame(application, i, operands[0].element));
      }
      if (info.dtype_rule == DtypeRule::kCompare) return ElementType(Dtype::kBool);
      if (operands[0].quantized()) return ElementType(InferScheme(application));
      return operands[0].element;
    case DtypeRule::kIndexed:
    case DtypeRule::kExponent:
      FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckIndexed(application, kIndexMask, "i32 or i64"));
      return operands[0].element;
    case DtypeRule::kMasked:
      FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckIndexed(application, kBoolMask, "bool"));
      return operands[0].element;
    case DtypeRule::kIndex:
      return Declared(application, r, kIndexMask);
    case DtypeRule::kSameIndex:
      if (r == 0) return operands[0].element;
      return Declared(application, r, kIndexMask);
    case DtypeRule::kCast:
      return Declared(application, r, kPlainMask);
    case DtypeRule::kDeclared:
      return Declared(application, r, info.operand_dtypes);
    case DtypeRule::kQuantize:
      FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckQuantize(application));
      return Declared(application, r, kQuantizedMask);
    case DtypeRule::kQuantizeWith: {
      FAULTLINE_ASSIGN_OR_RETURN(const ElementType result,
                                 Declared(application, r, kQuantizedMask));
      FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(CheckGivenScales(application, result));
      return result;
    }
    case DtypeRule::kQMatmul:
      return InferQMatmulElement(application);
    case DtypeRule::kDequantize:
      return Declared(application, r, kFloatMask);
  }
  return std::unexpected(Invalid("has no dtype rule"));
}

Status CheckScalars(const Application& application, const ElementType& result) {
  const auto wanted = static_cast<size_t>(application.info.scalar_count());
  if (application.scalars.size() != wanted) {
    return Invalid("takes " + Number(wanted) + (wanted == 1 ? " scalar" : " scalars") +
                   ", but has " + Number(application.scalars.size()));
  }
  Dtype dtype = application.operands.empty() ? result.dtype : application.operands[0].dtype();
  dtype = application.info.ScalarDtype(dtype);
  for (size_t i = 0; i < wanted; ++i) {
    const Scalar& scalar = application.scalars[i];
    if (scalar.dtype > Dtype::kQuantized || scalar.dtype != dtype) {
      return Invalid("scalar " + Number(i) + " is not of dtype " + std::string(DtypeName(dtype)));
    }
    if (!IsElement(dtype, scalar.bits)) {
      return Invalid("the bits of scalar " + Number(i) + " are no " +
                     std::string(DtypeName(dtype)));
    }
    FAULTLINE_RETURN_IF_ERROR(CheckScalarRange(application.info.scalars, scalar));
  }
  return {};
}

}  // namespace faultline::ir
