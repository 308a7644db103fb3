// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/campaign_output.h"

#include <fmt/format.h>

#include <cstdio>
#include <ctime>
#include <filesystem>
#include <utility>
#include <vector>

#include "harness/backend/registry.h"
#include "harness/backend/support.h"
#include "harness/campaign/child_process.h"
#include "harness/campaign/coverage.h"
#include "harness/campaign/findings_log.h"
#include "harness/campaign/status_line.h"
#include "harness/campaign/summary.h"
#include "harness/cli/command.h"
#include "harness/cli/result_json.h"
#include "ir/dtype.h"
#include "reference/contract.h"
#include "reports/campaign_report.h"

namespace faultline::harness {
namespace {

std::string ShortPath(const std::string& path) {
  std::error_code error;
  const auto relative = std::filesystem::relative(path, error);
  if (error || relative.empty() || relative.native().starts_with("..")) return path;
  return relative.string();
}

reports::OpMatrix MatrixOf(const Backend& backend, const Statistics& statistics) {
  reports::OpMatrix matrix;
  for (int i = 0; i <= ir::kPlainDtypeCount; ++i) {
    matrix.dtypes.emplace_back(ir::DtypeName(static_cast<ir::Dtype>(i)));
  }
  for (const ir::OpInfo& info : ir::AllOps()) {
    matrix.ops.emplace_back(info.mnemonic);
    matrix.counts.emplace_back(matrix.dtypes.size(), -1);
  }
  for (const auto& [op, dtype] : SupportedOpDtypes(backend)) {
    matrix.counts[static_cast<size_t>(op)][static_cast<size_t>(dtype)] =
        static_cast<int64_t>(statistics.OpDtype(op, dtype));
  }
  return matrix;
}

std::string Today() {
  const std::time_t now = std::time(nullptr);
  std::tm local = {};
  localtime_r(&now, &local);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}", local.tm_year + 1900, local.tm_mon + 1,
                     local.tm_mday, local.tm_hour, local.tm_min);
}

reports::CampaignReport ReportOf(const CampaignOptions& options, const CampaignResult& result,
                                 const CampaignFigures& figures, const Backend& backend) {
  reports::CampaignReport report;
  report.title = fmt::format("Campaign of {}", options.backend.name);
  report.subtitle = fmt::format("{}, {}, seed {}, {} job{}", Today(), FormatSeconds(result.seconds),
                                options.seed, result.jobs, result.jobs == 1 ? "" : "s");
  report.figures = {
      {FormatCount(static_cast<double>(result.programs)), "programs judged"},
      {fmt::format("{:.0f}", result.ProgramsPerSecondPerCore()), "programs a second and core"},
      {fmt::format("{}", result.findings.size()), "findings"},
      {fmt::format("{:.1f} %", 100 * figures.share_exact), "of elements checked exactly"},
      {fmt::format("{:.2g} ulp", figures.median_radius_ulp), "median radius of the rest"},
      {fmt::format("{:.2f} %", 100 * result.VacuousShare()), "of programs vacuous"},
      {fmt::format("{}", result.corpus), "programs in the corpus"},
      {fmt::format("{}", result.features), "features reached"},
  };
  report.settings = {
      {"backend", options.backend.name},
      {"seeded fault", options.backend.fault.empty() ? "none" : options.backend.fault},
      {"seed programs",
       fmt::format(
           "{} judged, from: {}", result.seeds,
           options.seeds.empty() ? "none" : fmt::format("{}", fmt::join(options.seeds, ", ")))},
      {"focus", options.focus.empty() ? "none" : options.focus},
      {"folder", options.out},
      {"plans from the cache", fmt::format("{} of {}", figures.plan_cache_hits,
                                           figures.plan_cache_hits + figures.plan_cache_misses)},
      {"results in place", fmt::format("{}", figures.in_place)},
      {"worker restarts", fmt::format("{}", result.restarts)},
      {"time", TimeShares(result.statistics)},
  };
  for (std::string_view rule : backend.RuleNames()) {
    report.rules.emplace_back(rule, result.statistics.Get(fmt::format("rule.{}", rule)));
  }
  report.matrix = MatrixOf(backend, result.statistics);
  for (CoverageGroup& group : CoverageOf(result.statistics, backend)) {
    report.coverage.push_back(
        {std::move(group.name), group.reached, group.of, group.all_can_be, std::move(group.never)});
  }
  report.never = figures.ops_never_generated;
  report.never.insert(report.never.end(), figures.rules_never_fired.begin(),
                      figures.rules_never_fired.end());
  report.findings = result.findings;
  report.statistics = result.statistics.NonZero();
  // Features say met or not, which the groups say already.
  std::erase_if(report.statistics,
                [](const auto& entry) { return entry.first.starts_with("feature."); });
  report.contract = reference::PrintContract(backend.contract());
  return report;
}

ir::Status WriteJson(const std::string& path, const std::string& json) {
  if (path.empty()) return {};
  if (path != "-") return WriteWholeFile(path, json + "\n");
  std::fputs((json + "\n").c_str(), stdout);
  return {};
}

}  // namespace

ir::Status StoreFindings(const CampaignOptions& options, CampaignResult& result) {
  const std::string self = ShortPath(SelfPath());
  for (reports::Finding& finding : result.findings) {
    const std::string& program = finding.reduced.empty() ? finding.program : finding.reduced;
    if (program.empty()) continue;
    const std::string path =
        fmt::format("{}/{}.fl", CampaignPaths(options.out).findings(), finding.id);
    FAULTLINE_RETURN_IF_ERROR(WriteWholeFile(path, program));
    finding.replay = fmt::format("{} replay --backend {}", self, options.backend.name);
    if (!options.backend.fault.empty()) finding.replay += " --fault " + options.backend.fault;
    finding.replay += " " + path;
  }
  return {};
}

ExitCode RunAndReport(const CampaignOptions& options, const std::string& json_path) {
  auto result = RunCampaign(options);
  if (!result) return Failed(result.error());
  const auto backend = MakeBackend(options.backend);
  if (!backend) return Failed(backend.error());
  ExitCode code = result->findings.empty() ? ExitCode::kOk : ExitCode::kFindings;
  const auto note = [&](const ir::Status& status) {
    if (!status.ok()) code = Worse(code, Failed(status));
    return status.ok();
  };
  note(StoreFindings(options, *result));
  const CampaignFigures figures = FiguresOf(*result, **backend);
  std::string report = options.out + "/report.html";
  // A report that cannot be written costs neither the summary nor the findings.
  if (!note(WriteWholeFile(
          report, reports::ReportToHtml(ReportOf(options, *result, figures, **backend))))) {
    report.clear();
  }
  const std::string json = ResultToJson(options, *result, figures);
  note(WriteWholeFile(options.out + "/result.json", json + "\n"));
  const std::string text = SummaryText(options, *result, figures, report);
  std::fputs(text.c_str(), json_path == "-" ? stderr : stdout);
  note(WriteJson(json_path, json));
  return code;
}

}  // namespace faultline::harness
