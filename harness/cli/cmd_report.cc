// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// faultline report: the results of finished campaigns, again and together.

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "harness/campaign/findings_log.h"
#include "harness/cli/command.h"
#include "harness/cli/files.h"
#include "harness/cli/stored_report.h"
#include "reports/campaign_report.h"

namespace faultline::harness {
namespace {

constexpr std::string_view kDetails =
    R"(Reads DIR/result.json of each campaign (or a file that `fuzz --json` wrote) and prints the
findings, those of one signature as one. Several campaigns of a backend are summed up.

Examples:
  faultline report out/20261201-101530-fusion-cpu
  faultline report shards/* --html report.html --markdown report.md
)";

struct Line {
  std::vector<std::string> paths;
  std::string html;
  std::string markdown;
};

ExitCode RunReport(const Command& command, Arguments arguments) {
  Line line;
  OptionSet set;
  set.Positional("DIR|FILE...", &line.paths);
  set.Value("html", &line.html, "FILE|-", "write a page of one file");
  set.Value("markdown", &line.markdown, "FILE|-", "write Markdown");
  if (const auto exit = ParseArguments(command, set, arguments)) return *exit;
  if (line.paths.empty()) {
    return Failed({ir::StatusCode::kUsage, "report needs the folder of a campaign"});
  }
  std::vector<std::string> results;
  for (const std::string& path : line.paths) {
    std::error_code error;
    const bool folder = std::filesystem::is_directory(path, error);
    const std::string file = folder ? path + "/result.json" : path;
    ir::Result<std::string> text = ReadWholeFile(file);
    if (!text.has_value()) {
      return Failed({ir::StatusCode::kSyntax, "no results of a campaign here"}, file);
    }
    results.push_back(std::move(*text));
  }
  const ir::Result<reports::CampaignReport> report = ReportFromResults(results);
  if (!report.has_value()) return Failed(report.error());
  ExitCode exit = report->findings.empty() ? ExitCode::kOk : ExitCode::kFindings;
  const auto write = [&exit](const std::string& path, const std::string& text) {
    if (path.empty()) return;
    if (const ir::Status status = WriteText(path, text); !status.ok()) {
      exit = Worse(exit, Failed(status));
    }
  };
  if (line.html != "-" && line.markdown != "-") {
    std::string text = fmt::format("{}: {}\n", report->title, report->subtitle);
    for (const auto& [value, caption] : report->figures) {
      text += fmt::format("  {} {}\n", value, caption);
    }
    write("-", text + FindingsText(report->findings));
  }
  write(line.html, reports::ReportToHtml(*report));
  write(line.markdown, FindingsMarkdown(*report));
  return exit;
}

}  // namespace

const Command kReportCommand = {
    .name = "report",
    .synopsis = "DIR|FILE... [--html FILE] [--markdown FILE]",
    .summary = "sum up finished campaigns",
    .details = kDetails,
    .run = RunReport,
};

}  // namespace faultline::harness
