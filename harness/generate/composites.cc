// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Applications of composites whose operands follow rules of their own.

#include <algorithm>
#include <array>
#include <optional>

#include "harness/generate/composer.h"
#include "harness/generate/size_law.h"

namespace faultline::harness {

using ir::AttributeKey;
using ir::Dtype;
using ir::kNoValue;
using ir::Opcode;
using ir::Shape;
using ir::Type;
using ir::ValueId;

ValueId Composer::Stack(const ir::OpInfo& info, ValueId first) {
  const ValueId operand = First(info, first);
  if (operand == kNoValue) return kNoValue;
  const Type type = builder_.TypeOf(operand);
  ir::Attributes attributes;
  attributes.Set(AttributeKey::kDim, choices_.Below(static_cast<uint32_t>(type.shape.rank()) + 1));
  std::vector<ValueId> operands = {operand};
  for (uint32_t i = choices_.Below(4); i > 0; --i) {
    const ValueId live = choices_.Percent(50) ? LiveOf(type) : kNoValue;
    const ValueId value = live != kNoValue ? live : Exactly(type);
    if (value != kNoValue) operands.push_back(value);
  }
  return Apply(info.op, operands, attributes);
}

ValueId Composer::Meshgrid(const ir::OpInfo& info, ValueId first) {
  ValueId operand = First(info, first);
  if (operand == kNoValue) return kNoValue;
  Type type = builder_.TypeOf(operand);
  if (type.shape.rank() != 1) {
    type.shape = Shape{type.NumElements()};
    operand = Apply(Opcode::kReshape, {&operand, 1}, {}, type);
    if (operand == kNoValue) return kNoValue;
  }
  std::vector<ValueId> operands = {operand};
  int64_t room = 4 * Aim() / std::max<int64_t>(1, type.NumElements());
  for (uint32_t i = choices_.Below(3); i > 0; --i) {
    const int64_t extent = DrawExtent(choices_, swarm_, std::max<int64_t>(1, room));
    room /= std::max<int64_t>(1, extent);
    const ValueId value = ParameterOf(Type(type.element, Shape{extent}));
    if (value != kNoValue) operands.push_back(value);
  }
  if (choices_.Percent(30)) std::swap(operands.front(), operands.back());
  return Apply(info.op, operands);
}

// The newest live value of exactly this type.
ValueId Composer::LiveOf(const Type& type) {
  const auto live = builder_.live();
  for (size_t i = live.size(); i-- > 0;) {
    if (builder_.TypeOf(live[i]) == type) return live[i];
  }
  return kNoValue;
}

ValueId Composer::OneHot(const ir::OpInfo& info, ValueId first) {
  const ValueId operand = First(info, first);
  if (operand == kNoValue) return kNoValue;
  Shape shape = builder_.TypeOf(operand).shape;
  ir::Attributes attributes;
  if (!DrawViewAttributes(choices_, info, shape, attributes)) return kNoValue;
  if (shape.rank() == ir::kRankMax) return kNoValue;
  shape.PushBack(attributes.Int(AttributeKey::kClasses));
  return Apply(info.op, {&operand, 1}, attributes, Type(DrawDtype(ir::kPlainMask), shape));
}

ValueId Composer::Cross(const ir::OpInfo& info, ValueId first) {
  ValueId operand = First(info, first, 1);
  if (operand == kNoValue) return kNoValue;
  Type type = builder_.TypeOf(operand);
  // An axis of extent 3 or, for one operand, 1; a longer one is cut.
  const int rank = type.shape.rank();
  const auto from = static_cast<int>(choices_.Below(static_cast<uint32_t>(rank)));
  int dim = from;
  for (int i = 0; i < rank; ++i) {
    if (type.shape[(from + i) % rank] == 3) dim = (from + i) % rank;
  }
  ir::Attributes attributes;
  if (type.shape[dim] > 3) {
    attributes.Set(AttributeKey::kDim, dim);
    attributes.Set(AttributeKey::kStart, choices_.Between(0, type.shape[dim] - 3));
    attributes.Set(AttributeKey::kLength, 3);
    operand = Apply(Opcode::kNarrow, {&operand, 1}, attributes);
  } else if (type.shape[dim] != 3 && type.shape[dim] != 1) {
    if (first != kNoValue) return kNoValue;
    type.shape[dim] = 3;
    operand = Exactly(type);
  }
  if (operand == kNoValue) return kNoValue;
  type = builder_.TypeOf(operand);
  type.shape[dim] = 3;
  for (int axis = 0; axis < rank; ++axis) {
    if (axis != dim && choices_.Percent(20)) type.shape[axis] = 1;
  }
  const ValueId other = ParameterOf(type);
  if (other == kNoValue) return kNoValue;
  attributes = {};
  attributes.Set(AttributeKey::kDim, dim);
  std::array<ValueId, 2> operands = {operand, other};
  if (choices_.Percent(40)) std::swap(operands[0], operands[1]);
  return Apply(info.op, operands, attributes);
}

ValueId Composer::Embedding(const ir::OpInfo& info, ValueId first) {
  ValueId weights = First(info, first, 1);
  if (weights == kNoValue) return kNoValue;
  Type type = builder_.TypeOf(weights);
  if (type.shape.rank() != 2) {
    const int64_t row = type.shape[type.shape.rank() - 1];
    type.shape = Shape{row == 0 ? 0 : type.NumElements() / row, row};
    weights = Apply(Opcode::kReshape, {&weights, 1}, {}, type);
    if (weights == kNoValue) return kNoValue;
  }
  const int64_t room = std::max<int64_t>(1, 2 * Aim() / std::max<int64_t>(1, type.shape[1]));
  Shape shape;
  for (uint32_t rank = choices_.Below(4); rank > 0; --rank) {
    shape.PushBack(DrawExtent(choices_, swarm_, std::min<int64_t>(room, 6)));
  }
  if (type.shape[0] == 0) shape = Shape{0};
  const ValueId index = Index(shape, type.shape[0]);
  if (index == kNoValue) return kNoValue;
  const std::array<ValueId, 2> operands = {weights, index};
  return Apply(info.op, operands);
}

ValueId Composer::Linear(const ir::OpInfo& info, ValueId first) {
  const ValueId x = First(info, first, 1);
  if (x == kNoValue) return kNoValue;
  const Type type = builder_.TypeOf(x);
  const int64_t inner = type.shape[type.shape.rank() - 1];
  const int64_t room = std::max<int64_t>(1, 4 * Aim() / std::max<int64_t>(1, type.NumElements()));
  const int64_t outer = choices_.OneIn(8) ? 1 : DrawExtent(choices_, swarm_, room);
  std::vector<ValueId> operands = {x, ParameterOf(Type(type.element, Shape{inner, outer}))};
  if (choices_.Percent(60)) operands.push_back(ParameterOf(Type(type.element, Shape{outer})));
  if (std::ranges::find(operands, kNoValue) != operands.end()) return kNoValue;
  return Apply(info.op, operands);
}

ValueId Composer::Normalize(const ir::OpInfo& info, ValueId first) {
  const bool rows = info.shape_rule == ir::ShapeRule::kNormalizeRows;
  const ValueId x = First(info, first, rows ? 1 : 2);
  if (x == kNoValue) return kNoValue;
  const Type type = builder_.TypeOf(x);
  const Type parameter(type.element, Shape{type.shape[rows ? type.shape.rank() - 1 : 1]});
  std::vector<ValueId> operands = {x};
  const int optional = info.optional > 0 && choices_.Percent(60) ? info.optional : 0;
  for (int i = 1; i < info.arity + optional; ++i) {
    // Of five operands the last is a variance.
    operands.push_back(ParameterOf(parameter, i == 4 ? ir::Domain::kPositive : ir::Domain::kAny));
    if (operands.back() == kNoValue) return kNoValue;
  }
  ir::Attributes attributes;
  if (!DrawViewAttributes(choices_, info, type.shape, attributes)) return kNoValue;
  return Apply(info.op, operands, attributes);
}

// Weights and the like: a live value of the type, an input, or something just computed.
ValueId Composer::ParameterOf(const Type& type, ir::Domain domain) {
  if (choices_.Percent(60)) {
    const ValueId live = LiveOf(type);
    if (live != kNoValue) return live;
  }
  const ValueId value = Exactly(type, domain);
  if (value == kNoValue || !choices_.Percent(20)) return value;
  const bool positive = domain == ir::Domain::kPositive;
  if (!ir::IsIn(type.dtype(), ir::kNumericMask)) return Apply(Opcode::kBoolNot, {&value, 1});
  return Apply(positive ? Opcode::kAbs : Opcode::kNeg, {&value, 1});
}

}  // namespace faultline::harness
