// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/finding_json.h"

#include <catch2/catch.hpp>
#include <cmath>

namespace faultline::reports {
namespace {

Finding Sample() {
  Finding finding;
  finding.id = "00ff";
  finding.key = "divergence/number/reduction/float";
  finding.verdict = "divergence";
  finding.program = "faultline 1\nread\n";
  finding.elements = {{"y", "[0,1]", "{1}", "2", 3.5}, {"y", "[0,2]", "{1}", "inf", HUGE_VAL}};
  finding.elements_wrong = 2;
  finding.guilty = {"fuse(%a,%y)"};
  finding.blocks = {{{"view_into_read"}, {"permute", "sum_dim"}, {}}};
  finding.confirmed = 3;
  finding.environment = {{"cpu", "a \"quoted\" one"}};
  finding.count = 7;
  return finding;
}

TEST_CASE("a finding survives JSON") {
  const Finding before = Sample();
  const auto after = FindingFromJson(FindingToJson(before));
  REQUIRE(after.has_value());
  CHECK(after->key == before.key);
  CHECK(after->program == before.program);
  CHECK(after->guilty == before.guilty);
  CHECK(after->count == 7);
  CHECK(after->environment == before.environment);
  REQUIRE(after->elements.size() == 2);
  CHECK(after->elements[0].ulp_distance == 3.5);
  CHECK(after->elements[1].index == "[0,2]");
  REQUIRE(after->blocks.size() == 1);
  CHECK(after->blocks[0].ops == before.blocks[0].ops);
}

TEST_CASE("a record is one line") {
  CHECK(FindingToJson(Sample()).find('\n') == std::string::npos);
}

TEST_CASE("bytes that are no text do not stop a record") {
  Finding finding = Sample();
  finding.detail = "\xff\xfe stack";
  const auto after = FindingFromJson(FindingToJson(finding));
  REQUIRE(after.has_value());
  CHECK(after->detail.ends_with(" stack"));
}

TEST_CASE("a torn line is not a record, and the lines around it are") {
  const std::string line = FindingToJson(Sample());
  const std::string text =
      line + "\n" + line.substr(0, line.size() / 2) + "\n\n" + line + "\n" + line.substr(0, 10);
  CHECK(FindingsFromJsonLines(text).size() == 2);
}

TEST_CASE("what is no finding is a status") {
  CHECK_FALSE(FindingFromJson("[]").has_value());
  CHECK_FALSE(FindingFromJson("{\"key\": 3}").has_value());
  CHECK_FALSE(FindingFromJson("{\"schema\": 99}").has_value());
  CHECK_FALSE(FindingFromJson("\xff").has_value());
}

}  // namespace
}  // namespace faultline::reports
