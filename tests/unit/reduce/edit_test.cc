// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/reduce/edit.h"

#include <catch2/catch.hpp>
#include <string>

#include "ir/parse.h"
#include "ir/print.h"
#include "ir/verify.h"

namespace faultline::harness {
namespace {

ir::Program Load(const std::string& body) {
  auto program = ir::ParseAndVerify("faultline 1\n" + body);
  INFO((program ? "" : program.error().Format("text")));
  REQUIRE(program.has_value());
  return std::move(*program);
}

ir::ValueId Named(const ir::Program& program, std::string_view name) {
  const auto value = program.Find(name);
  REQUIRE(value.has_value());
  return *value;
}

constexpr char kChain[] =
    "%a: f32[4,8] = input iota(start=0, step=1)\n"
    "%b: f32[4,8] = exp %a\n"
    "drop %a\n"
    "%c: f32[4,8] = neg %b\n"
    "%d: f32[4,1] = sum_dim %c dim=1\n"
    "read %b %d\n";

TEST_CASE("what depends on a removed statement goes with it") {
  const ir::Program program = Load(kChain);
  const ir::Program without = WithoutStatements(program, {false, false, false, true, false, false});
  CHECK(ir::Verify(without).ok());
  CHECK(without.statements.size() == 4);
  CHECK_FALSE(without.Find("c").has_value());
  CHECK_FALSE(without.Find("d").has_value());
  CHECK(without.statements.back().operands.size() == 1);
}

TEST_CASE("a read that loses all its values goes, an empty one stays") {
  const ir::Program program = Load("%a: f32[2] = input constant(0x1p+0)\nread\nread %a\n");
  const ir::Program without = WithoutStatements(program, {true, false, false});
  REQUIRE(without.statements.size() == 1);
  CHECK(without.statements[0].kind == ir::StatementKind::kRead);
}

TEST_CASE("a replaced value lends its life to the other one") {
  const ir::Program program = Load(kChain);
  // %a is dropped before the last use of %b: it must now live as long.
  const ir::Program replaced = WithReplacedValue(program, Named(program, "b"), Named(program, "a"));
  INFO(ir::Print(replaced));
  CHECK(ir::Verify(replaced).ok());
  CHECK_FALSE(replaced.Find("b").has_value());
  CHECK(replaced.Find("a").has_value());
}

TEST_CASE("extents are mapped and all that follows is inferred again") {
  const ir::Program program = Load(kChain);
  const auto mapped =
      WithMappedExtents(program, [](int64_t extent) { return extent == 8 ? 2 : extent; });
  REQUIRE(mapped.has_value());
  INFO(ir::Print(*mapped));
  CHECK(ir::Verify(*mapped).ok());
  CHECK(mapped->TypeOf(Named(*mapped, "c")).shape == ir::Shape{4, 2});
  CHECK(mapped->TypeOf(Named(*mapped, "d")).shape == ir::Shape{4, 1});
}

TEST_CASE("a reshape takes up what its operand lost") {
  const ir::Program program =
      Load("%a: f32[4,6] = input iota(start=0, step=1)\n%b: f32[24] = reshape %a\nread %b\n");
  const auto smaller = WithInputExtent(program, 0, 1, 1);
  REQUIRE(smaller.has_value());
  CHECK(ir::Verify(*smaller).ok());
  CHECK(smaller->TypeOf(Named(*smaller, "b")).shape == ir::Shape{4});
}

TEST_CASE("a list keeps its elements where the new shape has them") {
  const ir::Program program = Load("%a: i32[2,3] = input [1, 2, 3, 4, 5, 6]\nread %a\n");
  const auto smaller = WithInputExtent(program, 0, 1, 2);
  REQUIRE(smaller.has_value());
  CHECK(smaller->statements[0].data->elements == std::vector<uint64_t>{1, 2, 4, 5});
}

constexpr char kTop[] =
    "%a: f32[4,8] = input iota(start=0, step=1)\n"
    "%v: f32[4,2], %i: i64[4,2] = topk_with_indices %a dim=1 k=2\n"
    "%w: f32[4,7,2] = unfold %a dim=1 step=1\n"
    "read %v %i %w\n";

TEST_CASE("several results shrink with their operand, and are replaced one at a time") {
  const ir::Program program = Load(kTop);
  const auto smaller = WithInputExtent(program, 0, 0, 2);
  REQUIRE(smaller.has_value());
  CHECK(ir::Verify(*smaller).ok());
  CHECK(smaller->TypeOf(Named(*smaller, "i")).shape == ir::Shape{2, 2});
  const auto narrow = WithInputExtent(program, 0, 1, 3);
  REQUIRE(narrow.has_value());
  CHECK(ir::Verify(*narrow).ok());
  CHECK(narrow->TypeOf(Named(*narrow, "w")).shape == ir::Shape{4, 2, 2});
  auto data = std::make_shared<ir::DataSpec>();
  data->form = ir::DataForm::kConstant;
  data->elements = {0};
  const ir::DataPtr both[] = {data, data};
  const ir::Program cut = WithInputsAt(program, 1, both);
  CHECK(ir::Verify(cut).ok());
  CHECK(cut.statements.size() == program.statements.size() + 1);
}

TEST_CASE("an application becomes an input of its type") {
  const ir::Program program = Load(kChain);
  auto data = std::make_shared<ir::DataSpec>();
  data->form = ir::DataForm::kConstant;
  data->elements = {0};
  const ir::DataPtr one[] = {data};
  const ir::Program cut = WithInputsAt(program, 3, one);
  CHECK(ir::Verify(cut).ok());
  CHECK(cut.statements[3].kind == ir::StatementKind::kInput);
}

}  // namespace
}  // namespace faultline::harness
