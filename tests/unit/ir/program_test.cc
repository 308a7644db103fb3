// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "ir/program.h"

#include <catch2/catch.hpp>

#include "ir/parse.h"
#include "ir/print.h"

namespace faultline::ir {
namespace {

Program ParseOk(std::string_view text) {
  auto program = Parse(text);
  REQUIRE(program.has_value());
  return *std::move(program);
}

TEST_CASE("fresh names are not taken") {
  Program program;
  program.AddValue("y", {});
  program.AddValue("y1", {});
  const std::string name = program.FreshName("y");
  CHECK_FALSE(program.Find(name).has_value());
  CHECK(name.starts_with("y"));
  CHECK(program.FreshName("z") == "z");
  CHECK(program.Find("y1") == 1u);
}

TEST_CASE("where a statement stood is not part of it") {
  const Program a = ParseOk("faultline 1\n\n\n%a: f32[2] = zeros\n");
  const Program b = ParseOk("faultline 1\n  %a: f32[2] = zeros\n");
  CHECK(a.statements[0].where == SourcePosition{4, 1});
  CHECK(b.statements[0].where == SourcePosition{2, 3});
  CHECK(a == b);
}

TEST_CASE("data are compared by content") {
  const Program a = ParseOk("faultline 1\n%a: f32[2] = input [1, 2]\n");
  const Program b = ParseOk("faultline 1\n%a: f32[2] = input [1, 2]\n");
  const Program c = ParseOk("faultline 1\n%a: f32[2] = input [1, 3]\n");
  CHECK(a.statements[0].data != b.statements[0].data);
  CHECK(a == b);
  CHECK_FALSE(a == c);
}

TEST_CASE("work counts elements, and products of a matmul") {
  const Program program = ParseOk(R"(faultline 1
%a: f32[2,3,4] = zeros
%b: f32[4,5] = zeros
%c: f32[2,3,5] = matmul %a %b
%d: f32[1] = sum %a
read %d
)");
  CHECK(WorkOf(program, program.statements[0]) == 24);
  CHECK(WorkOf(program, program.statements[2]) == 2 * 3 * 4 * 5);
  CHECK(WorkOf(program, program.statements[3]) == 24);
  CHECK(WorkOf(program) == 24 + 20 + 120 + 24);
}

TEST_CASE("compacting drops values that nothing mentions") {
  Program program = ParseOk("faultline 1\n%a: f32[2] = zeros\n%b: i8[3] = ones\nread %b\n");
  program.statements.erase(program.statements.begin());
  CompactValues(program);
  CHECK(program.values.size() == 1);
  CHECK(Print(program) == "faultline 1\n%b: i8[3] = ones\nread %b\n");
  CHECK(DefiningStatements(program) == std::vector<int>{0});
}

TEST_CASE("the hash is FNV-1a") {
  CHECK(HashText("") == 0xcbf29ce484222325);
  CHECK(HashText("a") == 0xaf63dc4c8601ec8c);
}

}  // namespace
}  // namespace faultline::ir
