// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include <catch2/catch.hpp>
#include <string>

#include "tests/unit/reference/describe.h"

namespace faultline::reference {
namespace {

TEST_CASE("matmuls of small integers are points") {
  CHECK(DescribeY("%a: f32[2,2] = input [1, 2, 3, 4]\n%b: f32[2,2] = input [5, 6, 7, 8]\n"
                  "%y: f32[2,2] = matmul %a %b\n") == "0x1.3p+4 0x1.6p+4 0x1.58p+5 0x1.9p+5");
  CHECK(DescribeY("%a: i8[1,2] = input [100, 100]\n%b: i8[2,1] = input [2, 1]\n"
                  "%y: i8[1,1] = matmul %a %b\n") == "44");
  CHECK(DescribeY("%a: f32[1,0] = input []\n%b: f32[0,2] = input []\n"
                  "%y: f32[1,2] = matmul %a %b\n") == "{-0x0p+0, 0x0p+0} {-0x0p+0, 0x0p+0}");
}

TEST_CASE("batch axes of a matmul broadcast") {
  CHECK(DescribeY("%a: i32[2,1,1,2] = input [1, 2, 3, 4]\n"
                  "%b: i32[3,2,1] = input [1, 0, 0, 1, 1, 1]\n"
                  "%y: i32[2,3,1,1] = matmul %a %b\n") == "1 2 3 3 4 7");
}

TEST_CASE("a dot may use an FMA or not, and nothing else") {
  // (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24: rounded to 1 + 2^-11, or kept by an FMA with -1.
  const std::string body =
      "%a: f32[1,2] = input [0x1.001p+0, 0x1p+0]\n"
      "%b: f32[2,1] = input [0x1.001p+0, -0x1p+0]\n"
      "%y: f32[1,1] = matmul %a %b\n";
  CHECK(DescribeY(body) == "[0x1p-11, 0x1.0008p-11]");
  CHECK(DescribeY(body, ExactContract()) == "0x1p-11");
  // One product is rounded once either way.
  CHECK(DescribeY("%a: f32[1,1] = input [0x1.001p+0]\n%b: f32[1,1] = input [0x1.001p+0]\n"
                  "%y: f32[1,1] = matmul %a %b\n") == "0x1.002p+0");
}

TEST_CASE("0 times infinity spoils a dot") {
  CHECK(DescribeY("%a: f32[1,2] = input [0, 1]\n%b: f32[2,1] = input [inf, 1]\n"
                  "%y: f32[1,1] = matmul %a %b\n") == "nan");
  CHECK(DescribeY("%a: f32[1,2] = input [2, 1]\n%b: f32[2,1] = input [-inf, 1]\n"
                  "%y: f32[1,1] = matmul %a %b\n") == "-inf");
}

TEST_CASE("a flushed operand takes its whole product away") {
  Contract contract = FusionCpuContract();
  contract.may_flush = true;
  const ir::Program program = ParseOrFail(
      "%a: f32[1,2] = input [0x1p-130, 0x1p+0]\n"
      "%b: f32[2,1] = input [0x1p+20, 0x1p-100]\n"
      "%c: f32[2,1] = input [inf, 0x1p+0]\n"
      "%y: f32[1,1] = matmul %a %b\n"
      "%z: f32[1,1] = matmul %a %c\n");
  const Evaluation evaluation = Evaluate(program, contract);
  const FloatSet y = evaluation.values[*program.Find("y")].enclosure->FloatAt(0);
  CHECK(y.Contains(0x1.004p-100));
  CHECK(y.Contains(0x1p-100));
  CHECK_FALSE(y.Contains(0x1.01p-100));
  const FloatSet z = evaluation.values[*program.Find("z")].enclosure->FloatAt(0);
  CHECK(z.nan);
  CHECK(z.positive_infinity);
}

TEST_CASE("f16 matmuls accumulate in f32") {
  // 2048 + 1 + 1: f16 would lose each 1.
  CHECK(DescribeY("%a: f16[1,3] = input [2048, 1, 1]\n%b: f16[3,1] = input [1, 1, 1]\n"
                  "%y: f16[1,1] = matmul %a %b\n") == "0x1.004p+11");
}

TEST_CASE("softmax of equal elements is exact") {
  CHECK(DescribeY("%a: f32[4] = input [7, 7, 7, 7]\n%y: f32[4] = softmax %a dim=0\n",
                  ExactContract()) == "0x1p-2 0x1p-2 0x1p-2 0x1p-2");
  CHECK(DescribeY("%a: f32[2] = input [-inf, 3]\n%y: f32[2] = softmax %a dim=0\n") ==
        "0x0p+0 0x1p+0");
}

TEST_CASE("a softmax row with NaN, +inf or nothing but -inf is NaN") {
  CHECK(DescribeY("%a: f32[2,2] = input [nan, 1, 0, 0]\n%y: f32[2,2] = softmax %a dim=0\n")
            .starts_with("nan "));
  CHECK(DescribeY("%a: f32[2] = input [inf, 1]\n%y: f32[2] = softmax %a dim=0\n") == "nan nan");
  CHECK(DescribeY("%a: f32[2] = input [-inf, -inf]\n%y: f32[2] = softmax %a dim=0\n") == "nan nan");
}

TEST_CASE("softmax stays within a few ULP and along its dim") {
  const ir::Program program = ParseOrFail(
      "%a: f32[3,5] = input normal(seed=3, mean=0, std=2)\n"
      "%y: f32[3,5] = softmax %a dim=1\n"
      "%s: f32[3,1] = sum_dim %y dim=1\n");
  const Evaluation evaluation = Evaluate(program, FusionCpuContract());
  const Enclosure& y = *evaluation.values[*program.Find("y")].enclosure;
  for (int64_t i = 0; i < y.size(); ++i) CHECK(y.RadiusUlp(i) < 8);
  const Enclosure& s = *evaluation.values[*program.Find("s")].enclosure;
  for (int64_t i = 0; i < s.size(); ++i) CHECK(s.FloatAt(i).Contains(1));
}

}  // namespace
}  // namespace faultline::reference
