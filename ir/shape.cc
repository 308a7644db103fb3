// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "ir/shape.h"

#include <algorithm>

#include "ir/base/check.h"

namespace faultline::ir {

Shape::Shape(std::span<const int64_t> extents) {
  FAULTLINE_CHECK(extents.size() <= static_cast<size_t>(kRankMax), "rank above the limit");
  std::ranges::copy(extents, extents_.begin());
  rank_ = static_cast<int>(extents.size());
}

Shape Shape::OfRank(int rank, int64_t extent) {
  FAULTLINE_CHECK(rank >= 0 && rank <= kRankMax, "rank above the limit");
  Shape shape;
  for (int i = 0; i < rank; ++i) shape.PushBack(extent);
  return shape;
}

void Shape::Insert(int axis, int64_t extent) {
  FAULTLINE_CHECK(rank_ < kRankMax && axis >= 0 && axis <= rank_, "no such axis");
  for (int i = rank_; i > axis; --i) (*this)[i] = (*this)[i - 1];
  (*this)[axis] = extent;
  ++rank_;
}

void Shape::Erase(int axis) {
  FAULTLINE_CHECK(axis >= 0 && axis < rank_, "no such axis");
  for (int i = axis; i + 1 < rank_; ++i) (*this)[i] = (*this)[i + 1];
  --rank_;
  (*this)[rank_] = 0;
}

std::array<int64_t, kRankMax> Shape::RowMajorStrides() const {
  std::array<int64_t, kRankMax> strides = {};
  // Unsigned: extents that nobody has verified yet may overflow, which then means nothing.
  uint64_t stride = 1;
  for (int i = rank_ - 1; i >= 0; --i) {
    strides[static_cast<size_t>(i)] = static_cast<int64_t>(stride);
    stride *= static_cast<uint64_t>((*this)[i]);
  }
  return strides;
}

std::string PrintShape(const Shape& shape) {
  std::string text = "[";
  for (int i = 0; i < shape.rank(); ++i) {
    if (i > 0) text += ',';
    text += std::to_string(shape[i]);
  }
  text += ']';
  return text;
}

std::optional<Shape> BroadcastShapes(const Shape& a, const Shape& b) {
  Shape result = Shape::OfRank(std::max(a.rank(), b.rank()), 1);
  for (int back = 1; back <= result.rank(); ++back) {
    const int64_t x = back <= a.rank() ? a[a.rank() - back] : 1;
    const int64_t y = back <= b.rank() ? b[b.rank() - back] : 1;
    if (x != y && x != 1 && y != 1) return std::nullopt;
    result[result.rank() - back] = x == 1 ? y : x;
  }
  return result;
}

bool CanBroadcastTo(const Shape& from, const Shape& to) {
  if (from.rank() > to.rank()) return false;
  for (int back = 1; back <= from.rank(); ++back) {
    const int64_t extent = from[from.rank() - back];
    if (extent != 1 && extent != to[to.rank() - back]) return false;
  }
  return true;
}

bool NextIndex(const Shape& shape, int64_t* index) {
  for (int i = shape.rank() - 1; i >= 0; --i) {
    if (++index[i] < shape[i]) return true;
    index[i] = 0;
  }
  return false;
}

}  // namespace faultline::ir
