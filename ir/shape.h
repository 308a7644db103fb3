// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Shapes: up to eight extents, zero allowed, outermost first. A value type without allocation.

#ifndef IR_SHAPE_H_
#define IR_SHAPE_H_

#include <array>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>

namespace faultline::ir {

inline constexpr int kRankMax = 8;

class Shape {
 public:
  constexpr Shape() = default;
  // Requires size() <= kRankMax.
  constexpr Shape(std::initializer_list<int64_t> extents) {
    for (int64_t extent : extents) extents_[static_cast<size_t>(rank_++)] = extent;
  }
  explicit Shape(std::span<const int64_t> extents);
  static Shape OfRank(int rank, int64_t extent);

  constexpr int rank() const { return rank_; }
  constexpr int64_t operator[](int axis) const { return extents_[static_cast<size_t>(axis)]; }
  constexpr int64_t& operator[](int axis) { return extents_[static_cast<size_t>(axis)]; }
  std::span<const int64_t> extents() const { return {extents_.data(), static_cast<size_t>(rank_)}; }
  auto begin() const { return extents().begin(); }
  auto end() const { return extents().end(); }
  // Requires rank() < kRankMax.
  void PushBack(int64_t extent) { extents_[static_cast<size_t>(rank_++)] = extent; }
  void Insert(int axis, int64_t extent);
  void Erase(int axis);

  // Product of the extents, saturating at INT64_MAX; 1 for rank 0.
  int64_t NumElements() const {
    int64_t product = 1;
    bool saturated = false;
    for (int i = 0; i < rank_; ++i) {
      const int64_t extent = extents_[static_cast<size_t>(i)];
      if (extent == 0) return 0;
      saturated |= __builtin_mul_overflow(product, extent, &product);
    }
    return saturated ? std::numeric_limits<int64_t>::max() : product;
  }
  // Row-major strides in elements.
  std::array<int64_t, kRankMax> RowMajorStrides() const;

  friend constexpr bool operator==(const Shape& a, const Shape& b) {
    if (a.rank_ != b.rank_) return false;
    for (int i = 0; i < a.rank_; ++i) {
      if (a[i] != b[i]) return false;
    }
    return true;
  }

 private:
  std::array<int64_t, kRankMax> extents_ = {};
  int rank_ = 0;
};

// "[2,3]"
std::string PrintShape(const Shape& shape);

// NumPy broadcasting; nothing if an axis has two different extents of which none is 1.
std::optional<Shape> BroadcastShapes(const Shape& a, const Shape& b);
bool CanBroadcastTo(const Shape& from, const Shape& to);

// Advances a row-major multi-index; returns false after the last one. `index` has shape.rank()
// entries. Requires that no extent is zero.
bool NextIndex(const Shape& shape, int64_t* index);

}  // namespace faultline::ir

#endif  // IR_SHAPE_H_
