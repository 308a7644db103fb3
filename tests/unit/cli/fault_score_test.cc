// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/fault_score.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <vector>

namespace faultline::harness {
namespace {

FaultScore Found(SeededFault fault, std::vector<std::string> rules) {
  FaultScore score{.fault = fault, .campaigns = 1};
  reports::Finding finding;
  finding.rules = std::move(rules);
  score.Count(finding);
  return score;
}

TEST_CASE("the share of named rules is null where there was none to name") {
  const FaultScore plain = Found({"a", "cast", "", "text"}, {});
  nlohmann::json json = ScoresToJson(std::vector{plain});
  CHECK(json["rule_named_share"].is_null());
  CHECK(json["faults"][0]["rule_named"].is_null());
  const FaultScore named = Found({"b", "view", "view_into_read", "text"}, {"view_into_read"});
  const FaultScore missed = Found({"c", "view", "view_into_read", "text"}, {"sum_into_row"});
  json = ScoresToJson(std::vector{plain, named, missed});
  CHECK(json["rule_named_share"] == 0.5);
}

TEST_CASE("faults of the class of equivalent ones are counted") {
  const FaultScore nothing{.fault = {"d", "equivalent", "", "text"}, .campaigns = 1};
  const nlohmann::json json =
      ScoresToJson(std::vector{nothing, Found({"a", "cast", "", "text"}, {})});
  CHECK(json["equivalent"] == 1);
  CHECK(json["found"] == 1);
  CHECK(json["seeded"] == 2);
}

}  // namespace
}  // namespace faultline::harness
