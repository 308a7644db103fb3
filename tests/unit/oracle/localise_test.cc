// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/oracle/localise.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "ir/parse.h"
#include "ir/print.h"

namespace faultline::harness {
namespace {

ir::Program Load() {
  auto program = ir::ParseAndVerify(
      "faultline 1\n"
      "%a: f32[2] = input [0x1p+0, 0x1p+1]\n"
      "%e: f32[2] = exp %a\n"
      "drop %a\n"
      "%n: f32[2] = neg %e\n"
      "%z: f32[2] = zeros\n"
      "read %n %z\n");
  REQUIRE(program.has_value());
  return std::move(*program);
}

// Says that `value` is wrong in whatever it is given.
Judge Blames(const std::string& value) {
  return [value](const ir::Program&, const RunOptions&) {
    Judgement judgement;
    if (value.empty()) return judgement;
    judgement.verdict.kind = VerdictKind::kDivergence;
    judgement.verdict.value = value;
    return judgement;
  };
}

Verdict WrongAt(const std::string& value) { return Blames(value)({}, {}).verdict; }

TEST_CASE("ReadEverything reads each value while it is alive, and verifies") {
  const ir::Program all = ReadEverything(Load());
  CHECK(std::ranges::count(all.statements, ir::StatementKind::kRead, &ir::Statement::kind) == 5);
  CHECK(ir::ParseAndVerify(ir::Print(all)).has_value());
}

TEST_CASE("Localise names the first wrong op, unless the fault goes or moves") {
  const Localisation yes = Localise(Load(), WrongAt("n"), Blames("e"), {});
  CHECK(yes.localised == Localised::kYes);
  CHECK(yes.value == "e");
  CHECK(yes.statement == "%e: f32[2] = exp %a");
  CHECK(Localise(Load(), WrongAt("n"), Blames("n"), {}).localised == Localised::kYes);
  CHECK(Localise(Load(), WrongAt("n"), Blames("z"), {}).localised == Localised::kMoved);
  CHECK(Localise(Load(), WrongAt("n"), Blames(""), {}).localised == Localised::kVanished);
}

}  // namespace
}  // namespace faultline::harness
