// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/oracle/expect.h"

#include <catch2/catch.hpp>
#include <string>

#include "ir/parse.h"

namespace faultline::harness {
namespace {

ir::Program Load(const std::string& body) {
  auto program = ir::ParseAndVerify("faultline 1\n" + body);
  INFO((program ? "" : program.error().Format("text")));
  REQUIRE(program.has_value());
  return std::move(*program);
}

constexpr char kNeg[] =
    "%a: f32[3] = input [0x1p+0, 0x0p+0, nan]\n"
    "%n: f32[3] = neg %a\n"
    "read %n\n";

TEST_CASE("VerifyExpects accepts what the reference gives, wildcards and any NaN included") {
  CHECK(VerifyExpects(Load(kNeg)).ok());
  CHECK(VerifyExpects(Load(kNeg + std::string("expect %n = [-0x1p+0, -0x0p+0, nan]\n"))).ok());
  CHECK(VerifyExpects(Load(kNeg + std::string("expect %n = [-0x1p+0, _, _]\n"))).ok());
  CHECK(VerifyExpects(Load(kNeg + std::string("expect %n = [_, _, nan(0x7fc00001)]\n"))).ok());
}

TEST_CASE("VerifyExpects names the line that the reference does not give") {
  const auto status = VerifyExpects(Load(kNeg + std::string("expect %n = [_, 0x0p+0, _]\n")));
  REQUIRE_FALSE(status.ok());
  CHECK(status.code() == ir::StatusCode::kInvalidProgram);
  CHECK(status.where().line == 5);
  CHECK(status.message().find("element 1") != std::string::npos);
}

TEST_CASE("VerifyExpects refuses an element with several admissible values") {
  const std::string body =
      "%a: f32[2] = input [0x1.8p+0, 0x0p+0]\n"
      "%e: f32[2] = exp %a\n"
      "read %e\n";
  CHECK(VerifyExpects(Load(body + "expect %e = [_, 0x1p+0]\n")).ok());
  const auto status = VerifyExpects(Load(body + "expect %e = [0x1.1ed3fep+2, _]\n"));
  REQUIRE_FALSE(status.ok());
  CHECK(status.message().find("non-point") != std::string::npos);
}

TEST_CASE("VerifyExpects refuses an expected error that is not predicted") {
  const auto status =
      VerifyExpects(Load(kNeg + std::string("expect-error %n index_out_of_range\n")));
  REQUIRE_FALSE(status.ok());
  CHECK(status.where().line == 5);
  // What does not follow from the program is for the run to show.
  CHECK(VerifyExpects(Load(kNeg + std::string("expect-error %n out_of_memory\n"))).ok());
}

}  // namespace
}  // namespace faultline::harness
