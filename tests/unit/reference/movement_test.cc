// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include <catch2/catch.hpp>
#include <string>

#include "tests/unit/reference/describe.h"

namespace faultline::reference {
namespace {

const std::string kIota = "%a: i32[2,3] = input [0, 1, 2, 3, 4, 5]\n";

// exp of the f32 next to log 2 is 2 within one ULP, so its integer part is 1 or 2.
const std::string kOneOrTwo =
    "%l: f32[1] = input [0x1.62e43p-1]\n"
    "%e: f32[1] = exp %l\n"
    "%i: i64[1] = cast %e\n";

TEST_CASE("views move elements by their index maps") {
  CHECK(DescribeY(kIota + "%y: i32[3,2] = reshape %a\n") == "0 1 2 3 4 5");
  CHECK(DescribeY(kIota + "%y: i32[3,2] = permute %a axes=[1,0]\n") == "0 3 1 4 2 5");
  CHECK(DescribeY(kIota + "%y: i32[3,2] = swap_dims %a dims=[0,1]\n") == "0 3 1 4 2 5");
  CHECK(DescribeY(kIota + "%y: i32[2,3] = flip %a axes=[1]\n") == "2 1 0 5 4 3");
  CHECK(DescribeY(kIota + "%y: i32[2,3] = flip %a axes=[0,1]\n") == "5 4 3 2 1 0");
  CHECK(DescribeY(kIota + "%y: i32[2,6] = repeat_dim %a dim=1 times=2\n") ==
        "0 1 2 0 1 2 3 4 5 3 4 5");
  CHECK(DescribeY(kIota + "%y: i32[0,3] = repeat_dim %a dim=0 times=0\n").empty());
  CHECK(DescribeY("%a: i32[2,1] = input [7, 8]\n%y: i32[2,2,3] = expand %a\n") ==
        "7 7 7 8 8 8 7 7 7 8 8 8");
}

TEST_CASE("a permutation of three axes follows its axes and not their inverse") {
  CHECK(DescribeY("%a: i32[1,2,3] = input [0, 1, 2, 3, 4, 5]\n"
                  "%y: i32[2,3,1] = permute %a axes=[1,2,0]\n") == "0 1 2 3 4 5");
  CHECK(DescribeY("%a: i32[2,1,3] = input [0, 1, 2, 3, 4, 5]\n"
                  "%y: i32[3,2,1] = permute %a axes=[2,0,1]\n") == "0 3 1 4 2 5");
}

TEST_CASE("slices walk as the text form says") {
  const std::string a = "%a: i32[6] = input [0, 1, 2, 3, 4, 5]\n";
  CHECK(DescribeY(a + "%y: i32[3] = slice %a slices=[1:6:2]\n") == "1 3 5");
  CHECK(DescribeY(a + "%y: i32[3] = slice %a slices=[0:6:-2]\n") == "5 3 1");
  CHECK(DescribeY(a + "%y: i32[2] = slice %a slices=[1:5:-2]\n") == "4 2");
  CHECK(DescribeY(a + "%y: i32[2] = slice %a slices=[-2:100:1]\n") == "4 5");
  CHECK(DescribeY(a + "%y: i32[0] = slice %a slices=[4:2:1]\n").empty());
  CHECK(DescribeY(a + "%v: i32[3] = input [10, 11, 12]\n"
                      "%y: i32[6] = slice_assign %a %v slices=[0:6:-2]\n") == "0 12 2 11 4 10");
}

TEST_CASE("cat joins along its dim, empty operands included") {
  CHECK(DescribeY(kIota + "%b: i32[2,1] = input [7, 8]\n%c: i32[2,0] = zeros\n"
                          "%y: i32[2,4] = cat %a %c %b dim=1\n") == "0 1 2 7 3 4 5 8");
}

TEST_CASE("movement keeps the payload of a NaN, whatever else the tensor holds") {
  const std::string a = "%a: f32[2] = input [nan(0x7fc00123), 0x1p+0]\n";
  CHECK(DescribeY(a + "%y: f32[2] = flip %a axes=[0]\n") == "0x1p+0 nan(0x7fc00123)");
  CHECK(DescribeY(a + "%e: f32[2] = input [0x1p+0, 0x1p+0]\n%f: f32[2] = exp %e\n"
                      "%y: f32[4] = cat %f %a dim=0\n") ==
        "[0x1.5bf0a8p+1, 0x1.5bf0aap+1] [0x1.5bf0a8p+1, 0x1.5bf0aap+1] nan(0x7fc00123) 0x1p+0");
}

TEST_CASE("select and gather read where the index says") {
  CHECK(DescribeY(kIota + "%i: i64[2] = input [2, 0]\n%y: i32[2,2] = select %a %i dim=1\n") ==
        "2 0 5 3");
  CHECK(DescribeY(kIota + "%i: i32[2,2] = input [2, 0, 1, 1]\n"
                          "%y: i32[2,2] = gather %a %i dim=1\n") == "2 0 4 4");
  CHECK(DescribeY(kIota + "%i: i32[1,3] = input [1, 0, 1]\n"
                          "%y: i32[1,3] = gather %a %i dim=0\n") == "3 1 5");
}

TEST_CASE("an ambiguous index unites what it may name") {
  const std::string a = "%a: f32[4] = input [0x1p+0, 0x1p+2, 0x1p+4, 0x1p+6]\n";
  CHECK(DescribeY(kOneOrTwo + "%y: i64[1] = reshape %i\n") == "{1, 2}");
  CHECK(DescribeY(a + kOneOrTwo + "%y: f32[1] = select %a %i dim=0\n") == "{0x1p+2, 0x1p+4}");
  CHECK(DescribeY(a + kOneOrTwo + "%y: f32[1] = gather %a %i dim=0\n") == "{0x1p+2, 0x1p+4}");
  const std::string v = "%v: f32[1] = input [0x1p+3]\n";
  CHECK(DescribeY(a + v + kOneOrTwo + "%y: f32[4] = scatter %a %i %v dim=0 update=assign\n") ==
        "0x1p+0 {0x1p+2, 0x1p+3} {0x1p+3, 0x1p+4} 0x1p+6");
  CHECK(DescribeY(a + v + kOneOrTwo + "%y: f32[4] = scatter %a %i %v dim=0 update=add\n") ==
        "0x1p+0 [0x1p+2, 0x1.8p+3] [0x1p+4, 0x1.8p+4] 0x1p+6");
}

TEST_CASE("an index that may name many places takes the hull of all") {
  // exp of 6, scaled so that one ULP is 64: modulo 200 its two neighbours wrap around.
  const std::string body =
      "%l: f32[2] = input [0x1.8p+2, 0x1.8p+2]\n%e: f32[2] = exp %l\n"
      "%m: f32[2] = mul_scalar %e 0x1p+21\n%j: i64[2] = cast %m\n"
      "%k: i64[2] = rem_scalar %j 200\n";
  CHECK(DescribeY(body + "%y: i64[2] = reshape %k\n") == "[0, 199] [0, 199]");
  const std::string a = "%a: f32[200] = input iota(start=0, step=1)\n";
  CHECK(DescribeY(body + a + "%y: f32[2] = select %a %k dim=0\n").find("0x1.8ep+7") !=
        std::string::npos);
  const std::string v = "%v: f32[2] = input [7, 7]\n";
  const std::string all = DescribeY(body + a + v +
                                    "%y: f32[200] = scatter %a %k %v dim=0 "
                                    "update=assign\n");
  CHECK(all.find("nan") != std::string::npos);
}

TEST_CASE("an index that is only possibly out of range predicts a read that may fail") {
  const std::string body = "%a: f32[2] = input [0x1p+0, 0x1p+2]\n" + kOneOrTwo +
                           "%y: f32[1] = select %a %i dim=0\nread %y\nread %a\n";
  const Evaluation evaluation = Evaluate(ParseOrFail(body), FusionCpuContract());
  const ReadPrediction& read = evaluation.reads[5];
  CHECK(read.outcome == Outcome::kMaybe);
  CHECK(read.may_succeed);
  REQUIRE(read.errors.size() == 1);
  CHECK_FALSE(read.errors[0].certain);
  CHECK(evaluation.reads[6].outcome == Outcome::kOk);
  // If it succeeds the index was 1.
  CHECK(DescribeY(body) == "0x1p+2");
}

TEST_CASE("the first index out of range is the one reported") {
  const Evaluation evaluation = Evaluate(ParseOrFail("%a: f32[2] = input [0x1p+0, 0x1p+2]\n"
                                                     "%i: i32[3] = input [1, -1, 2]\n"
                                                     "%y: f32[3] = select %a %i dim=0\n"
                                                     "read %y\n"),
                                         FusionCpuContract());
  REQUIRE(evaluation.reads[3].outcome == Outcome::kError);
  CHECK(evaluation.reads[3].errors[0].status.code() == ir::StatusCode::kIndexOutOfRange);
  CHECK(evaluation.reads[3].errors[0].status.message() ==
        "select: index -1 is out of range [0, 2) (element 1 of the index tensor)");
}

TEST_CASE("nothing can be read from an axis without elements") {
  const Evaluation evaluation = Evaluate(ParseOrFail("%a: f32[0] = input []\n"
                                                     "%i: i32[1] = input [0]\n"
                                                     "%y: f32[1] = select %a %i dim=0\n"
                                                     "read %y\n"),
                                         FusionCpuContract());
  CHECK(evaluation.reads[3].outcome == Outcome::kError);
}

TEST_CASE("scatter takes duplicates in row-major order") {
  const std::string a =
      "%a: i32[3] = input [10, 20, 30]\n"
      "%i: i64[4] = input [2, 0, 2, 0]\n%v: i32[4] = input [1, 2, 3, 4]\n";
  CHECK(DescribeY(a + "%y: i32[3] = scatter %a %i %v dim=0 update=assign\n") == "4 20 3");
  CHECK(DescribeY(a + "%y: i32[3] = scatter %a %i %v dim=0 update=add\n") == "16 20 34");
  CHECK(DescribeY("%a: i32[2,2] = input [1, 2, 3, 4]\n%i: i64[1,2] = input [1, 0]\n"
                  "%v: i32[1,2] = input [7, 8]\n"
                  "%y: i32[2,2] = scatter %a %i %v dim=0 update=assign\n") == "1 8 7 4");
}

TEST_CASE("scatter adds floats in any order") {
  // 1 + 2^-24 + 2^-24: left to right each addend is lost, the addends first give 2^-23.
  CHECK(DescribeY("%a: f32[1] = input [0x1p+0]\n%i: i64[2] = input [0, 0]\n"
                  "%v: f32[2] = input [0x1p-24, 0x1p-24]\n"
                  "%y: f32[1] = scatter %a %i %v dim=0 update=add\n") == "{0x1p+0, 0x1.000002p+0}");
}

}  // namespace
}  // namespace faultline::reference
