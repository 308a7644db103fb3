// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "ir/parse.h"

#include <catch2/catch.hpp>

namespace faultline::ir {
namespace {

// `line:column message` of the error.
std::string Error(const std::string& text) {
  const auto program = Parse(text);
  if (program.has_value()) return "";
  const SourcePosition where = program.error().where();
  return std::to_string(where.line) + ":" + std::to_string(where.column) + " " +
         program.error().message();
}

std::string BodyError(const std::string& body) { return Error("faultline 1\n" + body); }

TEST_CASE("the version line") {
  CHECK(Error("") == "1:1 a program begins with the line 'faultline 1'");
  CHECK(Error("faultline") == "1:1 a program begins with the line 'faultline 1'");
  CHECK(Error("\xff\xfe") == "1:1 a program begins with the line 'faultline 1'");
  CHECK(Error("faultline 2\n") == "1:11 format version '2' is not known, only '1' is");
  CHECK(Error("faultline 1 x\n") == "1:13 expected the end of the line, found 'x'");
  CHECK(Error("faultline 1") == "");
}

TEST_CASE("headers") {
  CHECK(BodyError("# colour: red\n") == "2:3 unknown header key 'colour'");
  CHECK(BodyError("# a comment\n") ==
        "2:3 a line with '#' is a header '# key: value'; there are no other comments");
  CHECK(BodyError("# why: a\n# why: b\n") == "3:3 header 'why' is there twice");
  CHECK(BodyError("sync\n# why: a\n") == "3:3 header 'why' comes after the first statement");
  CHECK(BodyError("# decisions: a=1 b\n") == "2:18 'b' is no decision NAME=CHOICE");
  const auto program = Parse("faultline 1\n# decisions: fuse(%a,%y)=0  tier(%y)=-1\n");
  REQUIRE(program.has_value());
  CHECK(program->header.decisions == std::vector<Decision>{{"fuse(%a,%y)", 0}, {"tier(%y)", -1}});
}

TEST_CASE("names") {
  CHECK(BodyError("read %a\n") == "2:6 value %a is not made so far");
  CHECK(BodyError("%a: f32[1] = neg %a\n") ==
        "2:18 value %a is used by the statement that makes it");
  CHECK(BodyError("%a: f32[1] = zeros\n%a: f32[1] = zeros\n") == "3:1 value %a is made twice");
  CHECK(BodyError("%a: f32[1], %a: f32[1] = zeros\n") == "2:13 value %a is made twice");
  CHECK(BodyError("%1: f32[1] = zeros\n") == "2:2 expected the name of a result, found '1'");
  CHECK(Parse("faultline 1\nread %a\n").error().code() == StatusCode::kInvalidProgram);
  // More names than the table begins with.
  std::string many = "faultline 1\n";
  for (int i = 0; i < 500; ++i) many += "%v" + std::to_string(i) + ": u8[1] = zeros\n";
  CHECK(Error(many + "read %v0 %v250 %v499\n") == "");
  CHECK(Error(many + "read %v500\n") == "502:6 value %v500 is not made so far");
}

TEST_CASE("types") {
  CHECK(BodyError("%a: f33[1] = zeros\n") == "2:5 unknown dtype 'f33'");
  CHECK(BodyError("%a: f32 = zeros\n") == "2:9 expected '[', found '='");
  CHECK(BodyError("%a: f32[1,2,3,4,5,6,7,8,9] = zeros\n") == "2:25 rank above the limit of 8");
  CHECK(BodyError("%a: f32[-1] = zeros\n").starts_with("2:9 extent -1 is not in 0 to"));
  CHECK(BodyError("%a: f32[99999999999999999999] = zeros\n") ==
        "2:9 '99999999999999999999' is no 64-bit integer");
  CHECK(BodyError("%a: f32<block=[1]>[1] = zeros\n") == "2:5 dtype f32 takes no scheme");
  CHECK(BodyError("%a: q8s<block=[0]>[1] = zeros\n").starts_with("2:16 block extent 0"));
  CHECK(BodyError("%a: q8s<block=[]>[1] = zeros\n") == "2:15 a block has at least one extent");
  CHECK(BodyError("%a: q8s<scale=f64>[1] = zeros\n") == "2:15 unknown scale dtype 'f64'");
  CHECK(BodyError("%a: q8s<store=sparse>[1] = zeros\n") == "2:15 unknown store 'sparse'");
  CHECK(BodyError("%a: q8s<colour=red>[1] = zeros\n") == "2:9 a scheme has no field 'colour'");
  CHECK(BodyError("%a: q8s<scale=f16,scale=f16>[1] = zeros\n") ==
        "2:19 field 'scale' is there twice");
  CHECK_FALSE(ParseType("f32[2] x").has_value());
  CHECK_FALSE(ParseType("f32[2]\nf32[2]").has_value());
  CHECK(ParseType(" f32[2] ").value() == Type(Dtype::kF32, {2}));
}

TEST_CASE("statements") {
  CHECK(BodyError("write %a\n") == "2:1 unknown statement 'write'");
  CHECK(BodyError("?\n") == "2:1 expected a statement, found '?'");
  CHECK(BodyError("\x01\n") == "2:1 expected a statement, found byte 0x01");
  CHECK(BodyError(std::string("sync\0\n", 6)) ==
        "2:5 expected the end of the line, found byte 0x00");
  CHECK(BodyError("sync\r\n") == "2:5 expected the end of the line, found byte 0x0d");
  CHECK(BodyError("stream 64\n") == "2:8 stream 64 is not in 0 to 63");
  CHECK(BodyError("stream\n") == "2:7 expected an integer, found the end of the line");
  CHECK(BodyError("drop\n") == "2:5 expected a value, found the end of the line");
  CHECK(BodyError("%a: f32[1] =") == "2:13 expected an op, found the end of the text");
  CHECK(BodyError("%a: f32[1] = frobnicate %b\n") == "2:14 unknown op 'frobnicate'");
  CHECK(BodyError("%a: f32[1], %b: f32[1] = input [1]\n") == "2:26 input has one result");
  const std::string a = "%a: f32[2] = zeros\n";
  CHECK(BodyError(a + "drop %a %a\n") == "3:9 expected the end of the line, found '%'");
  CHECK(BodyError(a + "expect-error %a teapot\n") == "3:17 unknown status code 'teapot'");
  std::string many = "faultline 1\n";
  for (int i = 0; i < kStatementsMax; ++i) many += "sync\n";
  CHECK(Error(many) == "");
  CHECK(Error(many + " sync\n") == "4098:2 more statements than the limit of 4096");
}

TEST_CASE("applications") {
  const std::string a = "%a: f32[2] = zeros\n%i: i32[2] = zeros\n";
  CHECK(BodyError(a + "%b: f32[2] = softmax %a axis=0\n") ==
        "4:25 softmax takes no attribute 'axis'");
  CHECK(BodyError(a + "%b: f32[2] = softmax %a dim=0 dim=0\n") ==
        "4:31 attribute dim is there twice");
  CHECK(BodyError(a + "%b: f32[2] = softmax %a dim=x\n") == "4:29 'x' is no 64-bit integer");
  CHECK(BodyError(a + "%b: f32[2] = sort %a dim=0 descending=yes\n") ==
        "4:39 'yes' is neither true nor false");
  CHECK(BodyError(a + "%b: q8s[2] = quantize %a range=median\n") ==
        "4:32 range has no choice 'median'");
  CHECK(BodyError(a + "%b: f32[2] = slice %a slices=[0:2]\n") == "4:34 expected ':', found ']'");
  CHECK(BodyError(a + "%b: f32[2] = neg %a 1\n") ==
        "4:21 neg takes 0 scalars, but '1' is one more");
  CHECK(BodyError(a + "%b: i32[2] = add_scalar %i 1.5\n") ==
        "4:28 '1.5' is no i32 scalar of add_scalar");
  CHECK(BodyError(a + "%b: f32[2] = add_scalar %a 1 %a\n") ==
        "4:30 expected a scalar or an attribute, found '%'");
}

TEST_CASE("data") {
  CHECK(BodyError("%a: f32[1] = input\n") == "2:19 expected data, found the end of the line");
  CHECK(BodyError("%a: f32[1] = input random(seed=1)\n") == "2:20 unknown form of data 'random'");
  CHECK(BodyError("%a: f32[1] = input [0.1]\n") == "2:21 '0.1' is no f32 value");
  CHECK(BodyError("%a: f32[1] = input [1 2]\n") == "2:23 expected ']', found '2'");
  CHECK(BodyError("%a: f32[1] = input [1,]\n") == "2:23 expected a value, found ']'");
  CHECK(BodyError("%a: f32[1] = input [_]\n") == "2:21 '_' is no f32 value");
  CHECK(BodyError("%a: bool[1] = input [1]\n") == "2:22 '1' is no bool value");
  CHECK(BodyError("%a: f32[1] = input uniform(lo=0, hi=1)\n") == "2:28 expected 'seed', found 'l'");
  CHECK(BodyError("%a: f32[1] = input uniform(seed=-1, lo=0, hi=1)\n") ==
        "2:33 '-1' is no 64-bit seed");
  CHECK(BodyError("%a: f32[1] = input normal(seed=1, mean=x, std=1)\n") ==
        "2:40 'x' is no finite number");
  CHECK(BodyError("%a: f32[1] = input constant(1) with {-1: 0}\n")
            .starts_with("2:38 index -1 is not in 0 to"));
  CHECK(BodyError("%a: q8s[1] = input [1]\n") == "2:20 expected 'codes=', found '['");
  CHECK(BodyError("%a: q8s<scale=ue8m0>[1] = input codes=[1] scales=[3]\n") ==
        "2:51 '3' is no scale of ue8m0");
  CHECK(BodyError("%a: f32[1] = input [1] storage=-1\n").starts_with("2:32 storage -1"));
}

TEST_CASE("a text above the limit is not looked at") {
  const std::string long_text(static_cast<size_t>(kTextBytesMax) + 1, ' ');
  CHECK(Error(long_text).starts_with("1:1 text has 1048577 bytes"));
}

TEST_CASE("verifying keeps the position of the statement") {
  const auto program = ParseAndVerify("faultline 1\n%a: f32[2] = zeros\n  drop %a\n  read %a\n");
  REQUIRE_FALSE(program.has_value());
  CHECK(program.error() ==
        Status(StatusCode::kInvalidProgram, "value %a is used after its drop", {4, 3}));
}

}  // namespace
}  // namespace faultline::ir
