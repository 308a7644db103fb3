// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "ir/base/small_vector.h"

#include <catch2/catch.hpp>
#include <memory>
#include <span>

namespace faultline::ir {
namespace {

TEST_CASE("a small vector keeps its elements in order, within itself and beyond") {
  SmallVector<int, 2> vector;
  CHECK(vector.empty());
  for (int i = 0; i < 7; ++i) {
    vector.push_back(i);
    CHECK(vector.size() == static_cast<size_t>(i) + 1);
    CHECK(vector.back() == i);
    for (int k = 0; k <= i; ++k) CHECK(vector[static_cast<size_t>(k)] == k);
    CHECK(std::span<const int>(vector).size() == vector.size());
  }
  for (int i = 6; i >= 0; --i) {
    CHECK(vector.back() == i);
    vector.pop_back();
    CHECK(vector.size() == static_cast<size_t>(i));
  }
  vector.push_back(9);
  CHECK(vector[0] == 9);
}

TEST_CASE("a small vector owns what it was given, and copies and moves with it") {
  const auto shared = std::make_shared<int>(7);
  for (int count : {1, 2, 3, 5}) {
    SmallVector<std::shared_ptr<int>, 2> vector;
    for (int i = 0; i < count; ++i) vector.push_back(shared);
    CHECK(shared.use_count() == 1 + count);
    SmallVector<std::shared_ptr<int>, 2> copy = vector;
    CHECK(shared.use_count() == 1 + 2 * count);
    const SmallVector<std::shared_ptr<int>, 2> moved = std::move(copy);
    CHECK(moved.size() == static_cast<size_t>(count));
    CHECK(*moved[static_cast<size_t>(count) - 1] == 7);
  }
  CHECK(shared.use_count() == 1);
}

}  // namespace
}  // namespace faultline::ir
