// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "ir/shape.h"

#include <catch2/catch.hpp>
#include <cstdint>

namespace faultline::ir {
namespace {

TEST_CASE("a shape counts its elements") {
  CHECK(Shape{}.NumElements() == 1);
  CHECK(Shape{2, 3, 4}.NumElements() == 24);
  CHECK(Shape{2, 0, 4}.NumElements() == 0);
  CHECK(Shape{int64_t{1} << 40, int64_t{1} << 40}.NumElements() == INT64_MAX);
  // A zero extent empties the tensor also where the others overflow.
  CHECK(Shape{int64_t{1} << 40, int64_t{1} << 40, 0}.NumElements() == 0);
}

TEST_CASE("row-major strides") {
  const auto strides = Shape{2, 3, 4}.RowMajorStrides();
  CHECK(strides[0] == 12);
  CHECK(strides[1] == 4);
  CHECK(strides[2] == 1);
}

TEST_CASE("inserting and erasing axes") {
  Shape shape{2, 4};
  shape.Insert(1, 3);
  CHECK(shape == Shape{2, 3, 4});
  shape.Insert(3, 5);
  CHECK(shape == Shape{2, 3, 4, 5});
  shape.Erase(0);
  CHECK(shape == Shape{3, 4, 5});
  CHECK(Shape::OfRank(3, 1) == Shape{1, 1, 1});
}

TEST_CASE("broadcasting follows NumPy") {
  CHECK(BroadcastShapes({3, 1}, {4}) == Shape{3, 4});
  CHECK(BroadcastShapes({}, {2, 2}) == Shape{2, 2});
  CHECK(BroadcastShapes({1}, {0}) == Shape{0});
  CHECK_FALSE(BroadcastShapes({2}, {0}).has_value());
  CHECK_FALSE(BroadcastShapes({2, 3}, {3, 2}).has_value());
  CHECK(CanBroadcastTo({1, 3}, {5, 2, 3}));
  CHECK(CanBroadcastTo({1}, {0}));
  CHECK_FALSE(CanBroadcastTo({0}, {1}));
  CHECK_FALSE(CanBroadcastTo({2, 3}, {3}));
}

TEST_CASE("the next index runs row-major and ends") {
  const Shape shape{2, 1, 3};
  int64_t index[3] = {};
  int64_t steps = 1;
  while (NextIndex(shape, index)) {
    ++steps;
    CHECK(index[0] * 3 + index[2] == steps - 1);
  }
  CHECK(steps == 6);
  CHECK_FALSE(NextIndex({}, index));
}

TEST_CASE("shapes print without spaces") {
  CHECK(PrintShape({}) == "[]");
  CHECK(PrintShape({2, 0}) == "[2,0]");
}

}  // namespace
}  // namespace faultline::ir
