// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/block/block.h"

#include <catch2/catch.hpp>

#include "fusion/block/builder.h"

namespace faultline::fusion {
namespace {

using ir::Dtype;

Block SumOfSquares() {
  BlockBuilder b(2, /*has_row=*/true);
  const int x = b.AddStrided(b.AddSlot(), Dtype::kF16);
  const int y = b.AddStrided(b.AddSlot(), Dtype::kF16, /*per_row=*/true);
  b.BeginElementPhase();
  b.SetSource(3);
  const Val v = b.Load(x);
  const Val sum = b.Reduce(Op::kReduceSum, b.Binary(Op::kMul, v, v));
  b.BeginRowPhase();
  b.Store(y, b.ToDtype(sum, Dtype::kF16));
  return b.Finish();
}

TEST_CASE("a block prints one line an instruction") {
  CHECK(PrintBlock(SumOfSquares()) ==
        "block rank 2, last axis is the row\n"
        "  @0: strided slot 0 f16\n"
        "  @1: strided slot 1 f16 per row\n"
        "  element phase\n"
        "    %0 = load f32 @0\n"
        "    %1 = mul f32 %0 %0\n"
        "    %2 = reduce_sum f32 %1\n"
        "  row phase\n"
        "    %3 = round_f16 f32 %2\n"
        "    store f32 @1 %3\n");
}

TEST_CASE("scopes follow phases and reductions") {
  const std::vector<Scope> scopes = ScopesOf(SumOfSquares());
  REQUIRE(scopes.size() == 5);
  CHECK(scopes[1] == Scope::kElement);
  CHECK(scopes[2] == Scope::kRow);
  CHECK(scopes[3] == Scope::kRow);
}

TEST_CASE("the verifier names what is wrong") {
  Block block = SumOfSquares();
  SECTION("a register of another type") {
    block.instructions[1].reg = Reg::kF64;
    CHECK(VerifyBlock(block).message() == "%1: argument %0 is f32, not f64");
  }
  SECTION("an argument that comes later") {
    block.instructions[1].args[1] = 2;
    CHECK(VerifyBlock(block).message() == "%1: argument %2 is not before it");
  }
  SECTION("an element value in a row phase") {
    block.instructions[3].args[0] = 1;
    CHECK(VerifyBlock(block).message() == "%3: element value %1 in a row phase");
  }
  SECTION("a reduction used in its own phase") {
    block.phases[0].end = 4;
    block.phases[1].begin = 4;
    CHECK(VerifyBlock(block).message() == "%3: %2 is not reduced before the phase ends");
  }
  SECTION("an access of the other kind of phase") {
    block.instructions[4].immediate = 0;
    CHECK(VerifyBlock(block).message() == "%4: @0 is of the other kind of phase");
  }
  SECTION("an access that is missing") {
    block.instructions[0].immediate = 7;
    CHECK(VerifyBlock(block).message() == "%0: no access 7");
  }
  SECTION("a slot that is missing") {
    block.accesses[0].slot = 2;
    CHECK(VerifyBlock(block).message() == "@0 names no slot 2");
  }
  SECTION("a reduction without a row") {
    block.has_row = false;
    block.accesses[1].per_row = false;
    block.phases = {{PhaseKind::kElement, 0, 5}};
    CHECK(VerifyBlock(block).message() == "%2: reduce_sum outside of an element phase with rows");
  }
  SECTION("an instruction that does not take the type") {
    block.instructions[3].op = Op::kWrap8;
    CHECK(VerifyBlock(block).message() == "%3: wrap_8 does not take f32");
  }
}

TEST_CASE("casts are built with one rounding") {
  BlockBuilder b(1);
  const int from = b.AddStrided(b.AddSlot(), Dtype::kI64);
  const int to = b.AddStrided(b.AddSlot(), Dtype::kBf16);
  b.BeginElementPhase();
  b.Store(to, b.Cast(b.Load(from), Dtype::kI64, Dtype::kBf16));
  const Block block = b.Finish();
  CHECK(PrintInstruction(block, 1) == "%1 = convert_odd f64 %0");
  CHECK(PrintInstruction(block, 2) == "%2 = round_bf16 f64 %1");
  CHECK(PrintInstruction(block, 3) == "%3 = convert f32 %2");
}

}  // namespace
}  // namespace faultline::fusion
