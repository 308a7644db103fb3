// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "ir/attributes.h"

#include <catch2/catch.hpp>
#include <vector>

namespace faultline::ir {
namespace {

// The positions a slice visits, as Python's range(extent)[slice] gives them.
std::vector<int64_t> Visited(const SliceTriple& slice, int64_t extent) {
  const SliceWalk walk = NormalizeSlice(slice, extent);
  std::vector<int64_t> positions;
  for (int64_t i = 0; i < walk.count; ++i) positions.push_back(walk.first + i * walk.step);
  return positions;
}

TEST_CASE("slices with a positive step follow Python") {
  using Positions = std::vector<int64_t>;
  CHECK(Visited({0, 6, 2}, 6) == Positions{0, 2, 4});
  CHECK(Visited({1, 6, 2}, 6) == Positions{1, 3, 5});
  CHECK(Visited({-3, -1, 1}, 6) == Positions{3, 4});
  CHECK(Visited({-100, 100, 4}, 6) == Positions{0, 4});
  CHECK(Visited({4, 2, 1}, 6).empty());
  CHECK(Visited({0, 6, 1}, 0).empty());
  CHECK(Visited({5, 6, 100}, 6) == Positions{5});
}

TEST_CASE("a negative step walks the same set from its end") {
  using Positions = std::vector<int64_t>;
  CHECK(Visited({0, 6, -2}, 6) == Positions{5, 3, 1});
  CHECK(Visited({0, 5, -2}, 6) == Positions{4, 2, 0});
  CHECK(Visited({1, 4, -1}, 6) == Positions{3, 2, 1});
  CHECK(Visited({0, 6, -7}, 6) == Positions{5});
  CHECK(Visited({4, 2, -1}, 6).empty());
}

TEST_CASE("extreme slices overflow nowhere") {
  CHECK(NormalizeSlice({INT64_MIN, INT64_MAX, INT64_MIN}, 6).count == 1);
  CHECK(NormalizeSlice({INT64_MIN, INT64_MAX, INT64_MAX}, 6).count == 1);
  CHECK(NormalizeSlice({0, 6, 0}, 6).count == 0);
}

TEST_CASE("defaults are not stored") {
  Attributes attributes;
  attributes.Set(AttributeKey::kDescending, 0);
  CHECK(attributes.empty());
  attributes.Set(AttributeKey::kDescending, 1);
  CHECK(attributes.Int(AttributeKey::kDescending) == 1);
  attributes.Set(AttributeKey::kDescending, std::vector<int64_t>{0});
  CHECK(attributes == Attributes());
  attributes.Set(AttributeKey::kUpdate, 0);  // has no default
  CHECK(attributes.Has(AttributeKey::kUpdate));
}

TEST_CASE("the order of setting does not matter") {
  Attributes a;
  a.Set(AttributeKey::kDim, 1);
  a.Set(AttributeKey::kTimes, 2);
  Attributes b;
  b.Set(AttributeKey::kTimes, 3);
  b.Set(AttributeKey::kDim, 1);
  CHECK(a != b);
  b.Set(AttributeKey::kTimes, 2);
  CHECK(a == b);
  CHECK(a.dim() == 1);
  b.Clear(AttributeKey::kDim);
  CHECK_FALSE(b.has_dim());
}

TEST_CASE("slices are kept as they were written") {
  Attributes attributes;
  const std::vector<SliceTriple> slices = {{0, 4, 1}, {-1, 9, -2}};
  attributes.SetSlices(slices);
  CHECK(attributes.Slices() == slices);
}

TEST_CASE("a key's info is its own") {
  for (int i = 0; i < kAttributeKeyCount; ++i) {
    const auto key = static_cast<AttributeKey>(i);
    CHECK(InfoOf(key).key == key);
    CHECK((InfoOf(key).spelling == AttributeSpelling::kWord) == !InfoOf(key).words.empty());
  }
}

}  // namespace
}  // namespace faultline::ir
