// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "reference/evaluate.h"

#include <catch2/catch.hpp>
#include <string>

#include "ir/parse.h"

namespace faultline::reference {
namespace {

ir::Program ParseOrFail(const std::string& body) {
  const auto program = ir::ParseAndVerify("faultline 1\n" + body);
  INFO((program.has_value() ? std::string() : program.error().Format("test")));
  REQUIRE(program.has_value());
  return *program;
}

std::string Describe(const Evaluation& evaluation, ir::ValueId value) {
  std::string text;
  const Enclosure& enclosure = *evaluation.values[value].enclosure;
  for (int64_t i = 0; i < enclosure.size(); ++i) {
    if (i > 0) text += " ";
    text += enclosure.Describe(i);
  }
  return text;
}

// Enclosures of %y, as text.
std::string DescribeY(const std::string& body, const Contract& contract = FusionCpuContract()) {
  const ir::Program program = ParseOrFail(body);
  return Describe(Evaluate(program, contract), *program.Find("y"));
}

TEST_CASE("exact ops on points give points") {
  CHECK(DescribeY("%a: f32[2] = input [0x1p+0, 0x1.8p+1]\n"
                  "%y: f32[2] = add %a %a\n") == "0x1p+1 0x1.8p+2");
  CHECK(DescribeY("%a: f32[2] = input [0x1p+0, 0x1.8p+1]\n"
                  "%b: f32[] = input [0x1.8p+1]\n"
                  "%y: f32[2] = div %b %a\n") == "0x1.8p+1 0x1p+0");
  CHECK(DescribeY("%a: i8[3] = input [-128, 127, 5]\n"
                  "%b: i8[3] = input [-1, 1, 0]\n"
                  "%y: i8[3] = div %a %b\n") == "-128 127 -1");
}

TEST_CASE("functions give hulls, their special cases points") {
  CHECK(DescribeY("%a: f32[4] = input [0x0p+0, -inf, inf, nan]\n"
                  "%y: f32[4] = exp %a\n") == "0x1p+0 0x0p+0 inf nan");
  CHECK(DescribeY("%a: f32[1] = input [0x1p+0]\n"
                  "%y: f32[1] = exp %a\n") == "[0x1.5bf0a8p+1, 0x1.5bf0aap+1]");
}

TEST_CASE("a zero of free sign is either zero") {
  CHECK(DescribeY("%a: f32[2] = input [-0x1p+0, 0x1p+0]\n"
                  "%y: f32[2] = relu %a\n") == "{-0x0p+0, 0x0p+0} 0x1p+0");
  CHECK(DescribeY("%a: f32[1] = input [-0x1p+0]\n"
                  "%r: f32[1] = relu %a\n"
                  "%y: f32[1] = recip %r\n") == "{-inf, inf}");
}

}  // namespace
}  // namespace faultline::reference
