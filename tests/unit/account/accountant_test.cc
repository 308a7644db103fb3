// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/account/accountant.h"

#include <catch2/catch.hpp>
#include <string>

#include "harness/backend/registry.h"

namespace faultline::harness {
namespace {

Tally RunAgainst(const std::string& executes, uint64_t programs) {
  Accountant accountant(MakeBackend({}).value(), MakeBackend({.name = executes}).value(), 1);
  Tally tally;
  for (uint64_t i = 0; i < programs; ++i) accountant.Run(i, tally);
  return tally;
}

TEST_CASE("legal executions are counted and not flagged") {
  const Tally tally = RunAgainst("adversary", 200);
  CHECK(tally.programs == 200);
  CHECK(tally.flagged == 0);
  const OpTally total = tally.Total();
  CHECK(total.compared > 10000);
  CHECK(total.exact > total.compared / 2);
  CHECK(total.radius.count() > 100);
  // The adversary goes to the ends of what it may do, and the sets are no wider than they must be.
  CHECK(total.reach == 1);
  CHECK(total.plain_ns > 0);
  CHECK(total.enclosed_ns > 0);
}

TEST_CASE("an execution that is not legal is flagged") {
  const Tally tally = RunAgainst("canary", 200);
  CHECK(tally.flagged > 0);
  REQUIRE(!tally.alarms.empty());
  CHECK(!tally.alarms[0].message.empty());
}

}  // namespace
}  // namespace faultline::harness
