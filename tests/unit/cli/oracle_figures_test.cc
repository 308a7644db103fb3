// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include <catch2/catch.hpp>

#include "harness/cli/oracle_stats_output.h"

namespace faultline::harness {
namespace {

TEST_CASE("whatever is wrong with the oracle makes its figures faulty") {
  OracleFigures figures;
  figures.compared = {{{.backend = "adversary", .fault = ""}, {.programs = 3}}};
  CHECK_FALSE(IsFaulty(figures));

  // What other oracles flag is no fault of ours.
  PowerCounts& counts = figures.compared[0].second;
  counts.clean_flagged[kOurs + 1] = 1;
  CHECK_FALSE(IsFaulty(figures));
  counts.clean_flagged[kOurs] = 1;
  CHECK(IsFaulty(figures));

  OracleFigures flagged;
  flagged.tally.flagged = 1;
  CHECK(IsFaulty(flagged));
  OracleFigures outside;
  outside.certified.violations.emplace_back();
  CHECK(IsFaulty(outside));
}

}  // namespace
}  // namespace faultline::harness
