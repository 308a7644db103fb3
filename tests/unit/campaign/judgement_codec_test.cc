// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/oracle/judgement_codec.h"

#include <catch2/catch.hpp>

namespace faultline::harness {
namespace {

Judgement Sample() {
  Judgement judgement;
  judgement.verdict.kind = VerdictKind::kDivergence;
  judgement.verdict.aspect = Aspect::kCode;
  judgement.verdict.value = "y";
  judgement.verdict.op = ir::Opcode::kSoftmax;
  judgement.verdict.worst = {{.index = 3, .part = "code", .expected = "{1}", .actual = "2"}};
  judgement.verdict.key = "divergence/code";
  judgement.statistics.compared = 12;
  judgement.observation.trace.blocks = {
      {.rules = {"view_into_read"}, .source_ops = {ir::Opcode::kPermute}, .tier = "cpu"}};
  judgement.observation.trace.decisions = {{"fuse(%a,%b)", 2, 1}};
  judgement.observation.trace.rules_fired = {{"view_into_read", 1}};
  return judgement;
}

TEST_CASE("a judgement survives the pipe") {
  const auto after = DecodeJudgement(EncodeJudgement(Sample()));
  REQUIRE(after.has_value());
  CHECK(after->verdict.kind == VerdictKind::kDivergence);
  CHECK(after->verdict.aspect == Aspect::kCode);
  CHECK(after->verdict.op == ir::Opcode::kSoftmax);
  REQUIRE(after->verdict.worst.size() == 1);
  CHECK(after->verdict.worst[0].expected == "{1}");
  CHECK(after->verdict.key == "divergence/code");
  CHECK(after->statistics.compared == 12);
  REQUIRE(after->observation.trace.blocks.size() == 1);
  CHECK(after->observation.trace.blocks[0].rules[0] == "view_into_read");
  CHECK(after->observation.trace.decisions[0].name == "fuse(%a,%b)");
}

TEST_CASE("every torn message is refused") {
  const std::string whole = EncodeJudgement(Sample());
  for (size_t length = 0; length < whole.size(); ++length) {
    REQUIRE_FALSE(DecodeJudgement(whole.substr(0, length)).has_value());
  }
}

}  // namespace
}  // namespace faultline::harness
