// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Applications whose result has the shape of the operands, broadcast or as they are; and creation.

#include <algorithm>
#include <array>

#include "harness/generate/composer.h"
#include "harness/generate/input_data.h"
#include "harness/generate/size_law.h"
#include "ir/infer.h"

namespace faultline::harness {

using ir::Dtype;
using ir::kNoValue;
using ir::Opcode;
using ir::Type;
using ir::ValueId;

ValueId Composer::Apply(Opcode op, std::span<const ValueId> operands,
                        const ir::Attributes& attributes, std::optional<Type> declared) {
  const ir::OpInfo& info = ir::InfoOf(op);
  std::vector<Type> types;
  for (const ValueId operand : operands) types.push_back(builder_.TypeOf(operand));
  std::vector<ir::Scalar> scalars;
  if (info.scalars != ir::ScalarRule::kNone) {
    const Dtype first = operands.empty() ? declared->dtype() : types[0].dtype();
    scalars = DrawScalars(info, first == Dtype::kQuantized ? ir::ComputeDtype(types) : first);
  }
  if (!declared.has_value() && choices_.Percent(swarm_.propagate_percent)) {
    declared = Propagated(op, types, scalars, attributes);
  }
  return builder_.Apply(
      op, operands, scalars, attributes,
      declared.has_value() ? std::span<const Type>(&*declared, 1) : std::span<const Type>());
}

ValueId Composer::ApplyWithIndex(Opcode op, ValueId operand, const ir::Attributes& attributes,
                                 Dtype index) {
  const Type type = builder_.TypeOf(operand);
  const auto shape = ir::InferResultShape(op, {&type, 1}, attributes, {}, 0);
  if (!shape.has_value()) return kNoValue;
  ir::ElementType element = type.element;
  if (ir::SeesDecoded(op, {&type, 1})) {
    const bool propagates =
        choices_.Percent(swarm_.propagate_percent) && ir::VerifyScheme(type.scheme(), *shape).ok();
    if (!propagates) element = Dtype::kF32;
  }
  std::vector<Type> declared;
  for (size_t r = 0; r < static_cast<size_t>(ir::InfoOf(op).result_count()); ++r) {
    declared.emplace_back(ir::IsIndexResult(op, r) ? index : element, *shape);
  }
  return builder_.Apply(op, {&operand, 1}, {}, attributes, declared);
}

std::optional<Type> Composer::Propagated(Opcode op, std::span<const Type> operands,
                                         std::span<const ir::Scalar> scalars,
                                         const ir::Attributes& attributes) const {
  if (!ir::SeesDecoded(op, operands) && op != Opcode::kQMatmul) return std::nullopt;
  const auto first = std::ranges::find_if(operands, &Type::quantized);
  const auto plain = ir::InferTypes(op, operands, scalars, attributes, {});
  if (first == operands.end() || !plain.has_value() || plain->size() != 1) return std::nullopt;
  const Type result(first->element, (*plain)[0].shape);
  const bool fits = ir::IsIn((*plain)[0].dtype(), ir::kQuantizableMask) &&
                    ir::VerifyScheme(result.scheme(), result.shape).ok();
  return fits ? std::optional<Type>(result) : std::nullopt;
}

std::vector<ir::Scalar> Composer::DrawScalars(const ir::OpInfo& info, Dtype dtype) {
  const uint32_t special = swarm_.special_percent / 2;
  switch (info.scalars) {
    case ir::ScalarRule::kNone:
      return {};
    case ir::ScalarRule::kInt:
      // A shift amount, or an exponent.
      if (info.family == ir::OpFamily::kInt) return {DrawShift(choices_, dtype)};
      return {ir::IntScalar(Dtype::kI64, DrawExponent(choices_, Dtype::kI64))};
    case ir::ScalarRule::kTyped:
      return {DrawScalar(choices_, dtype, ir::Domain::kAny, special)};
    case ir::ScalarRule::kProbability:
      return {ir::FloatScalar(Dtype::kF32, choices_.Pick({0.5, 0.25, 0.0, 1.0, 0.1, 0x1p-20}))};
    case ir::ScalarRule::kPositive:
      // What libraries take, what swamps the data, and the least that f16 can hold.
      return {ir::FloatScalar(dtype, choices_.Pick({1e-5, 1e-3, 1e-6, 1.0, 64.0, 0x1p-24}))};
    case ir::ScalarRule::kTypedTyped: {
      // Mostly in order: the other way round has one answer everywhere.
      const ir::Scalar a = DrawScalar(choices_, dtype, ir::Domain::kAny, special);
      const ir::Scalar b = DrawScalar(choices_, dtype, ir::Domain::kPositive, special);
      const bool ordered = ir::IsFloat(dtype)
                               ? ir::ToDouble(dtype, a.bits) <= ir::ToDouble(dtype, b.bits)
                               : ir::ToInt(dtype, a.bits) <= ir::ToInt(dtype, b.bits);
      if (ordered == choices_.Percent(90)) return {a, b};
      return {b, a};
    }
  }
  return {};
}

ValueId Composer::Unary(const ir::OpInfo& info, ValueId first) {
  const bool along = info.Takes(ir::AttributeKey::kDim) || info.Takes(ir::AttributeKey::kAxes);
  const ValueId operand = First(info, first, along ? 1 : 0);
  if (operand == kNoValue) return kNoValue;
  const Type type = builder_.TypeOf(operand);
  ir::Attributes attributes;
  if (!DrawViewAttributes(choices_, info, type.shape, attributes)) return kNoValue;
  std::optional<Type> declared;
  switch (info.dtype_rule) {
    case ir::DtypeRule::kCast:
      declared = Type(DrawDtype(ir::kPlainMask), type.shape);
      break;
    case ir::DtypeRule::kQuantize:
      return Quantize(operand);
    case ir::DtypeRule::kQuantizeWith:
      return QuantizeWith(operand);
    case ir::DtypeRule::kDequantize:
      declared = Type(DrawDtype(ir::kFloatMask), type.shape);
      break;
    default:
      break;
  }
  return Apply(info.op, {&operand, 1}, attributes, declared);
}

ValueId Composer::Broadcast(const ir::OpInfo& info, ValueId first) {
  ValueId operand = First(info, first);
  if (operand == kNoValue) return kNoValue;
  std::array<ValueId, 3> operands = {};
  const auto arity = static_cast<size_t>(info.arity);
  if (info.dtype_rule == ir::DtypeRule::kMasked) {
    operands[0] = operand;
    operands[1] = Mask(operand);
    if (operands[1] == kNoValue) return kNoValue;
    if (arity == 3) operands[2] = Partner(operand, info.domain);
    if (arity == 3 && choices_.Percent(30)) std::swap(operands[0], operands[2]);
  } else if (info.dtype_rule == ir::DtypeRule::kExponent) {
    operands[0] = operand;
    operands[1] = Exponent(operand);
  } else {
    // A divisor or an exponent has a domain of its own; the row speaks of the first operand.
    operands[0] = operand;
    operands[1] =
        Partner(operand, info.domain == ir::Domain::kAny ? ir::Domain::kNonZero : ir::Domain::kAny);
    if (choices_.Percent(30)) std::swap(operands[0], operands[1]);
  }
  for (size_t i = 0; i < arity; ++i) {
    if (operands[i] == kNoValue) return kNoValue;
  }
  return Apply(info.op, std::span<const ValueId>(operands).first(arity));
}

ValueId Composer::Creation(const ir::OpInfo& info) {
  const Type type(DrawDtype(info.operand_dtypes & ir::kPlainMask),
                  DrawShape(choices_, swarm_, -1, Aim()));
  ir::Attributes attributes;
  if (!DrawViewAttributes(choices_, info, type.shape, attributes)) return kNoValue;
  return Apply(info.op, {}, attributes, type);
}

}  // namespace faultline::harness
