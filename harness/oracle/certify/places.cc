// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/oracle/certify/places.h"

namespace faultline::harness {
namespace {

using ir::Shape;
using ir::ShapeRule;

// The product of the extents of axes [from, to).
int64_t Extent(const Shape& shape, int from, int to) {
  int64_t product = 1;
  for (int axis = from; axis < to; ++axis) product *= shape[axis];
  return product;
}

}  // namespace

int64_t BroadcastIndex(const Shape& operand, const Shape& whole, int64_t index) {
  if (operand == whole) return index;
  int64_t flat = 0;
  int64_t stride = 1;
  for (int back = 1; back <= operand.rank(); ++back) {
    const int64_t position = index % whole[whole.rank() - back];
    index /= whole[whole.rank() - back];
    const int64_t extent = operand[operand.rank() - back];
    if (extent > 1) flat += position * stride;
    stride *= extent;
  }
  return flat;
}

int64_t OperandIndex(const ir::OpInfo& info, const Shape& operand, const Shape& whole,
                     int64_t index) {
  if (info.shape_rule == ShapeRule::kNormalizeChannels && operand.rank() == 1) {
    return index / Extent(whole, 2, whole.rank()) % whole[1];
  }
  return BroadcastIndex(operand, whole, index);
}

RowPlaces RowsOf(const ir::OpInfo& info, const ir::Attributes& attributes, const Shape& shape) {
  const int rank = shape.rank();
  if (info.shape_rule == ShapeRule::kNormalizeRows) {
    return {.count = Extent(shape, 0, rank - 1), .length = shape[rank - 1]};
  }
  if (info.shape_rule == ShapeRule::kNormalizeChannels) {
    const int64_t groups = attributes.Int(ir::AttributeKey::kGroups);
    return {.count = shape[0] * groups, .length = Extent(shape, 1, rank) / groups};
  }
  if (!attributes.has_dim()) return {.length = shape.NumElements()};
  const auto dim = static_cast<int>(attributes.dim());
  const int64_t inner = Extent(shape, dim + 1, rank);
  return {.count = Extent(shape, 0, dim) * inner, .length = shape[dim], .inner = inner};
}

int64_t ScatterPlace(const ir::OpInfo& info, const ir::Attributes& attributes,
                     const ScatterShapes& shapes, int64_t i,
                     const std::function<int64_t(int64_t)>& index_at) {
  const auto& [whole, index, values] = shapes;
  int64_t flat = 0;
  if (info.shape_rule == ShapeRule::kScatterNd) {
    // Tuples along the last axis of the index name parts of the operand.
    const auto named = static_cast<int>(index[index.rank() - 1]);
    const int64_t part = Extent(whole, named, whole.rank());
    for (int axis = 0; axis < named; ++axis) {
      flat = flat * whole[axis] + index_at(i / part * named + axis);
    }
    return flat * part + i % part;
  }
  // The place of the value, with axis dim as the index says: element by element, or row by row.
  const auto dim = static_cast<int>(attributes.dim());
  int64_t rest = i;
  int64_t stride = 1;
  for (int axis = whole.rank() - 1; axis >= 0; --axis) {
    const int64_t at = rest % values[axis];
    rest /= values[axis];
    const int64_t place = info.shape_rule == ShapeRule::kScatter ? i : at;
    flat += stride * (axis == dim ? index_at(place) : at);
    stride *= whole[axis];
  }
  return flat;
}

}  // namespace faultline::harness
