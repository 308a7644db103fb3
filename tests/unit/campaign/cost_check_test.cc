// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/campaign/cost_check.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "harness/backend/registry.h"

namespace faultline::harness {
namespace {

std::vector<std::string> KeysOf(const CampaignOptions& options, std::string_view statistics,
                                uint64_t programs, std::string_view backend = "fusion-cpu") {
  const auto made = MakeBackend({.name = std::string(backend)});
  REQUIRE(made.has_value());
  const auto parsed = Statistics::Parse(statistics);
  REQUIRE(parsed.has_value());
  std::vector<std::string> keys;
  for (const reports::Finding& finding : CheckCosts(options, **made, *parsed, programs)) {
    CHECK(finding.verdict == "cost");
    CHECK(finding.program.empty());
    keys.push_back(finding.key);
  }
  return keys;
}

using Keys = std::vector<std::string>;

TEST_CASE("economies that were never met are findings") {
  const CampaignOptions options;
  CHECK(KeysOf(options, "", kCostPrograms) ==
        Keys{"cost/fusion", "cost/plan-cache", "cost/in-place"});
  CHECK(KeysOf(options, "rule.view_into_read 1\nplan.in_place 1\n", kCostPrograms) ==
        Keys{"cost/plan-cache"});
  CHECK(KeysOf(options, "rule.view_into_read 1\nplan.in_place 1\nplan.cache_hits 1\n",
               kCostPrograms)
            .empty());
}

TEST_CASE("few programs, denied decisions and other backends prove nothing") {
  CampaignOptions options;
  CHECK(KeysOf(options, "", kCostPrograms - 1).empty());
  CHECK(KeysOf(options, "", kCostPrograms, "reference").empty());
  options.max_decisions = 0;
  CHECK(KeysOf(options, "", kCostPrograms).empty());
  options.max_decisions = -1;
  options.deny = {"alias"};
  CHECK(KeysOf(options, "", kCostPrograms).empty());
}

}  // namespace
}  // namespace faultline::harness
