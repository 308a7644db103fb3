// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/campaign/statistics.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "harness/campaign/statistic_tables.h"
#include "ir/parse.h"

namespace faultline::harness {
namespace {

Statistics Of(std::string_view text) {
  const auto program = ir::ParseAndVerify(text);
  INFO((program.has_value() ? std::string() : program.error().message()));
  REQUIRE(program.has_value());
  Statistics statistics;
  statistics.CountProgram(*program);
  return statistics;
}

TEST_CASE("every counter has a name of its own") {
  const std::set<std::string> names(StatisticNames().begin(), StatisticNames().end());
  CHECK(names.size() == StatisticCount());
  CHECK(FindStatistic("op.add/f32").has_value());
  CHECK_FALSE(FindStatistic("op.add/q8s").has_value());
}

TEST_CASE("ops, feeds, shapes and lifetimes of a program are counted") {
  const Statistics s = Of(R"(faultline 1
%a: f32[1,4] = input [1, 2, nan, -0x0p+0]
%t: f32[4,1] = permute %a axes=[1,0]
%b: f32[4,4] = add %t %a
drop %t
%c: f32[4,4] = mul %b %b
stream 1
%d: f32[4,4] = neg %c
drop %b
read %d %d
drop %d
)");
  CHECK(s.OpDtype(ir::Opcode::kAdd, ir::Dtype::kF32) == 1);
  CHECK(s.Get("op.add/f32") == 1);
  CHECK(s.Get("feed.add/0/permuted") == 1);
  CHECK(s.Get("feed.add/0/pending") == 1);
  CHECK(s.Get("feed.add/0/own_view") == 1);
  CHECK(s.Get("feed.add/1/input") == 1);
  CHECK(s.Get("feed.mul/1/same_twice") == 1);
  CHECK(s.Get("feed.neg/0/foreign") == 1);
  CHECK(s.Get("op_layout.add/f32/view") == 1);
  CHECK(s.Get("op_layout.add/f32/contiguous") == 1);
  CHECK(s.Get("rank.2") == 5);
  CHECK(s.Get("ones.2/0") == 1);
  CHECK(s.Get("ones.2/1") == 1);
  CHECK(s.Get("special.nan") == 1);
  CHECK(s.Get("special.minus_zero") == 1);
  CHECK(s.Get("lifetime.dropped_before_read") == 2);
  CHECK(s.Get("lifetime.drop_early") == 2);
  CHECK(s.Get("lifetime.drop_late") == 1);
  CHECK(s.Get("lifetime.drop_foreign") == 1);
  CHECK(s.Get("lifetime.drop_after_read") == 1);
  CHECK(s.Get("lifetime.stream_change") == 1);
  CHECK(s.Get("transaction.plain-only/2") == 1);
  CHECK(s.Get("transaction.duplicates") == 1);
  CHECK(s.Get("structure.chain/4") == 1);
  CHECK(s.Get("structure.operations/4") == 1);
  CHECK(s.Get("work.64") == 1);
}

TEST_CASE("segments that come again are told apart by their difference") {
  const Statistics s = Of(R"(faultline 1
%a: f32[4] = input constant(0x1p+0)
%b: f32[4] = mul_scalar %a 0x1p+1
%c: f32[4] = abs %b
read %c
%d: f32[4] = mul_scalar %a 0x1.8p+1
%e: f32[4] = abs %d
read %e
%f: f32[4] = mul_scalar %a 0x1p+1
%g: f32[4] = abs %f
read %g
%x: f32[9] = input constant(0x1p+0)
%y: f32[9] = mul_scalar %x 0x1p+1
%z: f32[9] = abs %y
read %z
%p: f32[9] = mul_scalar %x 0x1p+1
read %p
)");
  CHECK(s.Get("reuse.scalars") == 2);
  CHECK(s.Get("reuse.alternating") == 1);
  CHECK(s.Get("reuse.extents") == 1);
  CHECK(s.Get("reuse.prefix") == 1);
  CHECK(s.Get("reuse.again") == 0);
}

TEST_CASE("schemes, both forms and index errors are counted") {
  const Statistics s = Of(R"(faultline 1
%a: f32[3,5] = input constant(0x1p+0)
%q: q8s<block=[2]>[3,5] = quantize %a
%d: f32[3,5] = dequantize %q
%v: q8s<block=[2]>[3,3] = slice %q slices=[0:3:1, 1:4:1]
read %q %d
%i: i32[2] = input [0, 7]
%s: f32[2,5] = select %a %i dim=0
read %s
read %a
)");
  CHECK(s.Get("scheme.q8s-packed-partial-block/quantize") == 1);
  CHECK(s.Get("scheme.q8s-packed-partial-block/dequantize") == 1);
  CHECK(s.Get("transaction.both_forms") == 1);
  CHECK(s.Get("transaction.quantized_view") == 1);
  CHECK(s.Get("transaction.requantized") == 1);
  CHECK(s.Get("transaction.quantized-first/2") == 1);
  CHECK(s.Get("transaction.several_in_a_row") == 1);
  CHECK(s.Get("error.too_large") == 1);
  CHECK(s.Get("error.negative") == 0);
}

TEST_CASE("statistics survive their text and merge") {
  Statistics a = Of("faultline 1\n%a: i8[] = input [1]\nread %a\n");
  a.Add("campaign.restarts", 3);
  auto b = Statistics::Parse(a.Serialize());
  REQUIRE(b.has_value());
  CHECK(b->NonZero() == a.NonZero());
  a.Merge(*b);
  CHECK(a.Get("campaign.restarts") == 6);
  CHECK(a.Get("rank.0") == 2);
  CHECK(a.SumOf("campaign.") == 6);
  CHECK(a.SumOf("form.") == 2);
}

TEST_CASE("bad lines are reported with their number") {
  for (const std::string_view text : {"a 1\nb\n", "a 1\nb x\n", "a 1\nb 1x\n", "a 1\n 7\n"}) {
    const auto result = Statistics::Parse(text);
    REQUIRE_FALSE(result.has_value());
    CHECK(result.error().where().line == 2);
  }
  CHECK(Statistics::Parse("").has_value());
}

}  // namespace
}  // namespace faultline::harness
