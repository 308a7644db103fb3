// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "ir/verify.h"

#include <catch2/catch.hpp>

#include "ir/parse.h"

namespace faultline::ir {
namespace {

// `line message` of what the verifier says about a text that parses.
std::string WhyNot(const std::string& body) {
  const auto program = Parse("faultline 1\n" + body);
  INFO(body << (program.has_value() ? "" : program.error().Format("")));
  REQUIRE(program.has_value());
  const Status status = Verify(*program);
  if (status.ok()) return "";
  CHECK(status.code() == StatusCode::kInvalidProgram);
  return std::to_string(status.where().line) + " " + status.message();
}

TEST_CASE("an empty program and an empty transaction are fine") {
  CHECK(WhyNot("") == "");
  CHECK(WhyNot("read\n") == "");
}

TEST_CASE("values live from their statement to their drop") {
  const std::string a = "%a: f32[2] = zeros\n";
  CHECK(WhyNot(a + "drop %a\nread %a\n") == "4 value %a is used after its drop");
  CHECK(WhyNot(a + "drop %a\ndrop %a\n") == "4 value %a is used after its drop");
  CHECK(WhyNot(a + "drop %a\n%b: f32[2] = neg %a\n") == "4 value %a is used after its drop");
  CHECK(WhyNot(a + "drop %a\n%b: f32[2] = clone %a\n") == "4 value %a is used after its drop");
  CHECK(WhyNot(a + "%b: f32[2] = clone %a\ndrop %a\nread %b\n") == "");
  CHECK(WhyNot(a + "%b: f64[2] = clone %a\n") ==
        "3 clone: result is declared f64[2], but is f32[2]");
  CHECK(WhyNot(a + "read %a %a %a\n") == "");
}

TEST_CASE("expects bind to a name that is read") {
  const std::string a = "%a: f32[2] = zeros\n";
  CHECK(WhyNot(a + "expect %a = [0, _]\nread %a\ndrop %a\n") == "");
  CHECK(WhyNot(a + "read %a\ndrop %a\nexpect %a = [0, 0]\n") == "");
  CHECK(WhyNot(a + "expect %a = [0, 0]\n") == "3 value %a is expected but never read");
  CHECK(WhyNot(a + "read %a\nexpect %a = [0, 0]\nexpect %a = [0, 0]\n") ==
        "5 value %a has two expects");
  CHECK(WhyNot(a + "read %a\nexpect %a = [0]\n") == "4 data have 1 element, but f32[2] has 2");
  CHECK(WhyNot(a + "expect-error %a unsupported\n") == "3 value %a is expected but never read");
  CHECK(WhyNot(a + "read %a\nexpect-error %a unsupported\n") == "");
  CHECK(WhyNot(a + "read %a\nexpect-error %a usage\n") != "");
  CHECK(WhyNot(a + "read %a\nexpect-error %a device_lost\nexpect-error %a unsupported\n") ==
        "5 value %a has two expect-errors");
}

TEST_CASE("inputs are checked before they are made") {
  CHECK(WhyNot("%a: f32[1000000,1000000] = input constant(0)\n") ==
        "2 shape [1000000,1000000] has 1000000000000 elements, above the limit of 4194304");
  CHECK(WhyNot("%a: f32[9223372036854775807] = input constant(0)\n") ==
        "2 extent 9223372036854775807 is not in 0 to 4194304");
  CHECK(WhyNot("%a: f32[2] = input [1, 2, 3]\n") == "2 data have 3 elements, but f32[2] has 2");
  CHECK(WhyNot("%a: f32[2] = input [1, 2] strides=[0]\n") != "");
  CHECK(WhyNot("%a: q4s<store=native>[2] = input codes=[1,2] scales=[1]\n") != "");
}

TEST_CASE("the values of a program are limited together") {
  std::string body;
  for (int i = 0; i < 5; ++i) body += "%v" + std::to_string(i) + ": f32[4194304] = zeros\n";
  CHECK(WhyNot(body) == "6 the values so far take 83886080 bytes, above the limit of 67108864");
  CHECK(WhyNot("%a: u8[1] = input [1] storage=4194304\n") == "");
}

TEST_CASE("a transaction has at most 64 handles") {
  std::string read = "%a: f32[1] = zeros\nread";
  for (int i = 0; i < kReadValuesMax; ++i) read += " %a";
  CHECK(WhyNot(read + "\n") == "");
  CHECK(WhyNot(read + " %a\n") == "3 statement has 65 operands, but takes at most 64");
}

TEST_CASE("results are as many as the op has, each made once") {
  CHECK(WhyNot("%a: f32[1], %b: f32[1] = zeros\n") == "2 zeros: has 1 result, but 2 are declared");
  Program program;
  Statement zeros;
  zeros.kind = StatementKind::kApply;
  zeros.op = Opcode::kZeros;
  program.statements = {zeros};
  CHECK(Verify(program).message() == "statement has 0 results, not 1 to 64");
  const ValueId value = program.AddValue("a", Type(Dtype::kF32, {1}));
  program.statements[0].results = {value, value};
  CHECK(Verify(program).message() == "value %a is made twice");
}

// A program of one zeros statement, to be damaged.
Program Sound() { return Parse("faultline 1\n%a: f32[2] = zeros\nread %a\n").value(); }

TEST_CASE("what a text cannot say is refused all the same") {
  const auto refused = [](auto damage) {
    Program program = Sound();
    REQUIRE(Verify(program).ok());
    damage(program);
    return !Verify(program).ok();
  };
  CHECK(refused([](Program& p) { p.values[0].name = ""; }));
  CHECK(refused([](Program& p) { p.values[0].name = "a b"; }));
  CHECK(refused([](Program& p) { p.AddValue("a", {}); }));
  CHECK(refused([](Program& p) { p.AddValue("unmade", {}); }));
  CHECK(refused([](Program& p) { p.values[0].type.element.scheme.two_level = true; }));
  CHECK(refused([](Program& p) { p.values[0].type.element.dtype = static_cast<Dtype>(99); }));
  CHECK(refused([](Program& p) { p.values[0].type.shape[0] = -2; }));
  CHECK(refused([](Program& p) { p.statements[0].op = static_cast<Opcode>(255); }));
  CHECK(refused([](Program& p) { p.statements[0].kind = static_cast<StatementKind>(255); }));
  CHECK(refused([](Program& p) { p.statements[0].results = {5}; }));
  CHECK(refused([](Program& p) { p.statements[0].results = {}; }));
  CHECK(refused([](Program& p) { p.statements[1].operands = {5}; }));
  CHECK(refused([](Program& p) { p.statements[1].stream = 1; }));
  CHECK(refused([](Program& p) { p.statements[1].layout.offset = 1; }));
  CHECK(refused([](Program& p) { p.statements[1].code = StatusCode::kIo; }));
  CHECK(refused([](Program& p) { p.statements[1].scalars = {{}}; }));
  CHECK(refused([](Program& p) { p.statements[1].attributes.Set(AttributeKey::kDim, 0); }));
  CHECK(refused([](Program& p) { p.statements[0].kind = StatementKind::kInput; }));
  CHECK(refused([](Program& p) { p.statements[0].data = std::make_shared<DataSpec>(); }));
  CHECK(refused([](Program& p) { std::swap(p.statements[0], p.statements[1]); }));
  CHECK(refused([](Program& p) { p.statements.push_back(p.statements[0]); }));
  CHECK(refused([](Program& p) { p.header.why = "two\nlines"; }));
  CHECK(refused([](Program& p) { p.header.name = " padded"; }));
  CHECK(refused([](Program& p) { p.header.decisions = {{"", 1}}; }));
  CHECK(refused([](Program& p) {
    p.statements[1] = {};
    p.statements[1].kind = StatementKind::kStream;
    p.statements[1].stream = 64;
  }));
}

}  // namespace
}  // namespace faultline::ir
