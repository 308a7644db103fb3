// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "reference/philox.h"
#include "tests/unit/reference/describe.h"

namespace faultline::reference {
namespace {

// Half the widest set of %y in ulp.
double WidestRadius(const std::string& body, const Contract& contract = FusionCpuContract()) {
  const ir::Program program = ParseOrFail(body);
  const Evaluation evaluation = Evaluate(program, contract);
  const Enclosure& y = *evaluation.values[*program.Find("y")].enclosure;
  double widest = 0;
  for (int64_t i = 0; i < y.size(); ++i) widest = std::max(widest, y.RadiusUlp(i));
  return widest;
}

const std::string kNormal = "%x: f32[3,16] = input normal(seed=3, mean=0, std=2)\n";
const std::string kFar = "%x: f32[3,16] = input normal(seed=3, mean=1000, std=2)\n";

TEST_CASE("exact data give points") {
  CHECK(DescribeY("%x: f32[1,4] = input [1, 2, 3, 4]\n%y: f32[1,1] = var %x dim=1 ddof=0\n") ==
        "0x1.4p+0");
  CHECK(DescribeY("%x: f32[2] = input [3, -4]\n%y: f32[1] = norm %x p=l2\n") == "0x1.4p+2");
  CHECK(DescribeY("%x: f32[1,2] = input [1, -1]\n%g: f32[2] = input [2, 4]\n"
                  "%y: f32[1,2] = layer_norm %x %g 3\n") == "0x1p+0 -0x1p+1");
}

TEST_CASE("composites stay within a few ulp") {
  CHECK(WidestRadius(kNormal + "%y: f32[3,1] = logsumexp %x dim=1\n") < 8);
  CHECK(WidestRadius(kNormal + "%y: f32[3,16] = log_softmax %x dim=1\n") < 32);
  CHECK(WidestRadius(kNormal + "%y: f32[3,16] = softmin %x dim=1\n") < 16);
  CHECK(WidestRadius(kNormal + "%y: f32[3,1] = norm %x dim=1 p=l2\n") < 8);
  CHECK(WidestRadius(kNormal + "%y: f32[3,1] = var %x dim=1 ddof=1\n") < 24);
}

// The error of the mean cancels: interval arithmetic on x - mean alone would be off by 2^10 ulp.
TEST_CASE("a variance far from zero is as sharp as one around it") {
  CHECK(WidestRadius(kFar + "%y: f32[3,1] = var %x dim=1 ddof=0\n") < 32);
  CHECK(WidestRadius(kFar + "%y: f32[3,1] = std %x dim=1 ddof=0\n") < 16);
}

TEST_CASE("a variance of boxes holds those of their ends") {
  const ir::Program program = ParseOrFail(
      "%x: f32[1,3] = input [0x1p-1, 0x1.8p+0, -1]\n%e: f32[1,3] = exp %x\n"
      "%y: f32[1,1] = var %e dim=1 ddof=0\n");
  const Evaluation evaluation = Evaluate(program, FusionCpuContract());
  const Enclosure& y = *evaluation.values[*program.Find("y")].enclosure;
  const Points& naive = *evaluation.values[*program.Find("y")].naive;
  CHECK(y.FloatAt(0).Contains(naive.Float(0)));
  CHECK(y.RadiusUlp(0) < 16);
}

TEST_CASE("classes of logsumexp come from the maximum") {
  CHECK(DescribeY("%x: f32[2] = input [inf, -inf]\n%y: f32[1] = logsumexp %x dim=0\n") == "inf");
  CHECK(DescribeY("%x: f32[2] = input [inf, nan]\n%y: f32[1] = logsumexp %x dim=0\n") == "nan");
  CHECK(DescribeY("%x: f32[0] = input []\n%y: f32[1] = logsumexp %x dim=0\n") == "-inf");
  // A maximum that may drop a NaN may be the infinity beside it.
  Contract contract = FusionCpuContract();
  contract.nan_rule = NanRule::kEither;
  CHECK(DescribeY("%x: f32[2] = input [inf, nan]\n%y: f32[1] = logsumexp %x dim=0\n", contract) ==
        "{inf, nan}");
}

TEST_CASE("contraction reaches into norms and cross products") {
  // (1 + 2^-12)^2 is 1 + 2^-11 + 2^-24: rounded, or unrounded into the difference with 1.
  const std::string body =
      "%a: f32[3] = input [0x1.001p+0, 1, 0]\n%b: f32[3] = input [1, 0x1.001p+0, 0]\n"
      "%y: f32[3] = cross %a %b dim=0\n";
  CHECK(DescribeY(body) == "0x0p+0 0x0p+0 0x1p-11");
  Contract contract = FusionCpuContract();
  contract.contraction = true;
  CHECK(DescribeY(body, contract).ends_with("[0x1p-11, 0x1.0008p-11]"));
}

// exp of neighbours: either may be the greater one.
TEST_CASE("an ambiguous index may be either class of one_hot") {
  CHECK(DescribeY("%x: f32[2] = input [0x1.000002p-4, 0x1p-4]\n%e: f32[2] = exp %x\n"
                  "%i: i64[1] = argmax %e dim=0\n%y: f32[1,3] = one_hot %i classes=3\n") ==
        "{0x0p+0, 0x1p+0} {0x0p+0, 0x1p+0} 0x0p+0");
}

TEST_CASE("the bias of linear is added before the only rounding") {
  CHECK(DescribeY("%x: f16[1,2] = input [2048, 1]\n%w: f16[2,1] = input [1, 1]\n"
                  "%b: f16[1] = input [1]\n%y: f16[1,1] = linear %x %w %b\n") == "0x1.004p+11");
}

// The known answers that Random123 publishes.
TEST_CASE("Philox gives its published words") {
  using Words = std::array<uint32_t, 4>;
  CHECK(Philox(0, 0, 0) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(Philox(~uint64_t{0}, ~uint64_t{0}, ~uint64_t{0}) ==
        Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(Philox(0x299f31d0a4093822, 0x85a308d3243f6a88, 0x0370734413198a2e) ==
        Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("uniform values are points") {
  const std::string body = "%y: f32[2] = random_uniform 1 3 seed=0\n";
  // U is 0x1.989fap-2 and 0x1.c2d38ap-1.
  CHECK(DescribeY(body) == "0x1.cc4fdp+0 0x1.6169c4p+1");
}

TEST_CASE("normal values are known to a few ulp, and are normal") {
  const std::string body = "%y: f32[8192] = random_normal 3 2 seed=1\n";
  CHECK(WidestRadius("%y: f32[8192] = random_normal 0 1 seed=1\n") < 8);
  const ir::Program program = ParseOrFail(body);
  const Evaluation evaluation = Evaluate(program, FusionCpuContract());
  const Points& y = *evaluation.values[*program.Find("y")].naive;
  double moments[5] = {};
  for (int64_t i = 0; i < 8192; ++i) {
    const double z = (y.Float(i) - 3) / 2;
    double power = 1;
    for (double& moment : moments) {
      moment += power / 8192;
      power *= z;
    }
  }
  CHECK(std::fabs(moments[1]) < 0.04);
  CHECK(std::fabs(moments[2] - 1) < 0.06);
  CHECK(std::fabs(moments[3]) < 0.15);
  CHECK(std::fabs(moments[4] - 3) < 0.4);
}

}  // namespace
}  // namespace faultline::reference
