// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "ir/print.h"

#include <catch2/catch.hpp>

#include "ir/parse.h"

namespace faultline::ir {
namespace {

void CheckCanonical(const std::string& body) {
  const std::string text = "faultline 1\n" + body;
  const auto program = Parse(text);
  INFO(text << (program.has_value() ? "" : program.error().Format("")));
  REQUIRE(program.has_value());
  CHECK(Print(*program) == text);
}

TEST_CASE("canonical texts print as they are") {
  CheckCanonical("");
  CheckCanonical(R"(# name: softmax of a permuted view, read quantized
# why: fused rows were taken from the unpermuted layout
# source: by hand
# needs: fused={softmax} pool=guard
# decisions: fuse(%a,%y)=0 tier(%y)=1
# status: rejected invalid_program 9
%a: f32[4,8] = input normal(seed=7, mean=0, std=1)
%b: f32[3] = input [0x1p+0, -0x1.8p-1, nan]
%p: f32[8,4] = permute %a axes=[1,0]
%y: f32[8,4] = softmax %p dim=1
%q: q8s<block=[4]>[8,4] = quantize %y
drop %a
stream 1
%z: f32[8,4] = mul_scalar %y 0x1p-1
sync
read %q %z %y
read
expect %b = [0x1p+0, _, nan]
expect-error %z index_out_of_range
)");
}

TEST_CASE("every form of data has a canonical text") {
  CheckCanonical("%a: i8[2] = input constant(-128)\n");
  CheckCanonical("%a: f64[2] = input iota(start=0x1p-1, step=-3)\n");
  CheckCanonical("%a: bool[2] = input cycle([true, false, false])\n");
  CheckCanonical("%a: f32[2] = input uniform(seed=18446744073709551615, lo=-1, hi=0x1.4p+0)\n");
  CheckCanonical("%a: u64[2] = input ints(seed=0, lo=0, hi=0x1p+63)\n");
  CheckCanonical(
      "%a: bf16[9] = input logscale(seed=4, lo=-3, hi=3) with {2: nan(0xffc1), 8: inf}\n");
  CheckCanonical("%a: q4s<block=[2]>[3] = input codes=[-7,7,0] scales=[0x1p-3,0x1.8p+1]\n");
  CheckCanonical(
      "%a: e2m1<block=[2],scale=ue4m3,tensor=f32,store=packed_native(0)>[2] = "
      "input codes=[0,15] scales=[0x1p-9] tensor=0x1p+0\n");
  CheckCanonical("%a: u8<store=native>[2] = input codes=[0,255] scales=[0x1p+0] zeros=[128]\n");
  CheckCanonical(
      "%a: f32[2,2] = input [0x0p+0, 0x0p+0, 0x0p+0, -0x0p+0] strides=[-1,2] offset=1 storage=7\n");
  CheckCanonical("%a: f32[] = input [inf]\n");
  CheckCanonical("%a: f32[0] = input []\n");
}

TEST_CASE("scalars, attributes and slices") {
  CheckCanonical("%a: f32[6,2] = zeros\n%b: f32[6,2] = clamp %a -inf 0x1.99999ap-4\n");
  CheckCanonical("%a: u8[6] = full 255\n%b: u8[6] = bitwise_left_shift_scalar %a -1\n");
  CheckCanonical("%a: f32[6,2] = zeros\n%b: f32[3,2] = slice %a slices=[0:6:-2, -2:9:1]\n");
  CheckCanonical("%a: f32[6] = zeros\n%b: f32[6] = sort %a dim=0 descending=true\n");
  CheckCanonical(
      "%a: f32[6] = zeros\n%i: i64[2] = zeros\n%v: f32[2] = ones\n"
      "%b: f32[6] = scatter %a %i %v dim=0 update=add\n");
  CheckCanonical("%a: f32[6] = zeros\n%b: f32[12] = cat %a %a dim=0\n%c: f32[12] = clone %b\n");
  CheckCanonical("%a: f32[6] = zeros\n%q: q8s[6] = quantize %a range=abs_mean\n");
}

std::string Reprinted(const std::string& body) {
  const auto program = Parse("faultline 1\n" + body);
  INFO(body << (program.has_value() ? "" : program.error().Format("")));
  REQUIRE(program.has_value());
  return Print(*program).substr(12);
}

TEST_CASE("other spellings become canonical") {
  CHECK(Reprinted("%a:f32[ 2 ,3 ]=input constant( 1 )\n") ==
        "%a: f32[2,3] = input constant(0x1p+0)\n");
  CHECK(Reprinted("%a: f32[2] = zeros\n%b: f32[2] = mul_scalar %a 0.1\n") ==
        "%a: f32[2] = zeros\n%b: f32[2] = mul_scalar %a 0x1.99999ap-4\n");
  CHECK(Reprinted("%a: f32[2] = zeros\n\n  %b: f32[2] = sort %a descending=false dim=0  \n") ==
        "%a: f32[2] = zeros\n%b: f32[2] = sort %a dim=0\n");
  CHECK(Reprinted("#why:  because \n") == "# why: because\n");
  CHECK(Reprinted("sync") == "sync\n");
}

TEST_CASE("printing is total on a damaged program") {
  Program program;
  Statement statement;
  statement.kind = StatementKind::kInput;
  statement.results = {7};
  program.statements.push_back(statement);
  CHECK(Print(program).starts_with("faultline 1\n%?"));
}

}  // namespace
}  // namespace faultline::ir
