// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// What a campaign leaves for people and scripts: summary, report, JSON.

#ifndef HARNESS_CLI_CAMPAIGN_OUTPUT_H_
#define HARNESS_CLI_CAMPAIGN_OUTPUT_H_

#include <string>

#include "harness/campaign/options.h"
#include "harness/campaign/supervisor.h"
#include "harness/cli/exit_code.h"

namespace faultline::harness {

// Each finding as a file of its own in OUT/findings, with the line that replays it. What a whole
// campaign shows has no program, and keeps the line it has.
ir::Status StoreFindings(const CampaignOptions& options, CampaignResult& result);

// Runs the campaign; prints the summary (to stderr if `json_path` is "-"), writes OUT/report.html,
// OUT/result.json and one OUT/findings/ID.fl a finding, and the results to `json_path` unless it is
// empty.
ExitCode RunAndReport(const CampaignOptions& options, const std::string& json_path);

}  // namespace faultline::harness

#endif  // HARNESS_CLI_CAMPAIGN_OUTPUT_H_
