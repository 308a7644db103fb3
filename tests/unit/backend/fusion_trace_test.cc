// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/backend/fusion/fusion_trace.h"

#include <catch2/catch.hpp>

namespace faultline::harness {
namespace {

TEST_CASE("the engine's trace is told in neutral words") {
  fusion::Trace trace;
  trace.names = {"a", "e", "", "q"};
  trace.ops = {{ir::Opcode::kExp, 0, 1}, {ir::Opcode::kNeg, 1, 2}, {ir::Opcode::kSort, 2, 3}};
  const fusion::Rule rule = fusion::AllRules().front().rule;
  fusion::LaunchRecord block;
  block.rules = fusion::SetOf(rule);
  block.op_count = 2;
  fusion::LaunchRecord sort;
  sort.kind = fusion::LaunchKind::kSort;
  sort.first_op = 2;
  sort.op_count = 1;
  trace.launches = {block, sort};
  trace.decisions = {{fusion::DecisionKind::kFuse, 2, 1, 0, 1}};
  trace.aliases = {{fusion::AliasOutcome::kGranted, 0, 1},
                   {fusion::AliasOutcome::kReadLater, 1, 2},
                   {fusion::AliasOutcome::kReadLater, 2, 3}};
  trace.cuts = {fusion::CutReason::kCycle};
  trace.applications = 3;
  trace.cache_hits = 4;
  trace.bytes_read = 5;
  trace.notes = {"isa: baseline", "gemm: own"};
  const PlanTrace plan = TranslateTrace(trace);
  REQUIRE(plan.blocks.size() == 2);
  CHECK(plan.blocks[0].rules == std::vector<std::string_view>{fusion::RuleName(rule)});
  CHECK(plan.blocks[0].source_ops == std::vector{ir::Opcode::kExp, ir::Opcode::kNeg});
  CHECK(plan.blocks[0].values == std::vector<std::string>{"e", ""});
  CHECK(plan.blocks[1].tier == fusion::LaunchKindName(fusion::LaunchKind::kSort));
  REQUIRE(plan.decisions.size() == 1);
  CHECK(plan.decisions[0].name == "fuse(%a,%e)");
  CHECK(plan.rules_fired == Counts{{fusion::RuleName(rule), 1}});
  CHECK(plan.cuts == Counts{{fusion::CutReasonName(fusion::CutReason::kCycle), 1}});
  CHECK(plan.launches.size() == 2);
  CHECK(plan.in_place == 1);
  CHECK(plan.in_place_refused ==
        Counts{{fusion::AliasOutcomeName(fusion::AliasOutcome::kReadLater), 2}});
  CHECK(plan.operations == 3);
  CHECK(plan.cache_hits == 4);
  CHECK(plan.bytes_read == 5);
  CHECK(plan.environment == "isa: baseline; gemm: own");
}

}  // namespace
}  // namespace faultline::harness
