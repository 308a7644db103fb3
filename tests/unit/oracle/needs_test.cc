// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/oracle/needs.h"

#include <catch2/catch.hpp>

namespace faultline::harness {
namespace {

using ir::Opcode;

TEST_CASE("ParseNeeds reads every need") {
  const auto needs = ParseNeeds(
      "fused={softmax,sum_dim} fused={exp} pool=guard threads=2 isa=avx2 fusion=off "
      "chaos=7 fail_allocation=3 poison=17 streams=free");
  REQUIRE(needs.has_value());
  CHECK(needs->fused ==
        std::vector<std::vector<Opcode>>{{Opcode::kSoftmax, Opcode::kSumDim}, {Opcode::kExp}});
  RunOptions run;
  ApplyNeeds(*needs, run);
  const SessionOptions& options = run.session;
  CHECK(options.pool == PoolMode::kGuard);
  CHECK(options.threads == 2);
  CHECK(options.isa == "avx2");
  CHECK_FALSE(options.fusion);
  CHECK(options.chaos == 7);
  CHECK(options.fail_allocation == 3);
  CHECK(run.poison == 17);
  CHECK(run.streams == StreamMode::kFree);
  CHECK(ParseNeeds("") == Needs{});
}

TEST_CASE("ParseNeeds names what it cannot read") {
  for (const std::string_view text :
       {"fused", "fused={}", "fused={nosuchop}", "fused=softmax", "pool=big", "threads=0",
        "threads=two", "isa=", "fusion=maybe", "chaos=x", "fail_allocation=0", "poison=256",
        "streams=some", "speed=11"}) {
    const auto needs = ParseNeeds(text);
    INFO(text);
    REQUIRE_FALSE(needs.has_value());
    CHECK(needs.error().code() == ir::StatusCode::kSyntax);
    CHECK_FALSE(needs.error().message().empty());
  }
}

TEST_CASE("UnmetFusion asks for one launch that computes all the ops, and another one") {
  Needs needs;
  needs.fused = {{Opcode::kExp, Opcode::kNeg}};
  PlanTrace trace;
  CHECK(UnmetFusion(needs, trace).empty());  // a backend without a plan is not asked
  trace.blocks = {{.source_ops = {Opcode::kExp}}, {.source_ops = {Opcode::kNeg}}};
  CHECK(UnmetFusion(needs, trace) == "fused={exp,neg}");
  trace.blocks.push_back({.source_ops = {Opcode::kNeg, Opcode::kAdd, Opcode::kExp}});
  CHECK(UnmetFusion(needs, trace).empty());
  needs.fused = {{Opcode::kExp, Opcode::kExp}};
  CHECK(UnmetFusion(needs, trace) == "fused={exp,exp}");
  needs.fused = {{Opcode::kTanh}};
  trace.blocks.push_back({.source_ops = {Opcode::kTanh}});
  CHECK(UnmetFusion(needs, trace) == "fused={tanh}");  // alone is not fused
}

}  // namespace
}  // namespace faultline::harness
