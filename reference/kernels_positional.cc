// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Ops whose elements depend on where they are.

#include "reference/movement.h"

namespace faultline::reference {
namespace {

// Element i of both, moved bitwise.
void Keep(const Points& from, Points& to, int64_t i) {
  to.cells[static_cast<size_t>(i)] = from.cells[static_cast<size_t>(i)];
}
void Keep(const Enclosure& from, Enclosure& to, int64_t i) {
  if (from.IsPoint(i)) {
    to.PutCell(i, from.PointAt(i));
  } else if (from.is_float()) {
    to.Put(i, from.FloatAt(i));
  } else {
    to.Put(i, from.IntAt(i));
  }
}
// A zero of any dtype.
void PutZero(Points& to, int64_t i) { to.cells[static_cast<size_t>(i)] = 0; }
void PutZero(Enclosure& to, int64_t i) { to.PutCell(i, 0); }

// Keeps what lies in the triangle, `inside(row, column)`.
template <class A, class F>
void Triangle(const Call<A>& call, const F& inside) {
  const ir::Shape& shape = TypeOf(call.result()).shape;
  const auto last = static_cast<size_t>(shape.rank() - 1);
  int64_t i = 0;
  ForEachIndex(shape, [&](const MultiIndex& at) {
    if (inside(at[last - 1], at[last])) {
      Keep(call.operand(0), call.result(), i);
    } else {
      PutZero(call.result(), i);
    }
    ++i;
  });
}

}  // namespace

// row - column is small, so that comparing it with any diagonal does not overflow.
FAULTLINE_KERNEL(Tril) {
  const int64_t diagonal = call.attributes.Int(ir::AttributeKey::kDiagonal);
  Triangle(call, [=](int64_t row, int64_t column) { return column - row <= diagonal; });
}

FAULTLINE_KERNEL(Triu) {
  const int64_t diagonal = call.attributes.Int(ir::AttributeKey::kDiagonal);
  Triangle(call, [=](int64_t row, int64_t column) { return column - row >= diagonal; });
}

FAULTLINE_KERNEL(OneHot) {
  const int64_t classes = call.attributes.Int(ir::AttributeKey::kClasses);
  const auto& a = call.algebra;
  for (int64_t i = 0; i < TypeOf(call.result()).NumElements(); ++i) {
    const auto hit = a.Equal(IntAt(call.operand(0), i / classes), a.IntOf(ToCell(i % classes)));
    if (ir::IsFloat(a.result())) {
      PutAt(call.result(), i, a.Select(hit, a.FloatOf(ToCell(1.0)), a.FloatOf(ToCell(0.0))));
    } else {
      PutAt(call.result(), i,
            a.Select(hit, a.IntOf(ToCell(int64_t{1})), a.IntOf(ToCell(int64_t{0}))));
    }
  }
}

FAULTLINE_KERNEL(Iota) {
  const ir::Dtype dtype = call.algebra.result();
  const bool along = call.attributes.has_dim();
  const auto dim = static_cast<size_t>(call.attributes.dim());
  int64_t i = 0;
  ForEachIndex(TypeOf(call.result()).shape, [&](const MultiIndex& at) {
    const int64_t position = along ? at[dim] : i;
    PutAt(call.result(), i++,
          call.algebra.IntOf(ToCell(Wrap(dtype, static_cast<uint64_t>(position)))));
  });
}

}  // namespace faultline::reference
