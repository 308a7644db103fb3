// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Views, joins and indexing: applications that move elements.

#include <algorithm>
#include <array>
#include <utility>

#include "harness/generate/composer.h"
#include "harness/generate/input_data.h"
#include "harness/generate/size_law.h"
#include "ir/infer.h"

namespace faultline::harness {

using ir::AttributeKey;
using ir::Dtype;
using ir::kNoValue;
using ir::Opcode;
using ir::Shape;
using ir::Type;
using ir::ValueId;

namespace {

int DrawAxis(ChoiceStream& choices, int rank) {
  // The last axis is where vectors run.
  if (choices.Percent(35)) return rank - 1;
  return static_cast<int>(choices.Below(static_cast<uint32_t>(rank)));
}

std::vector<int64_t> DrawPermutation(ChoiceStream& choices, int rank) {
  std::vector<int64_t> axes(static_cast<size_t>(rank));
  for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int64_t>(i);
  for (size_t i = axes.size(); i > 1; --i) {
    std::swap(axes[i - 1], axes[choices.Below(static_cast<uint32_t>(i))]);
  }
  return axes;
}

std::vector<int64_t> DrawAxes(ChoiceStream& choices, int rank) {
  std::vector<int64_t> axes;
  for (int axis = 0; axis < rank; ++axis) {
    if (choices.Percent(45)) axes.push_back(axis);
  }
  if (axes.empty()) axes.push_back(DrawAxis(choices, rank));
  return axes;
}

ir::SliceTriple DrawSlice(ChoiceStream& choices, int64_t extent) {
  ir::SliceTriple slice{0, extent, 1};
  if (extent == 0 || choices.Percent(30)) return slice;
  switch (choices.Below(6)) {
    case 0:  // a prefix
      slice.stop = choices.Between(1, extent);
      break;
    case 1:  // at an offset
      slice.start = choices.Between(0, extent - 1);
      break;
    case 2:
      slice.start = choices.Between(0, extent - 1);
      slice.stop = choices.Between(slice.start + 1, extent);
      slice.step = choices.Between(1, 3);
      break;
    case 3:  // backwards
      slice.step = -choices.Between(1, 3);
      if (choices.Percent(40)) slice.start = choices.Between(0, extent - 1);
      break;
    case 4:  // as Python counts
      slice.start = -choices.Between(1, extent);
      if (choices.Percent(50)) slice.step = choices.Between(1, 2);
      break;
    default:  // one element, past the end, or nothing
      slice.start = choices.Between(0, extent - 1);
      slice.stop = slice.start + 1;
      if (choices.OneIn(6)) slice.stop = extent + 5;
      if (choices.OneIn(30)) slice.stop = slice.start;
      break;
  }
  return slice;
}

// A divisor of the number of channels.
int64_t DrawGroups(ChoiceStream& choices, const Shape& shape) {
  const int64_t channels = shape.rank() < 2 ? 1 : shape[1];
  if (channels > 1 && choices.Percent(30)) return channels;
  constexpr int64_t kDivisors[] = {2, 3, 4, 8};
  const int64_t drawn = choices.Pick(kDivisors);
  return channels % drawn == 0 && channels > 0 ? drawn : 1;
}

}  // namespace

bool DrawViewAttributes(ChoiceStream& choices, const ir::OpInfo& info, const Shape& shape,
                        ir::Attributes& attributes) {
  const int rank = shape.rank();
  for (const AttributeKey key : info.attributes()) {
    switch (key) {
      case AttributeKey::kDim:
        if (rank == 0) return false;
        attributes.Set(key, DrawAxis(choices, rank));
        break;
      case AttributeKey::kDimOptional:
        if (rank > 0 && choices.Percent(75)) attributes.Set(key, DrawAxis(choices, rank));
        break;
      case AttributeKey::kDims: {
        if (rank == 0) return false;
        std::vector<int64_t> dims = {DrawAxis(choices, rank), DrawAxis(choices, rank)};
        attributes.Set(key, std::move(dims));
        break;
      }
      case AttributeKey::kAxes:
        if (info.shape_rule == ir::ShapeRule::kPermute) {
          attributes.Set(key, DrawPermutation(choices, rank));
        } else {
          if (rank == 0) return false;
          attributes.Set(key, DrawAxes(choices, rank));
        }
        break;
      case AttributeKey::kTimes:
        attributes.Set(key, choices.OneIn(20) ? 0 : choices.Between(1, 4));
        break;
      case AttributeKey::kStep:
        attributes.Set(key, choices.Between(1, 3));
        break;
      case AttributeKey::kK: {
        // Of the axis drawn before: all of it, a few, or nothing.
        const int64_t extent = shape[static_cast<int>(attributes.dim())];
        attributes.Set(
            key, choices.OneIn(20) ? 0 : choices.Between(std::min<int64_t>(1, extent), extent));
        break;
      }
      case AttributeKey::kDescending:
        attributes.Set(key, choices.Below(2));
        break;
      case AttributeKey::kUpdate: {
        const auto words = static_cast<uint32_t>(ir::InfoOf(key).words.size());
        attributes.Set(key, choices.Percent(70) ? choices.Below(2) : choices.Below(words));
        break;
      }
      case AttributeKey::kRange:
        attributes.Set(key, choices.OneIn(5) ? 1 : 0);
        break;
      case AttributeKey::kStart:
        // Of narrow, whose dim is drawn before and whose length after it.
        attributes.Set(key, choices.Between(0, shape[static_cast<int>(attributes.dim())]));
        break;
      case AttributeKey::kLength:
        if (info.shape_rule == ir::ShapeRule::kSplit) {
          const int64_t extent = shape[static_cast<int>(attributes.dim())];
          // A few parts, and rarely as many as there are elements.
          const int64_t least = choices.OneIn(12) ? 1 : (extent + 3) / 4;
          attributes.Set(key, choices.Between(std::max<int64_t>(1, least), extent + 1));
          break;
        }
        attributes.Set(key, choices.Between(0, shape[static_cast<int>(attributes.dim())] -
                                                   attributes.Int(AttributeKey::kStart)));
        break;
      case AttributeKey::kShift: {
        const int64_t extent = shape[static_cast<int>(attributes.dim())];
        attributes.Set(key, choices.Between(-2 * extent - 1, 2 * extent + 1));
        break;
      }
      case AttributeKey::kDiagonal:
        attributes.Set(key, choices.Percent(40) ? 0 : choices.Between(-4, 4));
        break;
      case AttributeKey::kChunks:
        attributes.Set(key, choices.Between(1, choices.OneIn(12) ? 70 : 5));
        break;
      case AttributeKey::kClasses:
        attributes.Set(key, choices.OneIn(12) ? 0 : choices.Between(1, 9));
        break;
      case AttributeKey::kGroups:
        attributes.Set(key, DrawGroups(choices, shape));
        break;
      case AttributeKey::kDdof:
        attributes.Set(key, choices.OneIn(8) ? choices.Between(2, 9) : choices.Below(2));
        break;
      case AttributeKey::kSeed:
        attributes.Set(
            key, choices.Percent(80) ? choices.Below(1000) : static_cast<int64_t>(choices.Bits()));
        break;
      case AttributeKey::kOffset:
        // Mostly none; else a small one, or one with a high half.
        if (choices.Percent(70)) break;
        attributes.Set(
            key, choices.Percent(50) ? choices.Below(100) : static_cast<int64_t>(choices.Bits()));
        break;
      case AttributeKey::kOrder:
        attributes.Set(key, choices.Below(static_cast<uint32_t>(ir::InfoOf(key).words.size())));
        break;
      case AttributeKey::kSlices: {
        std::vector<ir::SliceTriple> slices;
        for (const int64_t extent : shape) slices.push_back(DrawSlice(choices, extent));
        attributes.SetSlices(slices);
        break;
      }
    }
  }
  return true;
}

void FitUpdate(Dtype dtype, ir::Attributes& attributes) {
  if (!attributes.Has(AttributeKey::kUpdate)) return;
  const auto update = static_cast<ir::Update>(attributes.Int(AttributeKey::kUpdate));
  if (update == ir::Update::kAssign || (update == ir::Update::kOr) == (dtype == Dtype::kBool)) {
    return;
  }
  const ir::Update fitting = dtype == Dtype::kBool ? ir::Update::kOr : ir::Update::kAdd;
  attributes.Set(AttributeKey::kUpdate, static_cast<int64_t>(fitting));
}

int64_t DrawWindow(ChoiceStream& choices, int64_t extent) {
  if (choices.OneIn(24)) return choices.Percent(50) ? 0 : extent + 1;
  return choices.Between(std::min<int64_t>(1, extent), std::min<int64_t>(extent, 5));
}

int64_t IndexBound(const ir::Attributes& attributes, const Shape& shape, int64_t tuple) {
  if (attributes.has_dim()) return shape[static_cast<int>(attributes.dim())];
  int64_t bound = shape[0];
  for (int axis = 1; axis < tuple && axis < shape.rank(); ++axis) {
    bound = std::min(bound, shape[axis]);
  }
  return bound;
}

Shape PlacesShape(const ir::OpInfo& info, const ir::Attributes& attributes, const Shape& shape,
                  const Shape& index) {
  if (info.shape_rule == ir::ShapeRule::kSelectAssign ||
      info.shape_rule == ir::ShapeRule::kSelect) {
    Shape places = shape;
    places[static_cast<int>(attributes.dim())] = index[0];
    return places;
  }
  if (attributes.has_dim()) return index;
  Shape places(index.extents().first(static_cast<size_t>(index.rank() - 1)));
  for (int axis = static_cast<int>(ir::TupleOf(info.op, index)); axis < shape.rank(); ++axis) {
    places.PushBack(shape[axis]);
  }
  return places;
}

Shape Composer::DrawReshape(const Shape& shape) {
  const int64_t count = shape.NumElements();
  Shape result;
  switch (choices_.Below(5)) {
    case 0:
      return Shape{count};
    case 1: {  // a one goes in
      result = shape;
      if (result.rank() < 6) {
        result.Insert(static_cast<int>(choices_.Below(static_cast<uint32_t>(shape.rank()) + 1)), 1);
      }
      return result;
    }
    case 2: {  // two neighbours merge
      if (shape.rank() < 2) return Shape{count, 1};
      result = shape;
      const int axis = static_cast<int>(choices_.Below(static_cast<uint32_t>(shape.rank()) - 1));
      result[axis] *= result[axis + 1];
      result.Erase(axis + 1);
      return result;
    }
    case 3: {  // the ones go out
      for (const int64_t extent : shape) {
        if (extent != 1) result.PushBack(extent);
      }
      return result;
    }
    default: {  // the factors in another order
      int64_t rest = count;
      constexpr int64_t kFactors[] = {2, 3, 4, 5, 7, 8, 16, 32};
      for (int i = 0; i < 3 && rest > 1; ++i) {
        const int64_t factor = choices_.Pick(kFactors);
        if (rest % factor != 0) continue;
        result.PushBack(factor);
        rest /= factor;
      }
      result.PushBack(rest);
      return result;
    }
  }
}

ValueId Composer::View(const ir::OpInfo& info, ValueId first) {
  const bool needs_axis = !info.attributes().empty() && info.op != Opcode::kPermute;
  const bool matrices =
      info.shape_rule == ir::ShapeRule::kMatrices || info.shape_rule == ir::ShapeRule::kDiagonal;
  const ValueId operand = First(info, first, matrices ? 2 : needs_axis ? 1 : 0);
  if (operand == kNoValue) return kNoValue;
  const Type type = builder_.TypeOf(operand);
  ir::Attributes attributes;
  if (!DrawViewAttributes(choices_, info, type.shape, attributes)) return kNoValue;
  std::optional<Type> declared;
  if (info.shape_rule == ir::ShapeRule::kUnfold) {
    if (type.shape.rank() >= 6) return kNoValue;
    // The number of windows follows; inference says what it is.
    Shape shape = type.shape;
    shape.PushBack(DrawWindow(choices_, shape[static_cast<int>(attributes.dim())]));
    declared = Type(type.element, shape);
    const auto windows = ir::InferResultShape(info.op, {&type, 1}, attributes, {&*declared, 1}, 0);
    if (!windows.has_value()) return kNoValue;
    declared->shape = *windows;
  } else if (info.shape_rule == ir::ShapeRule::kReshape) {
    declared = Type(type.element, DrawReshape(type.shape));
  } else if (info.shape_rule == ir::ShapeRule::kExpand) {
    Shape shape = type.shape;
    const int64_t room = std::max<int64_t>(1, 2 * Aim() / std::max<int64_t>(1, type.NumElements()));
    int64_t grown = 1;
    for (int axis = 0; axis < shape.rank(); ++axis) {
      if (shape[axis] != 1 || grown * 2 > room) continue;
      shape[axis] = choices_.Between(2, std::max<int64_t>(2, std::min<int64_t>(room / grown, 9)));
      grown *= shape[axis];
    }
    if (shape.rank() < 6 && (grown == 1 || choices_.Percent(30))) {
      shape.Insert(0, choices_.Between(1, std::max<int64_t>(2, std::min<int64_t>(room, 4))));
    }
    declared = Type(type.element, shape);
  }
  return Apply(info.op, {&operand, 1}, attributes, declared);
}

ValueId Composer::AddView(ValueId value, bool keep_rank) {
  constexpr Opcode kViews[] = {Opcode::kPermute,  Opcode::kSlice, Opcode::kFlip,
                               Opcode::kSwapDims, Opcode::kSlice, Opcode::kExpand,
                               Opcode::kReshape};
  for (int attempt = 0; attempt < 2; ++attempt) {
    const Opcode op = choices_.Pick(std::span<const Opcode>(kViews).first(keep_rank ? 5 : 7));
    const ValueId view = View(ir::InfoOf(op), value);
    if (view != kNoValue) return view;
  }
  return kNoValue;
}

ValueId Composer::Cat(const ir::OpInfo& info, ValueId first) {
  const ValueId operand = First(info, first, 1);
  if (operand == kNoValue) return kNoValue;
  const Type type = builder_.TypeOf(operand);
  ir::Attributes attributes;
  const int dim = DrawAxis(choices_, type.shape.rank());
  attributes.Set(AttributeKey::kDim, dim);
  std::vector<ValueId> operands = {operand};
  // More than any limit on bindings, where the swarm is for wide programs.
  uint32_t count = choices_.Below(4);
  if (swarm_.script == Script::kWide && choices_.Percent(40)) count = 8 + choices_.Below(40);
  for (uint32_t i = 0; i < count; ++i) {
    if (choices_.Percent(25)) {
      operands.push_back(operands[choices_.Below(static_cast<uint32_t>(operands.size()))]);
      continue;
    }
    Type other = type;
    other.shape[dim] = choices_.OneIn(12) ? 0 : DrawExtent(choices_, swarm_, type.shape[dim] + 2);
    if (other.quantized()) other = type;
    const ValueId value = Exactly(other);
    if (value != kNoValue) operands.push_back(value);
  }
  return Apply(info.op, operands, attributes);
}

// An index for the places of a lookup: its shape by the rule, its elements within bounds.
ValueId Composer::PlacesIndex(const ir::OpInfo& info, const ir::Attributes& attributes,
                              const Shape& shape) {
  Shape index;
  if (!attributes.has_dim()) {
    const int64_t tuple = choices_.Between(1, std::min(shape.rank(), 3));
    const int64_t bound = IndexBound(attributes, shape, tuple);
    const int64_t places = bound == 0 ? 0 : DrawExtent(choices_, swarm_, 2 * bound);
    // What the tuples name has their axes but the last, and those of the tensor that they leave.
    const bool room = shape.rank() - tuple < ir::kRankMax - 1;
    if (choices_.Percent(40) && room) index.PushBack(choices_.Between(1, 3));
    index.PushBack(places);
    index.PushBack(tuple);
    if (choices_.Percent(70)) return Index(index, bound);
    // Computed tuples: a run of indices in another shape.
    const ValueId flat = Index(Shape{index.NumElements()}, bound);
    return flat == kNoValue ? kNoValue
                            : Apply(Opcode::kReshape, {&flat, 1}, {},
                                    Type(builder_.TypeOf(flat).element, index));
  }
  const auto dim = static_cast<int>(attributes.dim());
  const int64_t extent = shape[dim];
  const int64_t count = extent == 0 ? 0 : DrawExtent(choices_, swarm_, 2 * extent);
  const bool rows =
      info.shape_rule == ir::ShapeRule::kSelect || info.shape_rule == ir::ShapeRule::kSelectAssign;
  if (!rows) index = shape;
  if (rows) index.PushBack(count);
  if (!rows) index[dim] = count;
  return Index(index, extent);
}

ValueId Composer::Indexed(const ir::OpInfo& info, ValueId first) {
  const ValueId operand = First(info, first, 1);
  if (operand == kNoValue) return kNoValue;
  const Type type = builder_.TypeOf(operand);
  ir::Attributes attributes;
  if (!DrawViewAttributes(choices_, info, type.shape, attributes)) return kNoValue;
  FitUpdate(type.dtype(), attributes);
  const ValueId index = PlacesIndex(info, attributes, type.shape);
  if (index == kNoValue) return kNoValue;
  std::vector<ValueId> operands = {operand, index};
  if (info.arity == 3) {
    const Shape places = PlacesShape(info, attributes, type.shape, builder_.TypeOf(index).shape);
    operands.push_back(Exactly(Type(type.element, places)));
    if (operands.back() == kNoValue) return kNoValue;
  }
  return Apply(info.op, operands, attributes);
}

ValueId Composer::SliceAssign(const ir::OpInfo& info, ValueId first) {
  const ValueId operand = First(info, first, 1);
  if (operand == kNoValue) return kNoValue;
  const Type type = builder_.TypeOf(operand);
  ir::Attributes attributes;
  if (!DrawViewAttributes(choices_, info, type.shape, attributes)) return kNoValue;
  Shape shape = type.shape;
  const auto slices = attributes.Slices();
  for (int axis = 0; axis < shape.rank(); ++axis) {
    shape[axis] = ir::NormalizeSlice(slices[static_cast<size_t>(axis)], shape[axis]).count;
  }
  // The same slice of the tensor itself, now and then: source and target overlap.
  ValueId value = kNoValue;
  if (choices_.Percent(swarm_.same_percent)) {
    value = Apply(Opcode::kSlice, {&operand, 1}, attributes);
  }
  if (value == kNoValue) value = Exactly(Type(type.element, shape));
  if (value == kNoValue) return kNoValue;
  const std::array<ValueId, 2> operands = {operand, value};
  return Apply(info.op, operands, attributes);
}

}  // namespace faultline::harness
