// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// A campaign as its OUT/result.json tells it, for pages and text made afterwards.

#ifndef HARNESS_CLI_STORED_REPORT_H_
#define HARNESS_CLI_STORED_REPORT_H_

#include <span>
#include <string>
#include <string_view>

#include "ir/base/status.h"
#include "reports/campaign_report.h"

namespace faultline::harness {

// The report of one or several campaigns of a backend (the shards of a large one): counts are
// summed, findings of one cause are folded into one (harness/campaign/causes.h). kSyntax if a text
// is no result of a campaign, kUsage if they are of different backends.
ir::Result<reports::CampaignReport> ReportFromResults(std::span<const std::string> results);

// Each finding in a few lines: title, how small, how sure, the line that replays it.
std::string FindingsText(std::span<const reports::Finding> findings);
// The same in Markdown, with the reduced programs.
std::string FindingsMarkdown(const reports::CampaignReport& report);

}  // namespace faultline::harness

#endif  // HARNESS_CLI_STORED_REPORT_H_
