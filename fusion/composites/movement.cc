// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// y = diag(x)  ->  a slice of x, its last two axes made one, with a step of one row and one column
//
// and the other composites of views, joins and lookups; triangles and classes select by position.

#include <algorithm>

#include "fusion/composites/composites.h"

namespace faultline::fusion {
namespace {

using ir::AttributeKey;
using ir::Dtype;
using ir::Opcode;
using ir::Shape;
using Value = ExpansionWriter::Value;

int64_t IntOf(const ExpansionWriter& w, AttributeKey key) { return w.call().attributes.Int(key); }

// Column - row against the diagonal. No position is near the limit, so a diagonal beyond it is as
// good as the limit.
void Triangle(ExpansionWriter& w, bool lower) {
  constexpr int64_t kLimit = int64_t{1} << 40;
  const Value x = w.Operand(0);
  const Shape& shape = x.type.shape;
  const Value row = w.Iota(shape, shape.rank() - 2);
  const Value column = w.Iota(shape, shape.rank() - 1);
  const Value above = w.Binary(Opcode::kSub, column, row);
  const int64_t diagonal = std::clamp(IntOf(w, AttributeKey::kDiagonal), -kLimit, kLimit);
  const Value inside =
      lower ? w.ByScalar(Opcode::kLowerScalar, above, ir::IntScalar(Dtype::kI64, diagonal + 1))
            : w.ByScalar(Opcode::kGreaterEqualScalar, above, ir::IntScalar(Dtype::kI64, diagonal));
  w.Finish(w.Where(inside, x, w.Zeros(x.type.dtype(), shape)));
}

}  // namespace

void Narrow(ExpansionWriter& w) {
  w.Finish(w.Slice(w.Operand(0), w.dim(), IntOf(w, AttributeKey::kStart),
                   IntOf(w, AttributeKey::kLength)));
}

// Every part but the last is as long as the first.
void Split(ExpansionWriter& w) {
  const int axis = static_cast<int>(w.dim());
  const int64_t length = IntOf(w, AttributeKey::kLength);
  w.Finish(w.Slice(w.Operand(0), w.dim(), static_cast<int64_t>(w.call().part) * length,
                   w.call().result.shape[axis]));
}

void Chunk(ExpansionWriter& w) {
  const int axis = static_cast<int>(w.dim());
  const int64_t extent = w.call().operands[0].shape[axis];
  const int64_t chunks = IntOf(w, AttributeKey::kChunks);
  const int64_t length = extent == 0 ? 1 : (extent - 1) / chunks + 1;
  w.Finish(w.Slice(w.Operand(0), w.dim(), static_cast<int64_t>(w.call().part) * length,
                   w.call().result.shape[axis]));
}

void Meshgrid(ExpansionWriter& w) {
  const Shape& shape = w.call().result.shape;
  const auto axis = static_cast<int>(w.call().part);
  Shape vector;
  for (int i = 0; i < shape.rank(); ++i) vector.PushBack(i == axis ? shape[i] : 1);
  const Value x = w.Reshape(w.Operand(w.call().part), vector);
  w.Finish(vector == shape ? x : w.Expand(x, shape));
}

// The last elements come first.
void Roll(ExpansionWriter& w) {
  const Value x = w.Operand(0);
  const int64_t extent = x.type.shape[static_cast<int>(w.dim())];
  const int64_t rest = extent == 0 ? 0 : IntOf(w, AttributeKey::kShift) % extent;
  const int64_t shift = rest < 0 ? rest + extent : rest;
  if (shift == 0) return w.Finish(w.Reshape(x, x.type.shape));
  const Value parts[] = {w.Slice(x, w.dim(), extent - shift, shift),
                         w.Slice(x, w.dim(), 0, extent - shift)};
  w.Finish(w.Cat(parts, w.dim()));
}

void Diag(ExpansionWriter& w) {
  const Value x = w.Operand(0);
  Shape flat = x.type.shape;
  const int last = flat.rank() - 1;
  const int64_t columns = flat[last];
  const int64_t count = std::min(flat[last - 1], columns);
  flat[last - 1] *= columns;
  flat.Erase(last);
  w.Finish(w.Slice(w.Reshape(x, flat), last - 1, 0, count, columns + 1));
}

void Stack(ExpansionWriter& w) {
  Shape shape = w.call().operands[0].shape;
  shape.Insert(static_cast<int>(w.dim()), 1);
  std::vector<Value> parts;
  for (size_t i = 0; i < w.operand_count(); ++i) {
    parts.push_back(w.Reshape(w.Operand(i), shape));
  }
  w.Finish(w.Cat(parts, w.dim()));
}

// In i64, where neither an index nor a class comes round to another one.
void OneHot(ExpansionWriter& w) {
  const Shape& shape = w.call().result.shape;
  Shape each = shape;
  each[shape.rank() - 1] = 1;
  const Value index = w.Cast(w.Reshape(w.Operand(0), each), Dtype::kI64);
  w.Finish(w.Binary(Opcode::kEqual, index, w.Iota(shape, shape.rank() - 1)));
}

void Embedding(ExpansionWriter& w) {
  const Value index = w.Operand(1);
  if (index.type.shape.rank() == 1) return w.Finish(w.Select(w.Operand(0), index, 0));
  const Value flat = w.Reshape(index, Shape{index.type.NumElements()});
  w.Finish(w.Reshape(w.Select(w.Operand(0), flat, 0), w.call().result.shape));
}

void Tril(ExpansionWriter& w) { Triangle(w, /*lower=*/true); }

void Triu(ExpansionWriter& w) { Triangle(w, /*lower=*/false); }

}  // namespace faultline::fusion
