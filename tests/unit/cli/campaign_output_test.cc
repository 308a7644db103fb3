// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/campaign_output.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "harness/campaign/findings_log.h"

namespace faultline::harness {
namespace {

TEST_CASE("a finding with a program becomes a file, one of a whole campaign does not") {
  const std::string out = "/tmp/faultline-output-" + std::to_string(getpid());
  CampaignOptions options;
  options.out = out;
  options.backend.fault = "bf16_truncates";
  REQUIRE(MakeFolder(CampaignPaths(out).findings()).ok());
  CampaignResult result;
  reports::Finding cost;
  cost.id = "cost-fusion";
  cost.replay = "faultline fuzz --runs 3000";
  reports::Finding divergence;
  divergence.id = "d1";
  divergence.program = "faultline 1\nread\n";
  result.findings = {cost, divergence};
  CHECK(StoreFindings(options, result).ok());
  CHECK(result.findings[0].replay == "faultline fuzz --runs 3000");
  CHECK_FALSE(std::filesystem::exists(out + "/findings/cost-fusion.fl"));
  CHECK(result.findings[1].replay.ends_with("replay --backend fusion-cpu --fault bf16_truncates " +
                                            out + "/findings/d1.fl"));
  CHECK(ReadWholeFile(out + "/findings/d1.fl") == divergence.program);
  std::filesystem::remove_all(out);
}

}  // namespace
}  // namespace faultline::harness
