// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Rows: the elements of a tensor along one axis, or all of them, which reductions, scans and sorts
// work on one at a time.

#ifndef REFERENCE_ROWS_H_
#define REFERENCE_ROWS_H_

#include <cstdint>

#include "ir/shape.h"
#include "reference/kernel.h"

namespace faultline::reference {

// Elements first, first + step, ... of a row-major tensor.
struct Row {
  int64_t first;
  int64_t step;
  int64_t count;
  int64_t operator[](int64_t k) const { return first + k * step; }
};

// Calls f(number of the row, row), rows in row-major order of the other axes.
template <class F>
void ForEachRowAlong(const ir::Shape& shape, int64_t dim, const F& f) {
  int64_t inner = 1;
  int64_t outer = 1;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (axis < dim) outer *= shape[axis];
    if (axis > dim) inner *= shape[axis];
  }
  const int64_t extent = shape[static_cast<int>(dim)];
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < inner; ++i) {
      f(o * inner + i, Row{o * extent * inner + i, inner, extent});
    }
  }
}

// Rows along the call's dim; without one a single row of everything.
template <class A, class F>
void ForEachRow(const Call<A>& call, const F& f) {
  const ir::Shape& shape = TypeOf(call.operand(0)).shape;
  if (call.attributes.has_dim()) {
    ForEachRowAlong(shape, call.attributes.dim(), f);
  } else {
    f(int64_t{0}, Row{0, 1, shape.NumElements()});
  }
}

// Ops that are exact on points: puts the naive cell, with a free sign of zero where the table says
// so, if every element of the row is a point; else returns false. Nothing to take for Exact.
inline bool PutNaive(const Call<Exact>&, int64_t, const Row&) { return false; }
bool PutNaive(const Call<Sets>& call, int64_t i, const Row& row);

}  // namespace faultline::reference

#endif  // REFERENCE_ROWS_H_
