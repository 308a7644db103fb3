// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include <catch2/catch.hpp>

#include "ir/infer.h"
#include "ir/parse.h"
#include "ir/verify.h"

namespace faultline::ir {
namespace {

std::string InputLine(const std::string& name, const std::string& type) {
  const Type t = ParseType(type).value();
  if (!t.quantized()) return "%" + name + ": " + type + " = input constant(0)\n";
  std::string line = "%" + name + ": " + type + " = input codes=[";
  for (int64_t i = 0; i < t.NumElements(); ++i) line += i > 0 ? ",0" : "0";
  line += "] scales=[";
  const int64_t scales = LayoutOf(t.scheme(), t.shape).scale_count;
  for (int64_t i = 0; i < scales; ++i) line += i > 0 ? ",1" : "1";
  return line + (t.scheme().two_level ? "] tensor=1\n" : "]\n");
}

// Whether the application, the last line of a program over these operands, moves codes.
bool Moves(const std::vector<std::string>& operands, const std::string& result,
           const std::string& application) {
  std::string text = "faultline 1\n";
  for (size_t i = 0; i < operands.size(); ++i) {
    text += InputLine(std::string(1, static_cast<char>('a' + i)), operands[i]);
  }
  text += "%y: " + result + " = " + application + "\n";
  const auto program = ParseAndVerify(text);
  INFO(text << (program.has_value() ? "" : program.error().message()));
  REQUIRE(program.has_value());
  const Statement& statement = program->statements.back();
  std::vector<Type> types;
  for (const ValueId id : statement.operands) types.push_back(program->TypeOf(id));
  return MovesCodes(statement.op, statement.attributes, types,
                    program->TypeOf(statement.results[0]));
}

TEST_CASE("axes permute the scheme with them") {
  CHECK(Moves({"q8s<block=[4]>[8,4]"}, "q8s<block=[4,1],store=packed_u32(1)>[4,8]",
              "permute %a axes=[1,0]"));
  CHECK(Moves({"q8s<block=[4,1],store=packed_u32(1)>[4,8]"}, "q8s<block=[4]>[8,4]",
              "swap_dims %a dims=[1,0]"));
  CHECK(Moves({"q4s[2,3,5]"}, "q4s<store=packed_u32(2)>[5,2,3]", "permute %a axes=[2,0,1]"));
  CHECK(Moves({"q8s<store=native>[2,3]"}, "q8s<store=native>[3,2]", "permute %a axes=[1,0]"));
  CHECK_FALSE(ParseAndVerify("faultline 1\n" + InputLine("a", "q4s[2,3]") +
                             "%y: q4s[3,2] = permute %a axes=[1,0]\n")
                  .has_value());
}

TEST_CASE("per tensor everything moves but a real cat") {
  CHECK(Moves({"q8s[6]"}, "q8s[2,3]", "reshape %a"));
  CHECK(Moves({"q8s[6]"}, "q8s[3]", "slice %a slices=[1:6:2]"));
  CHECK(Moves({"q8s[6]", "i64[2]"}, "q8s[2]", "gather %a %b dim=0"));
  CHECK(Moves({"q8s[6]", "i64[2]"}, "q8s[2]", "select %a %b dim=0"));
  CHECK(Moves({"q8s[1]"}, "q8s[4]", "expand %a"));
  CHECK_FALSE(Moves({"q8s[6]", "q8s[2]"}, "q8s[8]", "cat %a %b dim=0"));
  CHECK(Moves({"q8s[6]", "q8s[0]"}, "q8s[6]", "cat %a %b dim=0"));
  CHECK(Moves({"q8s[0,6]", "q8s[0,2]"}, "q8s[0,8]", "cat %a %b dim=1"));
}

TEST_CASE("slices move whole blocks") {
  const std::string x = "q8s<block=[4]>[10]";
  CHECK(Moves({x}, "q8s<block=[4]>[8]", "slice %a slices=[0:8:1]"));
  CHECK(Moves({x}, "q8s<block=[4]>[6]", "slice %a slices=[4:10:1]"));
  CHECK_FALSE(Moves({x}, "q8s<block=[4]>[4]", "slice %a slices=[2:6:1]"));
  // A block that is cut short would keep a scale of elements that are gone.
  CHECK_FALSE(Moves({x}, "q8s<block=[4]>[6]", "slice %a slices=[0:6:1]"));
  CHECK_FALSE(Moves({x}, "q8s<block=[4]>[5]", "slice %a slices=[0:10:2]"));
  CHECK(Moves({x}, "q8s<block=[4]>[0]", "slice %a slices=[3:3:1]"));
  CHECK(Moves({"q8s<block=[1]>[10]"}, "q8s<block=[1]>[5]", "slice %a slices=[0:10:-2]"));
  // Blocks of the other axis are not touched.
  CHECK(Moves({"q8s<block=[4]>[3,8]"}, "q8s<block=[4]>[2,8]", "slice %a slices=[0:3:2, 0:8:1]"));
}

TEST_CASE("flips need blocks that divide") {
  CHECK(Moves({"q8s<block=[4]>[8]"}, "q8s<block=[4]>[8]", "flip %a axes=[0]"));
  CHECK_FALSE(Moves({"q8s<block=[4]>[10]"}, "q8s<block=[4]>[10]", "flip %a axes=[0]"));
  CHECK(Moves({"q8s<block=[4]>[3,10]"}, "q8s<block=[4]>[3,10]", "flip %a axes=[0]"));
  CHECK(Moves({"q8s<block=[4]>[3]"}, "q8s<block=[4]>[3]", "flip %a axes=[0]"));
}

TEST_CASE("repeats and expansions") {
  CHECK(Moves({"q8s<block=[4]>[8]"}, "q8s<block=[4]>[16]", "repeat_dim %a dim=0 times=2"));
  CHECK_FALSE(Moves({"q8s<block=[3]>[4]"}, "q8s<block=[3]>[12]", "repeat_dim %a dim=0 times=3"));
  CHECK(Moves({"q8s<block=[3]>[4]"}, "q8s<block=[3]>[4]", "repeat_dim %a dim=0 times=1"));
  CHECK(Moves({"q8s<block=[3]>[4]"}, "q8s<block=[3]>[0]", "repeat_dim %a dim=0 times=0"));
  CHECK(Moves({"q8s<block=[4]>[1,8]"}, "q8s<block=[4]>[3,8]", "expand %a"));
  CHECK(Moves({"q8s<block=[4]>[8]"}, "q8s<block=[4]>[3,8]", "expand %a"));
  CHECK_FALSE(Moves({"q8s<block=[4]>[3,1]"}, "q8s<block=[4]>[3,8]", "expand %a"));
}

TEST_CASE("cats join at block boundaries") {
  CHECK(Moves({"q8s<block=[4]>[8]", "q8s<block=[4]>[3]"}, "q8s<block=[4]>[11]", "cat %a %b dim=0"));
  CHECK_FALSE(
      Moves({"q8s<block=[4]>[3]", "q8s<block=[4]>[8]"}, "q8s<block=[4]>[11]", "cat %a %b dim=0"));
  CHECK(Moves({"q8s<block=[4]>[3]", "q8s<block=[4]>[0]"}, "q8s<block=[4]>[3]", "cat %a %b dim=0"));
  CHECK(Moves({"q8s<block=[4]>[1,3]", "q8s<block=[4]>[2,3]"}, "q8s<block=[4]>[3,3]",
              "cat %a %b dim=0"));
  const std::string two = "q8s<block=[4],scale=f16,tensor=f32>";
  CHECK_FALSE(Moves({two + "[4]", two + "[4]"}, two + "[8]", "cat %a %b dim=0"));
  CHECK(Moves({two + "[4]", two + "[0]"}, two + "[4]", "cat %a %b dim=0"));
  CHECK(Moves({two + "[8]"}, two + "[4]", "slice %a slices=[4:8:1]"));
}

TEST_CASE("reshapes keep the elements of each block together") {
  CHECK(Moves({"q8s<block=[4]>[2,8]"}, "q8s<block=[4]>[16]", "reshape %a"));
  CHECK(Moves({"q8s<block=[4]>[16]"}, "q8s<block=[4]>[4,4]", "reshape %a"));
  CHECK_FALSE(Moves({"q8s<block=[4]>[2,6]"}, "q8s<block=[4]>[12]", "reshape %a"));
  CHECK_FALSE(Moves({"q8s<block=[4]>[3,2]"}, "q8s<block=[4]>[2,3]", "reshape %a"));
  CHECK_FALSE(Moves({"q8s<block=[2,2]>[4,4]"}, "q8s<block=[2,2]>[2,8]", "reshape %a"));
  CHECK(Moves({"q8s<block=[2,2]>[4,4]"}, "q8s<block=[2,2]>[1,4,4]", "reshape %a"));
  CHECK(Moves({"q8s<block=[1]>[6]"}, "q8s<block=[1]>[2,3]", "reshape %a"));
  CHECK(Moves({"q8s<block=[4]>[0,3]"}, "q8s<block=[4]>[3,0]", "reshape %a"));
}

TEST_CASE("indexing moves codes where an index takes whole blocks") {
  CHECK(Moves({"q8s<block=[4]>[3,8]", "i64[2]"}, "q8s<block=[4]>[2,8]", "select %a %b dim=0"));
  CHECK_FALSE(
      Moves({"q8s<block=[4]>[3,8]", "i64[2]"}, "q8s<block=[4]>[3,2]", "select %a %b dim=1"));
  // Every element of a gather has an index of its own.
  CHECK_FALSE(
      Moves({"q8s<block=[4]>[3,8]", "i64[2,8]"}, "q8s<block=[4]>[2,8]", "gather %a %b dim=0"));
  CHECK(Moves({"q8s<block=[1]>[3,8]", "i64[2,8]"}, "q8s<block=[1]>[2,8]", "gather %a %b dim=0"));
}

TEST_CASE("results whose rank is too low are refused") {
  CHECK_FALSE(ParseAndVerify("faultline 1\n" + InputLine("a", "q8s<block=[2,2]>[4,4]") +
                             "%y: q8s<block=[2,2]>[16] = reshape %a\n")
                  .has_value());
  CHECK_FALSE(ParseAndVerify("faultline 1\n" + InputLine("a", "q8s<store=packed_u32(1)>[4,4]") +
                             "%y: q8s<store=packed_u32(1)>[16] = reshape %a\n")
                  .has_value());
}

}  // namespace
}  // namespace faultline::ir
