// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <utility>

#include "harness/campaign/findings_log.h"
#include "harness/campaign/judge_finding.h"
#include "harness/campaign/options.h"
#include "harness/cli/command.h"
#include "reports/finding_json.h"

namespace faultline::harness {
namespace {

ExitCode Run(const Command& command, Arguments arguments) {
  std::string out;
  std::string path;
  OptionSet options;
  options.Value("out", &out, "DIR", "the campaign's folder");
  options.Value("finding", &path, "FILE", "a finding record, rewritten in place");
  if (const auto done = ParseArguments(command, options, arguments)) return *done;
  const auto campaign_text = ReadWholeFile(CampaignPaths(out).options());
  if (!campaign_text) return Failed(campaign_text.error());
  auto campaign = ParseOptions(*campaign_text);
  if (!campaign) return Failed(campaign.error(), CampaignPaths(out).options());
  const auto text = ReadWholeFile(path);
  if (!text) return Failed(text.error());
  auto finding = reports::FindingFromJson(*text);
  if (!finding) return Failed(finding.error(), path);
  JudgeFindingOptions judge;
  judge.backend = std::move(campaign->backend);
  judge.timeout_s = campaign->timeout_s;
  JudgeFinding(judge, *finding);
  if (const ir::Status status = WriteWholeFile(path, reports::FindingToJson(*finding));
      !status.ok()) {
    return Failed(status);
  }
  return ExitCode::kOk;
}

}  // namespace

const Command kJudgeCommand = {.name = "judge",
                               .synopsis = "--out DIR --finding FILE",
                               .summary = "confirms and reduces a finding (started by `fuzz`)",
                               .details = "",
                               .run = Run,
                               .hidden = true};

}  // namespace faultline::harness
