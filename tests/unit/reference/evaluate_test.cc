// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "reference/evaluate.h"

#include <catch2/catch.hpp>
#include <string>

#include "ir/element.h"
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

TEST_CASE("a chain after a function narrows again") {
  // exp within 1 ulp; halving is exact, adding 2^24 leaves one value.
  CHECK(DescribeY("%a: f32[1] = input [0x1p+0]\n"
                  "%e: f32[1] = exp %a\n"
                  "%y: f32[1] = add_scalar %e 0x1p+24\n") == "0x1.000002p+24");
}

TEST_CASE("moved NaNs keep their bits, computed ones are any NaN") {
  const ir::Program program = ParseOrFail(
      "%a: f32[2] = input [nan(0x7fc00001), 0x1p+0]\n"
      "%m: bool[2] = input [false, true]\n"
      "%w: f32[2] = mask_fill %a %m 0x1p+1\n"
      "%y: f32[2] = neg %a\n");
  const Evaluation evaluation = Evaluate(program, FusionCpuContract());
  const Enclosure& moved = *evaluation.values[*program.Find("w")].enclosure;
  CHECK(moved.Contains(0, 0x7fc00001));
  CHECK_FALSE(moved.Contains(0, 0x7fc00000));
  CHECK_FALSE(moved.Contains(0, 0x3f800000));
  const Enclosure& computed = *evaluation.values[*program.Find("y")].enclosure;
  CHECK(computed.Contains(0, 0x7fc00001));
  CHECK(computed.Contains(0, 0xffc00000));
  CHECK_FALSE(computed.Contains(0, 0x7f800000));
}

TEST_CASE("an ambiguous mask unites both arms") {
  // exp(1) is one of two values, the comparison with one of them may go either way.
  CHECK(DescribeY("%a: f32[1] = input [0x1p+0]\n"
                  "%e: f32[1] = exp %a\n"
                  "%m: bool[1] = lower_scalar %e 0x1.5bf0aap+1\n"
                  "%y: f32[1] = mask_fill %a %m 0x1.8p+1\n") == "{0x1p+0, 0x1.8p+1}");
}

TEST_CASE("a bool result is the byte 0 or 1") {
  const ir::Program program = ParseOrFail("%a: bool[2] = input [true, false]\n");
  const Evaluation evaluation = Evaluate(program, FusionCpuContract());
  CHECK(evaluation.values[0].enclosure->Contains(0, 1));
  CHECK_FALSE(evaluation.values[0].enclosure->Contains(0, 2));
  CHECK_FALSE(evaluation.values[0].enclosure->Contains(1, 255));
}

TEST_CASE("plain mode gives points") {
  const ir::Program program = ParseOrFail(
      "%a: f32[1] = input [0x1p+0]\n"
      "%y: f32[1] = exp %a\n");
  const Evaluation evaluation = Evaluate(program, FusionCpuContract(), {}, {.enclosures = false});
  CHECK(evaluation.values[1].enclosure->AllPoints());
  CHECK(evaluation.Naive(1) == StoreTensor(*evaluation.values[1].naive));
}

TEST_CASE("what was observed is taken as given by what depends on it") {
  const ir::Program program = ParseOrFail(
      "%a: f32[1] = input [0x1p+0]\n"
      "%e: f32[1] = exp %a\n"
      "%c: f32[1] = clone %e\n"
      "%y: f32[1] = mul_scalar %c 0x1.8p+0\n");
  const auto y = *program.Find("y");
  const auto c = *program.Find("c");
  CHECK_FALSE(Evaluate(program, FusionCpuContract()).values[y].enclosure->AllPoints());
  ir::HostTensor observed{program.TypeOf(c), {}};
  observed.bytes.resize(4);
  ir::StoreElement(ir::Dtype::kF32, 0x402df855, observed.bytes.data());  // 0x1.5bf0aap+1
  const Evaluation pinned = Evaluate(program, FusionCpuContract(), {{c, observed}});
  CHECK(Describe(pinned, y) == "0x1.04f48p+2");
  // Its own set is still what follows from its operands.
  CHECK(Describe(pinned, *program.Find("e")) == "[0x1.5bf0a8p+1, 0x1.5bf0aap+1]");
}

TEST_CASE("what follows from no pin may come from an evaluation without pins") {
  const ir::Program program = ParseOrFail(
      "%a: f32[1] = input [0x1p+0]\n"
      "%e: f32[1] = exp %a\n"
      "%c: f32[1] = clone %e\n"
      "%s: f32[1] = sin %a\n"
      "%t: f32[1] = clone %s\n"
      "%y: f32[1] = mul_scalar %c 0x1.8p+0\n"
      "%z: f32[1] = mul %y %t\n");
  const auto e = *program.Find("e");
  ir::HostTensor observed{program.TypeOf(e), {}};
  observed.bytes.resize(4);
  ir::StoreElement(ir::Dtype::kF32, 0x402df855, observed.bytes.data());  // 0x1.5bf0aap+1
  const Pins pins = {{e, observed}};
  const Evaluation unpinned = Evaluate(program, FusionCpuContract());
  const Evaluation whole = Evaluate(program, FusionCpuContract(), pins);
  const Evaluation rest =
      Evaluate(program, FusionCpuContract(), pins, {.unpinned = &unpinned});
  for (ir::ValueId value = 0; value < program.values.size(); ++value) {
    CHECK(Describe(rest, value) == Describe(whole, value));
    CHECK(rest.Naive(value) == whole.Naive(value));
  }
  CHECK(rest.values[*program.Find("s")].enclosure == unpinned.values[*program.Find("s")].enclosure);
  CHECK(Describe(rest, *program.Find("z")) != Describe(unpinned, *program.Find("z")));
}

TEST_CASE("contraction and wider intermediates reach consumers, not readers") {
  const std::string body =
      "%a: f32[1] = input [0x1.000002p+0]\n"
      "%p: f32[1] = mul %a %a\n"
      "%y: f32[1] = sub %p %p\n";
  CHECK(DescribeY(body) == "0x0p+0");
  Contract contract = FusionCpuContract();
  contract.contraction = true;
  const ir::Program program = ParseOrFail(body);
  const Evaluation evaluation = Evaluate(program, contract);
  CHECK(Describe(evaluation, *program.Find("p")) == "0x1.000004p+0");
  // fma(a, a, -fl(a*a)) is the rounding error 2^-46.
  const Enclosure& difference = *evaluation.values[*program.Find("y")].enclosure;
  CHECK(difference.Contains(0, 0x28800000));
  CHECK_FALSE(difference.Contains(0, 0x33800000));
}

TEST_CASE("a read of a spoiled value fails with the first statement's first index") {
  const ir::Program program = ParseOrFail(
      "%a: f32[3] = input [0x1p+0, 0x1p+1, 0x1.8p+1]\n"
      "%i: i64[3] = input [0, 5, -1]\n"
      "%j: i64[1] = input [9]\n"
      "%good: f32[3] = neg %a\n"
      "%bad: f32[3] = gather %a %i dim=0\n"
      "%worse: f32[1] = select %bad %j dim=0\n"
      "sync\n"
      "read %good %worse\n"
      "read %good\n");
  const Evaluation evaluation = Evaluate(program, FusionCpuContract());
  const ReadPrediction& failed = evaluation.reads[7];
  CHECK(failed.outcome == Outcome::kError);
  REQUIRE(failed.errors.size() == 1);
  CHECK(failed.errors[0].statement == 4);
  CHECK(failed.errors[0].status.code() == ir::StatusCode::kIndexOutOfRange);
  CHECK(failed.errors[0].status.message() ==
        "gather: index 5 is out of range [0, 3) (element 1 of the index tensor)");
  CHECK(evaluation.reads[8].outcome == Outcome::kOk);
}

TEST_CASE("an ambiguous index may or may not be an error") {
  // trunc(exp(1) - e) is 0 or 1 with e the lower of the two values, times 2^22.
  const ir::Program program = ParseOrFail(
      "%a: f32[1] = input [0x1p+0]\n"
      "%e: f32[1] = exp %a\n"
      "%d: f32[1] = sub_scalar %e 0x1.5bf0a8p+1\n"
      "%s: f32[1] = mul_scalar %d 0x1p+22\n"
      "%i: i64[1] = cast %s\n"
      "%y: f32[1] = gather %a %i dim=0\n"
      "read %y\n");
  const Evaluation evaluation = Evaluate(program, FusionCpuContract());
  CHECK(Describe(evaluation, *program.Find("i")) == "{0, 1}");
  CHECK(evaluation.reads[6].outcome == Outcome::kMaybe);
  CHECK(evaluation.reads[6].may_succeed);
  CHECK(evaluation.reads[6].errors.size() == 1);
  CHECK(Describe(evaluation, *program.Find("y")) == "0x1p+0");
}

TEST_CASE("an evaluator follows a program that grows") {
  ir::Program program = ParseOrFail("%a: f32[1] = input [0x1p+0]\n");
  Evaluator evaluator(program, FusionCpuContract());
  evaluator.Run();
  const ir::ValueId sum = program.AddValue("sum", program.TypeOf(0));
  ir::Statement add;
  add.kind = ir::StatementKind::kApply;
  add.op = ir::Opcode::kAdd;
  add.operands = {0, 0};
  add.results = {sum};
  program.statements.push_back(add);
  evaluator.Step(1);
  CHECK(evaluator.Get(sum).enclosure->Describe(0) == "0x1p+1");
}

}  // namespace
}  // namespace faultline::reference
