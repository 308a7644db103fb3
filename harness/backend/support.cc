// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/backend/support.h"

#include "ir/infer.h"

namespace faultline::harness {
namespace {

using ir::AttributeKey;
using ir::Dtype;
using ir::Shape;
using ir::Type;

ir::ElementType ElementOf(Dtype dtype) {
  return dtype == Dtype::kQuantized ? ir::ElementType(ir::Scheme{}) : ir::ElementType(dtype);
}

// The least shape that is legal as operand i of the rule.
Shape ShapeOf(ir::ShapeRule rule, size_t i) {
  switch (rule) {
    case ir::ShapeRule::kNormalizeRows:
    case ir::ShapeRule::kNormalizeChannels:
      return i > 0 ? Shape{2} : Shape{2, 2};
    case ir::ShapeRule::kSelect:
    case ir::ShapeRule::kSelectAssign:
      return i == 1 ? Shape{2} : Shape{2, 2};
    case ir::ShapeRule::kScatterNd:
      // The values at tuples that name single elements.
      return i == 2 ? Shape{2} : Shape{2, 2};
    case ir::ShapeRule::kMeshgrid:
      return Shape{2};
    case ir::ShapeRule::kCross:
      return Shape{3, 2};
    default:
      return Shape{2, 2};
  }
}

// Operand types by the dtype rule, without optional ones.
std::vector<Type> OperandsOf(const ir::OpInfo& info, Dtype dtype) {
  const size_t arity = info.arity == ir::kVariadic ? 2 : static_cast<size_t>(info.arity);
  std::vector<Type> operands;
  for (size_t i = 0; i < arity; ++i) {
    operands.emplace_back(ElementOf(dtype), ShapeOf(info.shape_rule, i));
  }
  const bool integers =
      info.dtype_rule == ir::DtypeRule::kIndexed || info.dtype_rule == ir::DtypeRule::kExponent;
  if (integers) operands[1].element = Dtype::kI64;
  if (info.dtype_rule == ir::DtypeRule::kMasked) operands[1].element = Dtype::kBool;
  if (info.dtype_rule == ir::DtypeRule::kQuantizeWith) {
    operands[1] = Type(Dtype::kF32, Shape{1, 1});  // one scale for the tensor
  } else if (info.dtype_rule == ir::DtypeRule::kQMatmul) {
    operands[1].element = ElementOf(Dtype::kQuantized);
  }
  return operands;
}

void SetAttribute(AttributeKey key, ir::Attributes& attributes) {
  switch (key) {
    case AttributeKey::kDims:
    case AttributeKey::kAxes:
      attributes.Set(key, std::vector<int64_t>{0, 1});
      break;
    case AttributeKey::kTimes:
    case AttributeKey::kStep:
    case AttributeKey::kK:
    case AttributeKey::kLength:
    case AttributeKey::kShift:
    case AttributeKey::kGroups:
      attributes.Set(key, 1);
      break;
    case AttributeKey::kClasses:
    case AttributeKey::kChunks:
      attributes.Set(key, 2);
      break;
    case AttributeKey::kSlices:
      attributes.SetSlices(std::vector<ir::SliceTriple>{{0, 2, 1}, {0, 2, 1}});
      break;
    case AttributeKey::kDim:
    case AttributeKey::kStart:
    case AttributeKey::kDdof:
    case AttributeKey::kOrder:
    case AttributeKey::kSeed:
      attributes.Set(key, 0);
      break;
    case AttributeKey::kUpdate:
      attributes.Set(key, static_cast<int64_t>(ir::Update::kAssign));
      break;
    case AttributeKey::kDimOptional:
    case AttributeKey::kDescending:
    case AttributeKey::kRange:
    case AttributeKey::kDiagonal:
    case AttributeKey::kOffset:
      break;  // absent is legal
  }
}

// The declared results where they are an argument: dtypes by the rule, shapes those of the operand
// or what inference says.
std::vector<Type> DeclaredOf(const ir::OpInfo& info, Dtype dtype, const SampleApplication& sample) {
  switch (info.dtype_rule) {
    case ir::DtypeRule::kIndex:
    case ir::DtypeRule::kSameIndex: {
      const auto shape = ir::InferResultShape(info.op, sample.operands, sample.attributes, {}, 0);
      if (!shape.has_value()) return {};
      std::vector<Type> declared;
      for (size_t r = 0; r < static_cast<size_t>(info.result_count()); ++r) {
        declared.emplace_back(ir::IsIndexResult(info.op, r) ? Dtype::kI64 : dtype, *shape);
      }
      return declared;
    }
    case ir::DtypeRule::kCast:
      if (info.shape_rule == ir::ShapeRule::kOneHot) return {Type(Dtype::kF32, Shape{2, 2, 2})};
      [[fallthrough]];
    case ir::DtypeRule::kDequantize:
      return {Type(Dtype::kF32, Shape{2, 2})};
    case ir::DtypeRule::kQuantize:
    case ir::DtypeRule::kQuantizeWith:
      return {Type(ir::ElementType(ir::Scheme{}), Shape{2, 2})};
    case ir::DtypeRule::kSameParts:
      return {};
    case ir::DtypeRule::kSame:
    case ir::DtypeRule::kDeclared:
      if (info.shape_rule == ir::ShapeRule::kReshape || info.shape_rule == ir::ShapeRule::kExpand ||
          info.shape_rule == ir::ShapeRule::kDeclared) {
        return {Type(ElementOf(dtype), Shape{2, 2})};
      }
      if (info.shape_rule == ir::ShapeRule::kUnfold) {
        return {Type(ElementOf(dtype), Shape{1, 2, 2})};
      }
      return {};
    case ir::DtypeRule::kCompare:
    case ir::DtypeRule::kIndexed:
    case ir::DtypeRule::kMasked:
    case ir::DtypeRule::kExponent:
    case ir::DtypeRule::kQMatmul:
      return {};
  }
  return {};
}

}  // namespace

std::optional<SampleApplication> MakeSample(ir::Opcode op, Dtype dtype) {
  const ir::OpInfo& info = ir::InfoOf(op);
  if (!ir::IsIn(dtype, ir::OperandDtypes(op))) return std::nullopt;
  SampleApplication sample;
  sample.operands = OperandsOf(info, dtype);
  const Dtype typed = info.ScalarDtype(dtype == Dtype::kQuantized ? Dtype::kF32 : dtype);
  ir::Scalar scalar{typed, 0};
  if (info.scalars == ir::ScalarRule::kPositive) scalar = ir::FloatScalar(typed, 1);
  sample.scalars.assign(static_cast<size_t>(info.scalar_count()), scalar);
  for (AttributeKey key : info.attributes()) SetAttribute(key, sample.attributes);
  auto results = ir::InferTypes(op, sample.operands, sample.scalars, sample.attributes,
                                DeclaredOf(info, dtype, sample));
  if (!results) return std::nullopt;
  sample.results = std::move(*results);
  return sample;
}

std::vector<std::pair<ir::Opcode, Dtype>> SupportedOpDtypes(const Backend& backend) {
  std::vector<std::pair<ir::Opcode, Dtype>> pairs;
  for (const ir::OpInfo& info : ir::AllOps()) {
    for (int i = 0; i <= ir::kPlainDtypeCount; ++i) {
      const auto dtype = static_cast<Dtype>(i);
      const auto sample = MakeSample(info.op, dtype);
      if (sample &&
          backend.Supports(info.op, sample->attributes, sample->operands, sample->results).ok()) {
        pairs.emplace_back(info.op, dtype);
      }
    }
  }
  return pairs;
}

}  // namespace faultline::harness
