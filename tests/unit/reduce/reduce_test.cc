// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/reduce/reduce.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "harness/reduce/search.h"
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

// A made-up backend that goes wrong on programs of a kind.
Judge WrongIf(std::function<bool(const ir::Program&)> wrong) {
  return [wrong = std::move(wrong)](const ir::Program& program, const RunOptions&) {
    REQUIRE(ir::Verify(program).ok());
    Judgement judgement;
    if (wrong(program)) judgement.verdict.key = "key";
    return judgement;
  };
}

bool Applies(const ir::Program& program, ir::Opcode op) {
  return std::ranges::any_of(program.statements, [&](const ir::Statement& statement) {
    return statement.kind == ir::StatementKind::kApply && statement.op == op;
  });
}

int64_t LargestExtent(const ir::Program& program) {
  int64_t largest = 0;
  for (const ir::Value& value : program.values) {
    for (int64_t extent : value.type.shape) largest = std::max(largest, extent);
  }
  return largest;
}

constexpr char kProgram[] =
    "# needs: pool=guard threads=2\n"
    "%a: f32[4,16] = input normal(seed=7, mean=0, std=1) with {3: nan}\n"
    "%w: f32[16] = input uniform(seed=8, lo=0, hi=1)\n"
    "%b: f32[4,16] = exp %a\n"
    "%c: f32[4,16] = add %b %w\n"
    "drop %a\n"
    "stream 1\n"
    "%d: f32[4,1] = sum_dim %c dim=1\n"
    "%e: f32[4,1] = neg %d\n"
    "%f: f32[4,1] = mul_scalar %e 0x1.8p+1\n"
    "sync\n"
    "read %c %e %f\n";

TEST_CASE("a fault of one op is reduced to that op") {
  const ir::Program program = Load(kProgram);
  const Judge judge = WrongIf([](const ir::Program& p) { return Applies(p, ir::Opcode::kSumDim); });
  const ReduceResult result = Reduce(program, "key", judge, {});
  INFO(ir::Print(result.program));
  CHECK(result.reproduced);
  CHECK(result.minimal);
  CHECK(result.program.statements.size() == 2);  // the verifier needs no read; an input and the sum
  CHECK(LargestExtent(result.program) <= 1);
  CHECK(result.program.header.needs.empty());
}

TEST_CASE("a fault that needs two ops and an extent keeps just these") {
  const ir::Program program = Load(kProgram);
  const Judge judge = WrongIf([](const ir::Program& p) {
    return Applies(p, ir::Opcode::kSumDim) && Applies(p, ir::Opcode::kAdd) &&
           LargestExtent(p) >= 5 && p.header.needs.contains("threads=2");
  });
  const ReduceResult result = Reduce(program, "key", judge, {});
  INFO(ir::Print(result.program));
  CHECK(result.minimal);
  CHECK(LargestExtent(result.program) == 5);
  CHECK(result.program.header.needs == "threads=2");
  CHECK(std::get<0>(SizeOf(result.program)) == 2);
}

TEST_CASE("a fault that cannot be seen again leaves the program alone") {
  const ir::Program program = Load(kProgram);
  const ReduceResult result =
      Reduce(program, "key", WrongIf([](const ir::Program&) { return false; }), {});
  CHECK_FALSE(result.reproduced);
  CHECK(result.program == program);
  CHECK(result.judged == 1);
}

TEST_CASE("the budget of programs is kept") {
  const ir::Program program = Load(kProgram);
  ReduceOptions options;
  options.judged_max = 5;
  const Judge judge =
      WrongIf([](const ir::Program& p) { return Applies(p, ir::Opcode::kSumDim); });
  const ReduceResult result = Reduce(program, "key", judge, options);
  CHECK(result.judged == 5);
  CHECK_FALSE(result.minimal);
}

TEST_CASE("every accepted step is smaller than the one before") {
  const ir::Program program = Load(kProgram);
  ProgramSize last = SizeOf(program);
  int steps = 0;
  ReduceOptions options;
  options.progress = [&](std::string_view, const ir::Program& now) {
    const ProgramSize size = SizeOf(now);
    CHECK(size < last);
    last = size;
    ++steps;
  };
  (void)Reduce(program, "key",
               WrongIf([](const ir::Program& p) { return Applies(p, ir::Opcode::kExp); }), options);
  CHECK(steps > 0);
}

}  // namespace
}  // namespace faultline::harness
