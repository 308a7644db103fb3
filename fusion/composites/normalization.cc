// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// y = layer_norm(x)  ->  m = mean(x); d = x - m; d / sqrt(mean(d*d) + eps) * gamma + beta
//
// Each is one launch over rows where the row axis is the operand's own. Groups of channels become
// rows by a reshape; what follows the division is then a launch of its own over the operand's
// shape.

#include "fusion/composites/composites.h"

namespace faultline::fusion {
namespace {

using ir::Opcode;
using ir::Shape;
using Value = ExpansionWriter::Value;

// Operand i as [C, 1, ...], so that it is broadcast over everything behind axis 1.
Value ByChannel(ExpansionWriter& w, size_t i) {
  const Value parameter = w.Widened(i);
  Shape shape = parameter.type.shape;
  for (int axis = 2; axis < w.call().result.shape.rank(); ++axis) shape.PushBack(1);
  return shape.rank() == 1 ? parameter : w.Reshape(parameter, shape);
}

// centred / sqrt(variance + eps).
Value Scaled(ExpansionWriter& w, const Value& centred, const Value& variance) {
  const Value sum = w.ByScalar(Opcode::kAddScalar, variance, w.ScalarAs(variance.type.dtype(), 0));
  return w.Binary(Opcode::kDiv, centred, w.Unary(Opcode::kSqrt, sum));
}

// (x - mean) / sqrt(variance + eps) along `dim`.
Value Standardized(ExpansionWriter& w, const Value& x, int64_t dim) {
  const Value mean = w.Reduce(Opcode::kMeanDim, x, dim);
  const Value centred = w.Binary(Opcode::kSub, x, mean);
  const Value square = w.Binary(Opcode::kMul, centred, centred);
  return Scaled(w, centred, w.Reduce(Opcode::kMeanDim, square, dim));
}

}  // namespace

void LayerNorm(ExpansionWriter& w) {
  const int64_t dim = w.call().result.shape.rank() - 1;
  const Value scaled = w.Binary(Opcode::kMul, Standardized(w, w.Widened(0), dim), w.Widened(1));
  w.Finish(w.operand_count() < 3 ? scaled : w.Binary(Opcode::kAdd, scaled, w.Widened(2)));
}

void RmsNorm(ExpansionWriter& w) {
  const int64_t dim = w.call().result.shape.rank() - 1;
  const Value x = w.Widened(0);
  const Value square = w.Binary(Opcode::kMul, x, x);
  const Value unit = Scaled(w, x, w.Reduce(Opcode::kMeanDim, square, dim));
  w.Finish(w.Binary(Opcode::kMul, unit, w.Widened(1)));
}

void GroupNorm(ExpansionWriter& w) {
  const Shape& shape = w.call().result.shape;
  const int64_t groups = w.call().attributes.Int(ir::AttributeKey::kGroups);
  const int64_t rows = shape[0] * groups;
  int64_t row = shape[1] / groups;
  for (int axis = 2; axis < shape.rank(); ++axis) row *= shape[axis];
  const Value x = w.Cast(w.Reshape(w.Operand(0), Shape{rows, row}), w.compute());
  const Value unit = w.Reshape(Standardized(w, x, 1), shape);
  const Value scaled = w.Binary(Opcode::kMul, unit, ByChannel(w, 1));
  w.Finish(w.operand_count() < 3 ? scaled : w.Binary(Opcode::kAdd, scaled, ByChannel(w, 2)));
}

void BatchNorm(ExpansionWriter& w) {
  const Value centred = w.Binary(Opcode::kSub, w.Widened(0), ByChannel(w, 3));
  const Value unit = Scaled(w, centred, ByChannel(w, 4));
  const Value scaled = w.Binary(Opcode::kMul, unit, ByChannel(w, 1));
  w.Finish(w.Binary(Opcode::kAdd, scaled, ByChannel(w, 2)));
}

}  // namespace faultline::fusion
