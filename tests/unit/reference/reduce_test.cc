// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include <catch2/catch.hpp>
#include <string>

#include "tests/unit/reference/describe.h"

namespace faultline::reference {
namespace {

// 2 within one ULP, and 4 within one ULP.
const std::string kNearTwo = "%l: f32[1] = input [0x1.62e43p-1]\n%e: f32[1] = exp %l\n";

TEST_CASE("sums of grid values are points") {
  CHECK(DescribeY("%a: f32[2,3] = input [1, 2, 3, 4, 5, 6]\n%y: f32[1] = sum %a\n") == "0x1.5p+4");
  CHECK(DescribeY("%a: f32[2,3] = input [1, 2, 3, 4, 5, 6]\n%y: f32[1,3] = sum_dim %a dim=0\n") ==
        "0x1.4p+2 0x1.cp+2 0x1.2p+3");
  CHECK(DescribeY("%a: f32[2,3] = input [1, 2, 3, 4, 5, 6]\n%y: f32[2,1] = sum_dim %a dim=1\n") ==
        "0x1.8p+2 0x1.ep+3");
  CHECK(DescribeY("%a: bf16[4] = input [0x1.02p+0, 0x1p+0, 0x1p+0, 0x1p+0]\n"
                  "%y: bf16[1] = sum %a\n") == "0x1p+2");
}

TEST_CASE("a sum in any order lies between its extremes") {
  CHECK(DescribeY("%a: f32[3] = input [0x1p+0, 0x1p-24, 0x1p-24]\n%y: f32[1] = sum %a\n") ==
        "{0x1p+0, 0x1.000002p+0}");
  // Two terms: one correct rounding, whatever is added to 0.
  CHECK(DescribeY("%a: f32[4] = input [0, 0x1p+0, 0, 0x1.8p-24]\n%y: f32[1] = sum %a\n") ==
        "0x1.000002p+0");
  // The exact contract fixes the order.
  CHECK(DescribeY("%a: f32[3] = input [0x1p+0, 0x1p-24, 0x1p-24]\n%y: f32[1] = sum %a\n",
                  ExactContract()) == "0x1p+0");
}

TEST_CASE("sums of integers that are not certain are exact between their ends") {
  // floor of 2 within an ULP is 1 or 2.
  CHECK(DescribeY(kNearTwo + "%f: f32[1] = floor %e\n%c: f32[4] = input [3, 5, 7, 9]\n"
                             "%b: f32[5] = cat %f %c dim=0\n%y: f32[1] = sum %b\n") ==
        "integers of [0x1.9p+4, 0x1.ap+4]");
}

TEST_CASE("a sum overflows in the orders that overflow") {
  const std::string a = "%a: f32[3] = input [0x1.8p+127, 0x1.8p+127, -0x1.8p+127]\n";
  CHECK(DescribeY(a + "%y: f32[1] = sum %a\n") == "{0x1.8p+127, inf}");
  CHECK(DescribeY("%a: f32[4] = input [0x1.8p+127, 0x1.8p+127, -0x1.8p+127, -0x1.8p+127]\n"
                  "%y: f32[1] = sum %a\n") == "{-inf, -0x0p+0, 0x0p+0, inf, nan}");
  CHECK(DescribeY("%a: f32[2] = input [0x1.8p+127, 0x1.8p+127]\n%y: f32[1] = sum %a\n") == "inf");
  CHECK(DescribeY("%a: f32[3] = input [inf, 0x1p+0, -inf]\n%y: f32[1] = sum %a\n") == "nan");
  CHECK(DescribeY("%a: f32[3] = input [inf, 0x1p+0, 0x1p+0]\n%y: f32[1] = sum %a\n") == "inf");
  // f16 accumulates in f32: 60000 + 60000 - 60000 does not overflow on the way.
  CHECK(DescribeY("%a: f16[3] = input [60000, 60000, -60000]\n%y: f16[1] = sum %a\n") ==
        "0x1.d4cp+15");
}

TEST_CASE("sums of nothing and of zeros") {
  CHECK(DescribeY("%a: f32[0] = input []\n%y: f32[1] = sum %a\n") == "{-0x0p+0, 0x0p+0}");
  CHECK(DescribeY("%a: f32[2] = input [-0x0p+0, -0x0p+0]\n%y: f32[1] = sum %a\n") ==
        "{-0x0p+0, 0x0p+0}");
  CHECK(DescribeY("%a: f32[2,0] = input []\n%y: f32[2,1] = prod_dim %a dim=1\n") ==
        "0x1p+0 0x1p+0");
  CHECK(DescribeY("%a: f32[0] = input []\n%y: f32[1] = mean %a\n") == "nan");
  CHECK(DescribeY("%a: f32[0] = input []\n%y: bool[1] = any %a\n") == "false");
  CHECK(DescribeY("%a: f32[0] = input []\n%y: bool[1] = all %a\n") == "true");
}

TEST_CASE("integers wrap") {
  CHECK(DescribeY("%a: i8[3] = input [100, 100, 1]\n%y: i8[1] = sum %a\n") == "-55");
  CHECK(DescribeY("%a: u8[2] = input [16, 17]\n%y: u8[1] = prod %a\n") == "16");
  // The mean sums in 64 bits.
  CHECK(DescribeY("%a: i8[3] = input [100, 100, 100]\n%y: i8[1] = mean %a\n") == "100");
  CHECK(DescribeY("%a: i8[2] = input [-1, -2]\n%y: i8[1] = mean %a\n") == "-1");
  CHECK(DescribeY("%a: u64[2] = input [18446744073709551615, 3]\n%y: u64[1] = mean %a\n") == "1");
  CHECK(DescribeY("%a: i8[3] = input [127, 1, 1]\n%y: i8[3] = cumsum %a dim=0\n") ==
        "127 -128 -127");
}

TEST_CASE("a mean is a sum and one division") {
  CHECK(DescribeY("%a: f32[3] = input [1, 2, 4]\n%y: f32[1] = mean %a\n") == "0x1.2aaaaap+1");
  // f16 would overflow in its own sum.
  CHECK(DescribeY("%a: f16[4] = input [60000, 60000, 60000, 60000]\n%y: f16[1] = mean %a\n") ==
        "0x1.d4cp+15");
}

TEST_CASE("products in any order") {
  CHECK(DescribeY("%a: f32[4] = input [3, 5, -7, 0x1p-3]\n%y: f32[1] = prod %a\n") == "-0x1.a4p+3");
  CHECK(DescribeY("%a: f32[3] = input [-0x0p+0, 3, 5]\n%y: f32[1] = prod %a\n") == "-0x0p+0");
  CHECK(DescribeY("%a: f32[3] = input [0, inf, 1]\n%y: f32[1] = prod %a\n") == "nan");
  CHECK(DescribeY("%a: f32[2] = input [0x1p+100, 0x1p+100]\n%y: f32[1] = prod %a\n") == "inf");
  // 2^200 overflows first in one order, in another it meets 2^-100 before.
  CHECK(DescribeY("%a: f32[3] = input [0x1p+100, 0x1p+100, -0x1p-100]\n%y: f32[1] = prod %a\n") ==
        "{-inf, -0x1p+100}");
}

TEST_CASE("extremes propagate NaN and free the sign of zero") {
  CHECK(DescribeY("%a: f32[3] = input [1, nan, 3]\n%y: f32[1] = max %a\n") == "nan");
  CHECK(DescribeY("%a: f32[2] = input [-0x0p+0, 0]\n%y: f32[1] = min %a\n") == "{-0x0p+0, 0x0p+0}");
  CHECK(DescribeY("%a: f32[2,2] = input [1, -2, 3, 4]\n%y: f32[1,2] = max_dim %a dim=0\n") ==
        "0x1.8p+1 0x1p+2");
  CHECK(DescribeY(kNearTwo + "%c: f32[1] = input [0x1p+1]\n%b: f32[2] = cat %e %c dim=0\n"
                             "%y: f32[1] = max %b\n") == "[0x1p+1, 0x1.000002p+1]");
  CHECK(DescribeY("%a: u8[2] = input [200, 100]\n%y: u8[1] = max %a\n") == "200");
}

TEST_CASE("any and all see NaN as true") {
  CHECK(DescribeY("%a: f32[2] = input [-0x0p+0, nan]\n%y: bool[1] = any %a\n") == "true");
  CHECK(DescribeY("%a: f32[2] = input [-0x0p+0, nan]\n%y: bool[1] = all %a\n") == "false");
  CHECK(DescribeY("%a: i32[2,2] = input [0, 0, 1, 2]\n%y: bool[2,1] = all_dim %a dim=1\n") ==
        "false true");
  CHECK(DescribeY(kNearTwo + "%c: f32[1] = floor %e\n%d: f32[1] = sub_scalar %c 0x1p+1\n"
                             "%y: bool[1] = any %d\n") == "{false, true}");
}

TEST_CASE("argmax names the first of equals and the first NaN") {
  CHECK(DescribeY("%a: f32[4] = input [1, 3, 3, 2]\n%y: i64[1] = argmax %a\n") == "1");
  CHECK(DescribeY("%a: f32[4] = input [0, -0x0p+0, -1, 0]\n%y: i64[1] = argmax %a\n") == "0");
  CHECK(DescribeY("%a: f32[4] = input [1, nan, inf, nan]\n%y: i32[1] = argmin %a\n") == "1");
  CHECK(DescribeY("%a: f32[2,2] = input [1, 2, 4, 3]\n%y: i64[2,1] = argmin %a dim=1\n") == "0 1");
  CHECK(DescribeY("%a: u8[3] = input [3, 200, 100]\n%y: i64[1] = argmax %a\n") == "1");
}

TEST_CASE("argmax over sets admits what may win, ties included") {
  // exp of the same argument twice: each within an ULP of 2, so any of the two may be greater; the
  // third is exactly 1.
  const std::string row =
      "%l: f32[3] = input [0x1.62e43p-1, 0x1.62e43p-1, 0]\n"
      "%e: f32[3] = exp %l\n";
  CHECK(DescribeY(row + "%y: i64[1] = argmax %e\n") == "{0, 1}");
  CHECK(DescribeY(row + "%y: i64[1] = argmin %e\n") == "2");
}

TEST_CASE("a cumsum is a sum of each prefix") {
  CHECK(DescribeY("%a: f32[4] = input [1, 2, 3, 4]\n%y: f32[4] = cumsum %a dim=0\n") ==
        "0x1p+0 0x1.8p+1 0x1.8p+2 0x1.4p+3");
  CHECK(DescribeY("%a: f32[3] = input [0x1p+0, 0x1p-24, 0x1p-24]\n"
                  "%y: f32[3] = cumsum %a dim=0\n") == "0x1p+0 0x1p+0 {0x1p+0, 0x1.000002p+0}");
  // Each output is rounded from the f32 running value, not accumulated in bf16.
  CHECK(DescribeY("%a: bf16[3] = input [0x1p+0, 0x1p-8, 0x1p-8]\n"
                  "%y: bf16[3] = cumsum %a dim=0\n") == "0x1p+0 0x1p+0 0x1.02p+0");
}

TEST_CASE("sorts are stable, with NaN beyond every number") {
  const std::string a = "%a: f32[5] = input [3, nan(0x7fc00001), -0x0p+0, 0, -inf]\n";
  CHECK(DescribeY(a + "%y: f32[5] = sort %a dim=0\n") ==
        "-inf -0x0p+0 0x0p+0 0x1.8p+1 nan(0x7fc00001)");
  CHECK(DescribeY(a + "%y: f32[5] = sort %a dim=0 descending=true\n") ==
        "nan(0x7fc00001) 0x1.8p+1 -0x0p+0 0x0p+0 -inf");
  CHECK(DescribeY("%a: u8[2,2] = input [200, 3, 100, 4]\n%y: u8[2,2] = sort %a dim=0\n") ==
        "100 3 200 4");
}

TEST_CASE("sorted sets are bounded by order statistics") {
  CHECK(DescribeY(kNearTwo + "%c: f32[2] = input [3, 1]\n%b: f32[3] = cat %e %c dim=0\n"
                             "%y: f32[3] = sort %b dim=0\n") ==
        "0x1p+0 [0x1.fffffep+0, 0x1.000002p+1] 0x1.8p+1");
}

}  // namespace
}  // namespace faultline::reference
