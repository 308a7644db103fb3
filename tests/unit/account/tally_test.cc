// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/account/tally.h"

#include <catch2/catch.hpp>

namespace faultline::harness {
namespace {

Tally Example() {
  Tally tally;
  tally.programs = 3;
  tally.flagged = 1;
  tally.enclosed_ns = 20;
  tally.plain_ns = 10;
  tally.alarms.push_back({7, "%a: element 0 is 1"});
  OpTally& op = tally.ops[{ir::Opcode::kExp, ir::Dtype::kF32}];
  op.compared = 5;
  op.exact = 2;
  op.straddling = 1;
  op.radius.Add(0.5);
  op.radius_own.Add(4);
  op.reach = 0.75;
  return tally;
}

TEST_CASE("a tally survives its text") {
  const Tally tally = Example();
  const std::string text = PrintTally(tally);
  CHECK(text.find('\n') == std::string::npos);
  const Tally again = ParseTally(text);
  CHECK(PrintTally(again) == text);
  CHECK(again.alarms[0].message == "%a: element 0 is 1");
  CHECK(again.ops.at({ir::Opcode::kExp, ir::Dtype::kF32}).radius.At(0.5) == 0.5);
}

TEST_CASE("tallies add up") {
  Tally sum = Example();
  sum.Merge(Example());
  CHECK(sum.programs == 6);
  CHECK(sum.flagged == 2);
  CHECK(sum.alarms.size() == 2);
  const OpTally total = sum.Total();
  CHECK(total.compared == 10);
  CHECK(total.exact == 4);
  CHECK(total.straddling == 2);
  CHECK(total.radius.count() == 2);
  CHECK(total.reach == 0.75);
}

}  // namespace
}  // namespace faultline::harness
