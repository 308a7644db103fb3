// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "ir/base/status.h"

#include <catch2/catch.hpp>

namespace faultline::ir {
namespace {

TEST_CASE("a status prints the parts it has") {
  const Status bare(StatusCode::kIo, "no such file");
  CHECK(bare.Format("a.fl") == "a.fl: error: no such file");
  CHECK(bare.Format("") == "error: no such file");
  CHECK(bare.At({3, 7}).Format("a.fl") == "a.fl:3:7: error: no such file");
  CHECK(bare.At({3, 7}).At({9, 9}).where() == SourcePosition{3, 7});
}

TEST_CASE("status codes are found by their names") {
  for (int i = 0; i <= static_cast<int>(StatusCode::kInternal); ++i) {
    const auto code = static_cast<StatusCode>(i);
    CHECK(FindStatusCode(StatusCodeName(code)) == code);
  }
  CHECK(StatusCodeName(StatusCode::kIndexOutOfRange) == "index_out_of_range");
  CHECK_FALSE(FindStatusCode("").has_value());
}

Result<int> Half(int n) {
  if (n % 2 != 0) return Error(StatusCode::kUsage, "odd");
  return n / 2;
}

Result<int> Quarter(int n) {
  FAULTLINE_ASSIGN_OR_RETURN(const int half, Half(n));
  return Half(half);
}

TEST_CASE("an error leaves through the macros") {
  CHECK(Quarter(12).value() == 3);
  CHECK(Quarter(6).error().message() == "odd");
  CHECK_FALSE(Quarter(5).has_value());
}

}  // namespace
}  // namespace faultline::ir
