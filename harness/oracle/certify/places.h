// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Where the elements lie that make an element of a result, by the shape rule of the op: index
// arithmetic of certification's own.

#ifndef HARNESS_ORACLE_CERTIFY_PLACES_H_
#define HARNESS_ORACLE_CERTIFY_PLACES_H_

#include <cstdint>
#include <functional>

#include "ir/attributes.h"
#include "ir/op.h"
#include "ir/shape.h"

namespace faultline::harness {

// Flat index in a broadcast operand of the element that belongs to element `index` of the whole.
int64_t BroadcastIndex(const ir::Shape& operand, const ir::Shape& whole, int64_t index);
// The same for any operand of the op: parameters by channel go along axis 1.
int64_t OperandIndex(const ir::OpInfo& info, const ir::Shape& operand, const ir::Shape& whole,
                     int64_t index);

// The rows that an op is about, in a tensor of this shape: along its dim, of neighbours that are
// normalised together, or all of it.
struct RowPlaces {
  int64_t count = 1;
  int64_t length = 1;
  int64_t inner = 1;  // elements between neighbours of a row

  int64_t At(int64_t row, int64_t i) const {
    return row / inner * inner * length + row % inner + i * inner;
  }
};
RowPlaces RowsOf(const ir::OpInfo& info, const ir::Attributes& attributes, const ir::Shape& shape);

// Flat place in operand 0 of a scattering op that element `i` of the values, operand 2, goes to;
// `index_at` gives the elements of operand 1.
struct ScatterShapes {
  const ir::Shape& whole;
  const ir::Shape& index;
  const ir::Shape& values;
};
int64_t ScatterPlace(const ir::OpInfo& info, const ir::Attributes& attributes,
                     const ScatterShapes& shapes, int64_t i,
                     const std::function<int64_t(int64_t)>& index_at);

}  // namespace faultline::harness

#endif  // HARNESS_ORACLE_CERTIFY_PLACES_H_
