// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include <catch2/catch.hpp>

#include "ir/data.h"
#include "ir/element.h"

namespace faultline::ir {
namespace {

DataSpec List(std::vector<uint64_t> elements) {
  DataSpec data;
  data.elements = std::move(elements);
  return data;
}

const Type kBytes{Dtype::kU8, {2, 3}};
const DataSpec kData = List({1, 2, 3, 4, 5, 6});

TEST_CASE("a contiguous layout is the host tensor") {
  const HostTensor value = Materialize(kData, kBytes);
  CHECK(PlaceInStorage(value, {}, std::byte{0xee}) == value.bytes);
  CHECK(StorageElements({}, kBytes.shape) == 6);
  CHECK(VerifyLayout({}, kData, kBytes).ok());
}

std::vector<int> Placed(const Layout& layout) {
  REQUIRE(VerifyLayout(layout, kData, kBytes).ok());
  std::vector<int> cells;
  for (const std::byte b : PlaceInStorage(Materialize(kData, kBytes), layout, std::byte{99})) {
    cells.push_back(static_cast<int>(b));
  }
  return cells;
}

TEST_CASE("strides and offset place elements, the rest is poison") {
  CHECK(Placed({{1, 2}, 0, -1}) == std::vector<int>{1, 4, 2, 5, 3, 6});
  CHECK(Placed({{4, 1}, 1, 9}) == std::vector<int>{99, 1, 2, 3, 99, 4, 5, 6, 99});
  CHECK(Placed({{-3, -1}, 5, -1}) == std::vector<int>{6, 5, 4, 3, 2, 1});
  CHECK(Placed({{}, 2, -1}) == std::vector<int>{99, 99, 1, 2, 3, 4, 5, 6});
}

TEST_CASE("elements that share a cell must be equal") {
  const Type pair{Dtype::kF32, {2, 2}};
  const Layout rows{{0, 1}, 0, -1};
  CHECK(VerifyLayout(rows, List({7, 8, 7, 8}), pair).ok());
  CHECK_FALSE(VerifyLayout(rows, List({7, 8, 7, 9}), pair).ok());
  // Windows that overlap by one.
  CHECK(VerifyLayout({{1, 1}, 0, -1}, List({1, 2, 2, 3}), pair).ok());
  CHECK_FALSE(VerifyLayout({{1, 1}, 0, -1}, List({1, 2, 3, 4}), pair).ok());
}

TEST_CASE("layouts out of bounds are refused") {
  const auto refused = [](const Layout& layout) {
    return !VerifyLayout(layout, kData, kBytes).ok();
  };
  CHECK(refused({{1}, 0, -1}));
  CHECK(refused({{3, 1}, -1, -1}));
  CHECK(refused({{3, 1}, 0, 5}));
  CHECK(refused({{-3, 1}, 0, 10}));
  CHECK(refused({{3, 1}, 0, -2}));
  CHECK(refused({{INT64_MAX, 1}, 0, -1}));
  CHECK(refused({{INT64_MIN, 1}, 0, -1}));
  CHECK(refused({{3, 1}, INT64_MAX, -1}));
  CHECK(refused({{3, 1}, 0, INT64_MAX}));
  CHECK(refused({{4000000, 4000000}, 0, -1}));
  CHECK_FALSE(refused({{3, 1}, 0, 6}));
}

TEST_CASE("an empty input needs no storage") {
  const Type empty{Dtype::kF32, {0, 3}};
  CHECK(StorageElements({{3, 1}, 0, -1}, empty.shape) == 0);
  CHECK(VerifyLayout({{3, 1}, 2, 2}, List({}), empty).ok());
  CHECK_FALSE(VerifyLayout({{3, 1}, 3, 2}, List({}), empty).ok());
}

TEST_CASE("quantized inputs have no layout") {
  DataSpec data;
  data.form = DataForm::kQuantized;
  CHECK_FALSE(VerifyLayout({{}, 1, -1}, data, Type(ElementType(Scheme()), {2})).ok());
}

}  // namespace
}  // namespace faultline::ir
