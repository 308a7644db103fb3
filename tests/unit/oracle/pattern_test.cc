// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/oracle/pattern.h"

#include <catch2/catch.hpp>
#include <vector>

namespace faultline::harness {
namespace {

std::string_view Name(const std::vector<int64_t>& wrong, const ir::Shape& shape) {
  return PatternName(PatternOf(wrong, shape));
}

TEST_CASE("PatternOf names how the wrong elements lie") {
  const ir::Shape flat = {10};
  CHECK(Name({}, flat) == "none");
  CHECK(Name({0}, {}) == "single");
  CHECK(Name({4}, flat) == "single");
  CHECK(Name({8, 9}, flat) == "tail");
  CHECK(Name({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, flat) == "all");
  CHECK(Name({1, 4, 7}, flat) == "strided");
  CHECK(Name({1, 4, 8}, flat) == "scattered");
  CHECK(Name({3, 4, 5}, flat) == "scattered");
}

TEST_CASE("PatternOf sees rows and columns of the innermost axis") {
  const ir::Shape shape = {2, 3, 4};
  CHECK(Name({4, 5, 6, 7}, shape) == "row");
  CHECK(Name({0, 1, 2, 3, 16, 17, 18, 19}, shape) == "row");
  CHECK(Name({1, 5, 9, 13, 17, 21}, shape) == "column");
  CHECK(Name({3, 7, 11, 15, 19, 23}, shape) == "row-tail");
  CHECK(Name({2, 3, 6, 7, 10, 11, 14, 15, 18, 19, 22, 23}, shape) == "row-tail");
  CHECK(Name({22, 23}, shape) == "tail");
  // The last row is a row before it is a tail.
  CHECK(Name({20, 21, 22, 23}, shape) == "row");
  CHECK(Name({1, 5, 9, 13, 17, 22}, shape) == "scattered");
}

}  // namespace
}  // namespace faultline::harness
