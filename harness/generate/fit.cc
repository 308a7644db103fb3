// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// How an application is made to fit operands it was not written for.

#include <algorithm>
#include <utility>

#include "harness/generate/input_data.h"
#include "harness/generate/replay.h"
#include "ir/infer.h"

namespace faultline::harness {

using ir::AttributeKey;
using ir::Dtype;
using ir::kNoValue;
using ir::Shape;
using ir::ShapeRule;
using ir::Type;
using ir::ValueId;

namespace {

ValueId ConvertTo(Composer& composer, ValueId value, const ir::ElementType& element) {
  Builder& builder = composer.builder();
  const Type type = builder.TypeOf(value);
  if (type.element == element) return value;
  const Type wanted(element, type.shape);
  if (element.quantized()) {
    if (type.quantized() || !ir::IsFloat(type.dtype()) || type.dtype() == Dtype::kF64) {
      return kNoValue;
    }
    return builder.Apply(ir::Opcode::kQuantize, {&value, 1}, {}, {}, {&wanted, 1});
  }
  if (type.quantized()) {
    const Type floats(ir::IsFloat(element.dtype) ? element.dtype : Dtype::kF32, type.shape);
    const ValueId real = builder.Apply(ir::Opcode::kDequantize, {&value, 1}, {}, {}, {&floats, 1});
    if (real == kNoValue || floats.dtype() == element.dtype) return real;
    return builder.Apply(ir::Opcode::kCast, {&real, 1}, {}, {}, {&wanted, 1});
  }
  return builder.Apply(ir::Opcode::kCast, {&value, 1}, {}, {}, {&wanted, 1});
}

// What the other operands become: of the element type of the first, or, where quantized ones are
// decoded, of the dtype they are decoded to.
ir::ElementType ElementOfPartners(const Builder& builder, const ir::OpInfo& info,
                                  std::span<const ValueId> operands) {
  const ir::ElementType element = builder.TypeOf(operands[0]).element;
  if (!element.quantized() || !ir::DecodesOperands(info.op)) return element;
  std::vector<Type> types;
  for (const ValueId operand : operands) types.push_back(builder.TypeOf(operand));
  return ir::ComputeDtype(types);
}

// One operand of q_matmul is quantized, the other one that or a float to go with it.
bool FitProduct(Composer& composer, std::vector<ValueId>& operands) {
  const Type left = composer.builder().TypeOf(operands[0]);
  const Type right = composer.builder().TypeOf(operands[1]);
  if (right.quantized()) return true;
  ir::ElementType wanted = right.element;
  if (!left.quantized()) {
    wanted = ir::ElementType(DrawScheme(composer.choices(), right.shape));
  } else if (!ir::IsIn(right.dtype(), ir::kQuantizableMask)) {
    wanted = Dtype::kF32;
  }
  const ValueId converted = ConvertTo(composer, operands[1], wanted);
  operands[1] = converted != kNoValue ? converted : composer.NewInput(Type(wanted, right.shape));
  return operands[1] != kNoValue;
}

// Scales, and what goes with them, for the scheme of the result.
bool FitGivenScales(Composer& composer, ir::Statement& statement, Type& declared) {
  auto& operands = statement.operands;
  declared.shape = composer.builder().TypeOf(operands[0]).shape;
  if (!ir::VerifyScheme(declared.scheme(), declared.shape).ok()) {
    declared.element = ir::ElementType(DrawScheme(composer.choices(), declared.shape));
  }
  const ir::Scheme& scheme = declared.scheme();
  const Shape grid = ir::ScaleGrid(scheme, declared.shape);
  const auto put = [&](size_t i, const Type& wanted) {
    if (i < operands.size() && composer.builder().TypeOf(operands[i]) == wanted) return true;
    operands.resize(std::max(operands.size(), i + 1), kNoValue);
    operands[i] = composer.NewInput(wanted, ir::Domain::kPositive);
    return operands[i] != kNoValue;
  };
  operands.resize(
      std::min<size_t>(operands.size(), scheme.two_level || scheme.asymmetric() ? 3 : 2));
  if (!put(1, Type(Dtype::kF32, grid))) return false;
  if (scheme.two_level) return put(2, Type(Dtype::kF32, Shape()));
  if (!scheme.asymmetric()) return true;
  return put(2, Type(scheme.value == ir::QValue::kU8 ? Dtype::kU8 : Dtype::kI8, grid));
}

// Every operand gets a dtype its slot takes.
bool FitDtypes(Composer& composer, const ir::OpInfo& info, std::span<const Type> written,
               ir::Statement& statement) {
  Builder& builder = composer.builder();
  auto& operands = statement.operands;
  if (operands.empty()) return true;
  const bool quantizes = info.dtype_rule == ir::DtypeRule::kQuantize;
  const bool fits = ir::IsIn(builder.TypeOf(operands[0]).dtype(), ir::OperandDtypes(info.op)) &&
                    !(quantizes && builder.TypeOf(operands[0]).dtype() == Dtype::kF64);
  if (!fits) {
    ir::ElementType element = written[0].element;
    if (!ir::IsIn(element.dtype, info.operand_dtypes)) {
      const ir::DtypeMask plain = info.operand_dtypes & ir::kPlainMask;
      if (plain == 0) return false;
      element = composer.DrawDtype(plain);
    }
    operands[0] = ConvertTo(composer, operands[0], element);
    if (operands[0] == kNoValue) return false;
  }
  if (info.dtype_rule == ir::DtypeRule::kQuantizeWith) return true;
  if (info.dtype_rule == ir::DtypeRule::kQMatmul) return FitProduct(composer, operands);
  const ir::ElementType element = ElementOfPartners(builder, info, operands);
  for (size_t i = 1; i < operands.size(); ++i) {
    ir::ElementType wanted = element;
    if (ir::DecodesOperands(info.op) && builder.TypeOf(operands[i]).quantized()) continue;
    if (i == 1 && info.dtype_rule == ir::DtypeRule::kMasked) wanted = Dtype::kBool;
    if (i == 1 && (info.dtype_rule == ir::DtypeRule::kIndexed ||
                   info.dtype_rule == ir::DtypeRule::kExponent)) {
      if (ir::IsIndex(builder.TypeOf(operands[1]).dtype())) continue;
      wanted = Dtype::kI64;
    }
    const ValueId converted = ConvertTo(composer, operands[i], wanted);
    if (converted != kNoValue) {
      operands[i] = converted;
    } else {
      operands[i] = composer.NewInput(Type(wanted, builder.TypeOf(operands[i]).shape));
    }
    if (operands[i] == kNoValue) return false;
  }
  return true;
}

void FitScalars(const ir::OpInfo& info, Dtype dtype, ir::Statement& statement, Composer& composer) {
  if (info.scalars == ir::ScalarRule::kNone) {
    statement.scalars.clear();
    return;
  }
  const auto count = static_cast<size_t>(info.scalar_count());
  if (info.scalars == ir::ScalarRule::kPositive || info.scalars == ir::ScalarRule::kProbability) {
    const Dtype wanted = info.ScalarDtype(dtype);
    const bool typed = statement.scalars.size() == count && statement.scalars[0].dtype == wanted;
    const double value = typed ? ir::ToDouble(wanted, statement.scalars[0].bits) : 0;
    // What both rules admit.
    if (!(value > 0 && value <= 1)) statement.scalars = composer.DrawScalars(info, dtype);
    return;
  }
  while (statement.scalars.size() < count) {
    statement.scalars.push_back(DrawScalar(composer.choices(), dtype, ir::Domain::kAny, 5));
  }
  statement.scalars.resize(count);
  const Dtype wanted = info.ScalarDtype(dtype);
  for (ir::Scalar& scalar : statement.scalars) {
    if (scalar.dtype == wanted) continue;
    // The nearest thing to the same number.
    const double number = ir::IsFloat(scalar.dtype)
                              ? ir::ToDouble(scalar.dtype, scalar.bits)
                              : static_cast<double>(ir::ToInt(scalar.dtype, scalar.bits));
    if (ir::IsFloat(wanted)) {
      scalar = ir::FloatScalar(wanted, number);
    } else if (ir::IsRepresentable(wanted, number)) {
      scalar = ir::IntScalar(wanted, static_cast<int64_t>(number));
    } else {
      scalar = DrawScalar(composer.choices(), wanted, ir::Domain::kAny, 5);
    }
  }
}

bool FitAttributes(Composer& composer, const ir::OpInfo& info, const Shape& shape,
                   ir::Attributes& attributes) {
  ir::Attributes drawn;
  if (!DrawViewAttributes(composer.choices(), info, shape, drawn)) return false;
  const int rank = shape.rank();
  for (const AttributeKey key : info.attributes()) {
    if (!attributes.Has(key)) continue;
    switch (key) {
      case AttributeKey::kDim:
      case AttributeKey::kDimOptional:
        if (rank == 0) break;
        drawn.Set(key, std::min<int64_t>(attributes.Int(key), rank - 1));
        break;
      case AttributeKey::kDims:
      case AttributeKey::kAxes: {
        std::vector<int64_t> axes(attributes.List(key).begin(), attributes.List(key).end());
        const bool permutes = info.shape_rule == ShapeRule::kPermute;
        std::erase_if(axes, [rank](int64_t axis) { return axis >= rank; });
        // A permutation gets the axes that have come new at its end.
        for (int64_t axis = 0; permutes && axis < rank; ++axis) {
          if (std::ranges::find(axes, axis) == axes.end()) axes.push_back(axis);
        }
        if (key == AttributeKey::kDims && axes.size() != 2) break;
        drawn.Set(key, std::move(axes));
        break;
      }
      case AttributeKey::kSlices: {
        std::vector<ir::SliceTriple> slices = attributes.Slices();
        const std::vector<ir::SliceTriple> fresh = drawn.Slices();
        for (size_t i = slices.size(); i < fresh.size(); ++i) slices.push_back(fresh[i]);
        slices.resize(static_cast<size_t>(rank));
        drawn.SetSlices(slices);
        break;
      }
      case AttributeKey::kK:
        drawn.Set(
            key, std::clamp<int64_t>(attributes.Int(key), 0, shape[static_cast<int>(drawn.dim())]));
        break;
      case AttributeKey::kChunks:
        drawn.Set(key, attributes.Int(key));
        break;
      case AttributeKey::kStart:
      case AttributeKey::kLength:
      case AttributeKey::kGroups:
        break;  // drawn for the new extents
      case AttributeKey::kTimes:
      case AttributeKey::kStep:
      case AttributeKey::kDescending:
      case AttributeKey::kUpdate:
      case AttributeKey::kRange:
      case AttributeKey::kShift:
      case AttributeKey::kDiagonal:
      case AttributeKey::kClasses:
      case AttributeKey::kDdof:
      case AttributeKey::kOrder:
      case AttributeKey::kSeed:
      case AttributeKey::kOffset:
        drawn.Set(key, attributes.Int(key));
        break;
    }
  }
  attributes = std::move(drawn);
  return true;
}

Shape FitReshape(const Shape& from, const Shape& written) {
  const int64_t count = from.NumElements();
  if (written.NumElements() == count) return written;
  // One axis takes the change where it can.
  for (int axis = 0; axis < written.rank(); ++axis) {
    Shape shape = written;
    shape[axis] = 1;
    const int64_t rest = shape.NumElements();
    if (rest > 0 && count % rest == 0) {
      shape[axis] = count / rest;
      return shape;
    }
  }
  return Shape{count};
}

Shape FitExpand(const Shape& from, const Shape& written) {
  Shape shape = written;
  while (shape.rank() < from.rank()) shape.Insert(0, 1);
  const int lead = shape.rank() - from.rank();
  for (int axis = 0; axis < from.rank(); ++axis) {
    if (from[axis] != 1) shape[lead + axis] = from[axis];
  }
  return shape;
}

// One type a result: as written, with the dtype and the shape that the operands call for.
std::vector<Type> FitDeclared(const ir::OpInfo& info, std::span<const Type> operands,
                              const ir::Attributes& attributes, std::span<const Type> written) {
  std::vector<Type> declared(written.begin(), written.end());
  // What has a number of results of its own declares none.
  if (info.result_count() == ir::kVariadic) return {};
  declared.resize(static_cast<size_t>(info.result_count()), written[0]);
  if (operands.empty()) return declared;
  const Shape& shape = operands[0].shape;
  for (size_t r = 0; r < declared.size(); ++r) {
    Type& type = declared[r];
    if (ir::IsIndexResult(info.op, r)) {
      if (!ir::IsIndex(type.dtype())) type.element = Dtype::kI64;
    } else if (info.dtype_rule == ir::DtypeRule::kSame ||
               info.dtype_rule == ir::DtypeRule::kSameIndex) {
      type.element = operands[0].element;
    }
    if (info.shape_rule == ShapeRule::kReshape) {
      type.shape = FitReshape(shape, type.shape);
    } else if (info.shape_rule == ShapeRule::kExpand) {
      type.shape = FitExpand(shape, type.shape);
    } else if (info.shape_rule == ShapeRule::kUnfold && type.shape.rank() != shape.rank() + 1) {
      type.shape = shape;
      if (shape.rank() < ir::kRankMax) type.shape.PushBack(1);
    } else if (info.shape_rule == ShapeRule::kOneHot) {
      type.shape = shape;
      if (shape.rank() < ir::kRankMax) type.shape.PushBack(attributes.Int(AttributeKey::kClasses));
    }
  }
  for (size_t r = 0; r < declared.size(); ++r) {
    const auto fits = ir::InferResultShape(info.op, operands, attributes, declared, r);
    if (fits.has_value()) declared[r].shape = *fits;
  }
  return declared;
}

// The shape of an index that goes with an operand of this shape, as near to the written one as can
// be.
Shape FitIndex(const ir::OpInfo& info, const ir::Attributes& attributes, const Shape& shape,
               const Shape& index) {
  if (info.shape_rule == ShapeRule::kSelect || info.shape_rule == ShapeRule::kSelectAssign) {
    return Shape{index.NumElements()};
  }
  if (!attributes.has_dim()) {
    if (index.rank() == 0) return Shape{1, 1};
    Shape fitted = index;
    int64_t& tuple = fitted[fitted.rank() - 1];
    tuple = std::clamp<int64_t>(tuple, 1, shape.rank());
    // Rank of the result: one axis less, and those of the operand that no tuple names.
    while (fitted.rank() > 1 &&
           fitted.rank() - 1 + shape.rank() - fitted[fitted.rank() - 1] > ir::kRankMax) {
      fitted.Erase(0);
    }
    return fitted;
  }
  if (index.rank() != shape.rank()) return shape;
  Shape fitted = shape;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    fitted[axis] = axis == attributes.dim() ? index[axis] : std::min(shape[axis], index[axis]);
  }
  return fitted;
}

// Exchanges operands whose shapes do not go with that of the first.
bool FitShapes(Composer& composer, const ir::OpInfo& info, ir::Statement& statement) {
  Builder& builder = composer.builder();
  auto& operands = statement.operands;
  if (operands.size() < 2) return true;
  Shape shape = builder.TypeOf(operands[0]).shape;
  const auto replace = [&](size_t i, const Shape& wanted) {
    if (builder.TypeOf(operands[i]).shape == wanted) return true;
    operands[i] = composer.NewInput(Type(builder.TypeOf(operands[i]).element, wanted));
    return operands[i] != kNoValue;
  };
  const int dim = static_cast<int>(statement.attributes.dim());
  switch (info.shape_rule) {
    case ShapeRule::kBroadcast:
      for (size_t i = 1; i < operands.size(); ++i) {
        const auto joined = ir::BroadcastShapes(shape, builder.TypeOf(operands[i]).shape);
        if (joined.has_value()) {
          shape = *joined;
        } else if (!replace(i, shape)) {
          return false;
        }
      }
      return true;
    case ShapeRule::kCat:
      for (size_t i = 1; i < operands.size(); ++i) {
        const Shape& other = builder.TypeOf(operands[i]).shape;
        Shape wanted = shape;
        if (other.rank() == shape.rank()) wanted[dim] = other[dim];
        if (!replace(i, wanted)) return false;
      }
      return true;
    case ShapeRule::kSelect:
    case ShapeRule::kGather:
    case ShapeRule::kGatherNd:
    case ShapeRule::kScatter:
    case ShapeRule::kSelectAssign:
    case ShapeRule::kScatterNd: {
      if (shape.rank() == 0) return false;
      const Type index = builder.TypeOf(operands[1]);
      const Shape wanted = FitIndex(info, statement.attributes, shape, index.shape);
      const int64_t bound = IndexBound(statement.attributes, shape, ir::TupleOf(info.op, wanted));
      const IntBounds& bounds = builder.StateOf(operands[1]).bounds;
      const bool inside = bounds.known && bounds.low >= 0 && bounds.high < bound;
      if (index.shape != wanted || (bounds.known && !inside)) {
        operands[1] = composer.NewIndex(wanted, bound);
        if (operands[1] == kNoValue) return false;
      }
      return operands.size() < 3 ||
             replace(2, PlacesShape(info, statement.attributes, shape, wanted));
    }
    case ShapeRule::kSliceAssign: {
      const auto slices = statement.attributes.Slices();
      for (int axis = 0; axis < shape.rank(); ++axis) {
        shape[axis] = ir::NormalizeSlice(slices[static_cast<size_t>(axis)], shape[axis]).count;
      }
      return replace(1, shape);
    }
    case ShapeRule::kMatmul: {
      if (shape.rank() < 2) return false;
      const Shape& right = builder.TypeOf(operands[1]).shape;
      const bool inner = right.rank() >= 2 && right[right.rank() - 2] == shape[shape.rank() - 1];
      if (inner) return true;
      return replace(
          1, Shape{shape[shape.rank() - 1], right.rank() == 0 ? 1 : right[right.rank() - 1]});
    }
    case ShapeRule::kMeshgrid:
      for (size_t i = 0; i < operands.size(); ++i) {
        if (builder.TypeOf(operands[i]).shape.rank() == 1) continue;
        if (!replace(i, Shape{std::min<int64_t>(3, builder.TypeOf(operands[i]).NumElements())})) {
          return false;
        }
      }
      return true;
    case ShapeRule::kStack:
      for (size_t i = 1; i < operands.size(); ++i) {
        if (!replace(i, shape)) return false;
      }
      return true;
    case ShapeRule::kCross:
      if (shape.rank() == 0 || (shape[dim] != 3 && shape[dim] != 1)) return false;
      shape[dim] = 3;
      return replace(1, shape);
    case ShapeRule::kEmbedding: {
      if (shape.rank() != 2) return false;
      const IntBounds& bounds = builder.StateOf(operands[1]).bounds;
      if (!bounds.known || (bounds.low >= 0 && bounds.high < shape[0])) return true;
      operands[1] = composer.NewIndex(builder.TypeOf(operands[1]).shape, shape[0]);
      return operands[1] != kNoValue;
    }
    case ShapeRule::kLinear: {
      if (shape.rank() == 0) return false;
      const Shape& weight = builder.TypeOf(operands[1]).shape;
      const int64_t columns = weight.rank() == 0 ? 1 : weight[weight.rank() - 1];
      return replace(1, Shape{shape[shape.rank() - 1], columns}) &&
             (operands.size() < 3 || replace(2, Shape{columns}));
    }
    case ShapeRule::kNormalizeRows:
    case ShapeRule::kNormalizeChannels: {
      const int axis = info.shape_rule == ShapeRule::kNormalizeRows ? shape.rank() - 1 : 1;
      if (axis < 0 || axis >= shape.rank()) return false;
      for (size_t i = 1; i < operands.size(); ++i) {
        if (!replace(i, Shape{shape[axis]})) return false;
      }
      return true;
    }
    default:
      return true;
  }
}

}  // namespace

bool FitApplication(Composer& composer, std::span<const Type> written_results,
                    std::span<const Type> written_operands, ir::Statement& statement,
                    std::vector<Type>& declared) {
  const ir::OpInfo& info = ir::InfoOf(statement.op);
  Builder& builder = composer.builder();
  if (!FitDtypes(composer, info, written_operands, statement)) return false;
  std::vector<Type> types;
  for (const ValueId operand : statement.operands) types.push_back(builder.TypeOf(operand));
  Dtype dtype = types.empty() ? written_results[0].dtype() : types[0].dtype();
  if (ir::SeesDecoded(statement.op, types)) dtype = ir::ComputeDtype(types);
  FitScalars(info, dtype, statement, composer);
  if (!types.empty() && !FitAttributes(composer, info, types[0].shape, statement.attributes)) {
    return false;
  }
  FitUpdate(dtype, statement.attributes);
  if (!FitShapes(composer, info, statement)) return false;
  declared = FitDeclared(info, types, statement.attributes, written_results);
  if (info.dtype_rule == ir::DtypeRule::kQuantizeWith) {
    return FitGivenScales(composer, statement, declared[0]);
  }
  return true;
}

}  // namespace faultline::harness
