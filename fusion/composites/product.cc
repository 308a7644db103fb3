// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// y = linear(x, w, b)  ->  matmul(x, w) + b, of one accumulation
//
// and cross products.

#include "fusion/composites/composites.h"

namespace faultline::fusion {
namespace {

using ir::Opcode;
using ir::Shape;
using Value = ExpansionWriter::Value;

}  // namespace

// Component by component: a launch takes in the slices, and a joint puts the three together.
void Cross(ExpansionWriter& w) {
  const Shape& shape = w.call().result.shape;
  const Value x = w.Expand(w.Widened(0), shape);
  const Value y = w.Expand(w.Widened(1), shape);
  std::vector<Value> parts;
  for (int64_t k = 0; k < 3; ++k) {
    const int64_t one = (k + 1) % 3;
    const int64_t two = (k + 2) % 3;
    const auto product = [&](int64_t i, int64_t j) {
      return w.Binary(Opcode::kMul, w.Slice(x, w.dim(), i, 1), w.Slice(y, w.dim(), j, 1));
    };
    const Value difference = w.Binary(Opcode::kSub, product(one, two), product(two, one));
    parts.push_back(w.Cast(difference, w.call().result.dtype()));
  }
  w.Finish(w.Cat(parts, w.dim()));
}

// The bias is added to what the product has accumulated, before the only rounding.
void Linear(ExpansionWriter& w) {
  Value x = w.Widened(0);
  const Shape& shape = w.call().result.shape;
  const bool vector = shape.rank() == 1;
  if (vector) x = w.Reshape(x, Shape{1, x.type.shape[0]});
  Value y = w.Matmul(x, w.Widened(1));
  if (w.operand_count() > 2) y = w.Binary(Opcode::kAdd, y, w.Widened(2));
  if (!vector) return w.Finish(y);
  w.Finish(w.Reshape(w.Cast(y, w.call().result.dtype()), shape));
}

}  // namespace faultline::fusion
