// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/composites/writer.h"

#include <utility>

#include "ir/base/check.h"

namespace faultline::fusion {
namespace {

using ir::AttributeKey;
using ir::Dtype;
using ir::Opcode;
using ir::Shape;
using ir::Type;

ir::Attributes Along(int64_t dim) {
  ir::Attributes attributes;
  attributes.Set(AttributeKey::kDim, dim);
  return attributes;
}

}  // namespace

Dtype ExpansionWriter::compute() const {
  const Dtype dtype = call_.operands[0].dtype();
  return dtype == Dtype::kF16 || dtype == Dtype::kBf16 ? Dtype::kF32 : dtype;
}

ir::Scalar ExpansionWriter::ScalarAs(Dtype dtype, size_t i) const {
  const ir::Scalar& scalar = call_.scalars[i];
  return ir::FloatScalar(dtype, ir::ToDouble(scalar.dtype, scalar.bits));
}

ExpansionWriter::Value ExpansionWriter::Write(Opcode op, std::span<const Value> operands,
                                              const Type& result, ir::Attributes attributes,
                                              std::vector<ir::Scalar> scalars) {
  PrimitiveOp written;
  written.op = op;
  for (const Value& operand : operands) written.operands.push_back(operand.number);
  written.scalars = std::move(scalars);
  written.attributes = std::move(attributes);
  written.result = result;
  ops_.push_back(std::move(written));
  return {static_cast<uint32_t>(operand_count() + ops_.size() - 1), result};
}

void ExpansionWriter::Finish(const Value& value) {
  const Value result = Cast(value, call_.result.dtype());
  FAULTLINE_CHECK(result.type == call_.result && !ops_.empty() &&
                      result.number == operand_count() + ops_.size() - 1,
                  "an expansion that does not end in the composite's result");
}

ExpansionWriter::Value ExpansionWriter::Cast(const Value& x, Dtype dtype) {
  if (x.type.dtype() == dtype) return x;
  return Write(Opcode::kCast, {&x, 1}, Type(dtype, x.type.shape));
}

ExpansionWriter::Value ExpansionWriter::Unary(Opcode op, const Value& x) {
  return Write(op, {&x, 1}, x.type);
}

ExpansionWriter::Value ExpansionWriter::Binary(Opcode op, const Value& x, const Value& y) {
  const auto shape = ir::BroadcastShapes(x.type.shape, y.type.shape);
  FAULTLINE_CHECK(shape.has_value(), "operands of an expansion that do not broadcast");
  const bool compares = ir::InfoOf(op).dtype_rule == ir::DtypeRule::kCompare;
  const Value operands[] = {x, y};
  return Write(op, operands, Type(compares ? Dtype::kBool : x.type.dtype(), *shape));
}

ExpansionWriter::Value ExpansionWriter::ByScalar(Opcode op, const Value& x,
                                                 const ir::Scalar& scalar) {
  const bool compares = ir::InfoOf(op).dtype_rule == ir::DtypeRule::kCompare;
  const Dtype dtype = compares ? Dtype::kBool : x.type.dtype();
  return Write(op, {&x, 1}, Type(dtype, x.type.shape), {}, {scalar});
}

ExpansionWriter::Value ExpansionWriter::Reduce(Opcode op, const Value& x, int64_t dim) {
  Shape shape = x.type.shape;
  shape[static_cast<int>(dim)] = 1;
  return Write(op, {&x, 1}, Type(x.type.element, shape), Along(dim));
}

ExpansionWriter::Value ExpansionWriter::ReduceAll(Opcode op, const Value& x) {
  return Write(op, {&x, 1}, Type(x.type.element, Shape{1}));
}

ExpansionWriter::Value ExpansionWriter::Where(const Value& mask, const Value& if_true,
                                              const Value& if_false) {
  const Value operands[] = {if_false, mask, if_true};
  return Write(Opcode::kMaskWhere, operands, if_true.type);
}

ExpansionWriter::Value ExpansionWriter::Iota(const Shape& shape, int64_t dim) {
  ir::Attributes attributes;
  attributes.Set(AttributeKey::kDimOptional, dim);
  return Write(Opcode::kIota, {}, Type(Dtype::kI64, shape), std::move(attributes));
}

ExpansionWriter::Value ExpansionWriter::Zeros(Dtype dtype, const Shape& shape) {
  return Write(Opcode::kZeros, {}, Type(dtype, shape));
}

ExpansionWriter::Value ExpansionWriter::Reshape(const Value& x, const Shape& shape) {
  return Write(Opcode::kReshape, {&x, 1}, Type(x.type.element, shape));
}

ExpansionWriter::Value ExpansionWriter::Expand(const Value& x, const Shape& shape) {
  if (x.type.shape == shape) return x;
  return Write(Opcode::kExpand, {&x, 1}, Type(x.type.element, shape));
}

ExpansionWriter::Value ExpansionWriter::Slice(const Value& x, int64_t dim, int64_t start,
                                              int64_t count, int64_t step) {
  std::vector<ir::SliceTriple> slices;
  for (const int64_t extent : x.type.shape) slices.push_back({0, extent, 1});
  const int64_t stop = count == 0 ? start : start + (count - 1) * step + 1;
  slices[static_cast<size_t>(dim)] = {start, stop, step};
  ir::Attributes attributes;
  attributes.SetSlices(slices);
  Shape shape = x.type.shape;
  shape[static_cast<int>(dim)] = count;
  return Write(Opcode::kSlice, {&x, 1}, Type(x.type.element, shape), std::move(attributes));
}

ExpansionWriter::Value ExpansionWriter::Cat(std::span<const Value> parts, int64_t dim) {
  Type type = parts[0].type;
  const int axis = static_cast<int>(dim);
  for (const Value& part : parts.subspan(1)) type.shape[axis] += part.type.shape[axis];
  return Write(Opcode::kCat, parts, type, Along(dim));
}

ExpansionWriter::Value ExpansionWriter::Select(const Value& x, const Value& index, int64_t dim) {
  Shape shape = x.type.shape;
  shape[static_cast<int>(dim)] = index.type.shape[0];
  const Value operands[] = {x, index};
  return Write(Opcode::kSelect, operands, Type(x.type.element, shape), Along(dim));
}

ExpansionWriter::Value ExpansionWriter::Matmul(const Value& x, const Value& y) {
  Shape shape = x.type.shape;
  shape[shape.rank() - 1] = y.type.shape[y.type.shape.rank() - 1];
  const Value operands[] = {x, y};
  return Write(Opcode::kMatmul, operands, Type(x.type.element, shape));
}

ExpansionWriter::Value ExpansionWriter::Softmax(const Value& x, int64_t dim) {
  return Write(Opcode::kSoftmax, {&x, 1}, x.type, Along(dim));
}

}  // namespace faultline::fusion
