// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/stored_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "harness/campaign/causes.h"
#include "ir/dtype.h"
#include "ir/op.h"
#include "reports/finding_json.h"

namespace faultline::harness {
namespace {

using nlohmann::json;
using reports::CampaignReport;
using reports::Finding;

// What is summed over shards.
struct Totals {
  std::string backend;
  std::string fault;
  uint64_t programs = 0;
  uint64_t corpus = 0;
  double core_seconds = 0;
  std::map<std::string, uint64_t> statistics;
  std::set<std::string> never;  // in none of the shards
  std::vector<Finding> findings;
};

ir::Status AddResult(const json& result, bool first, Totals& totals) {
  const std::string backend = result.at("backend");
  if (first) {
    totals.backend = backend;
    totals.fault = result.value("fault", "");
  } else if (backend != totals.backend) {
    return {ir::StatusCode::kUsage,
            fmt::format("results of two backends, {} and {}", totals.backend, backend)};
  }
  totals.programs += result.at("programs").get<uint64_t>();
  totals.corpus += result.at("corpus").get<uint64_t>();
  totals.core_seconds += result.at("seconds").get<double>() * result.at("jobs").get<double>();
  for (const auto& [name, count] : result.at("statistics").items()) {
    totals.statistics[name] += count.get<uint64_t>();
  }
  std::set<std::string> never;
  for (const char* list : {"ops_never_generated", "rules_never_fired"}) {
    for (const json& name : result.at(list)) never.insert(name.get<std::string>());
  }
  if (first) totals.never = never;
  std::erase_if(totals.never, [&](const std::string& name) { return !never.contains(name); });
  for (const json& record : result.at("finding_records")) {
    ir::Result<Finding> finding = reports::FindingFromJson(record.dump());
    if (!finding.has_value()) return std::move(finding).error();
    totals.findings.push_back(std::move(*finding));
  }
  return {};
}

uint64_t Count(const Totals& totals, const std::string& name) {
  const auto found = totals.statistics.find(name);
  return found == totals.statistics.end() ? 0 : found->second;
}

std::string Share(const Totals& totals, const std::string& part, const std::string& whole) {
  const uint64_t all = Count(totals, whole);
  if (all == 0) return "-";
  return fmt::format("{:.1f} %",
                     100 * static_cast<double>(Count(totals, part)) / static_cast<double>(all));
}

// Pairs that no program had are shown as never met, whether or not the backend takes them.
reports::OpMatrix MatrixOf(const Totals& totals) {
  reports::OpMatrix matrix;
  for (int i = 0; i <= ir::kPlainDtypeCount; ++i) {
    matrix.dtypes.emplace_back(ir::DtypeName(static_cast<ir::Dtype>(i)));
  }
  for (const ir::OpInfo& info : ir::AllOps()) {
    matrix.ops.emplace_back(info.mnemonic);
    auto& row = matrix.counts.emplace_back();
    for (const std::string& dtype : matrix.dtypes) {
      const std::string pair = fmt::format("{}/{}", info.mnemonic, dtype);
      const uint64_t count = Count(totals, "op." + pair);
      const bool taken = count > 0 || totals.never.contains(pair);
      row.push_back(taken ? static_cast<int64_t>(count) : -1);
    }
  }
  return matrix;
}

CampaignReport ReportOf(const Totals& totals, size_t shards) {
  CampaignReport report;
  report.title = fmt::format("Campaign of {}", totals.backend);
  report.subtitle = fmt::format("{} result{}, {:.0f} core seconds", shards, shards == 1 ? "" : "s",
                                totals.core_seconds);
  report.findings = FoldFindings(totals.findings);
  const double rate =
      totals.core_seconds > 0 ? static_cast<double>(totals.programs) / totals.core_seconds : 0;
  report.figures = {
      {fmt::format("{}", totals.programs), "programs judged"},
      {fmt::format("{:.0f}", rate), "programs a second and core"},
      {fmt::format("{}", report.findings.size()), "findings"},
      {Share(totals, "compare.exact", "compare.compared"), "of elements checked exactly"},
      {fmt::format("{}", totals.corpus), "programs in the corpus"},
  };
  report.settings = {{"backend", totals.backend},
                     {"seeded fault", totals.fault.empty() ? "none" : totals.fault}};
  for (const auto& [name, count] : totals.statistics) {
    constexpr std::string_view kRule = "rule.";
    if (name.starts_with(kRule)) report.rules.emplace_back(name.substr(kRule.size()), count);
    report.statistics.emplace_back(name, count);
  }
  report.matrix = MatrixOf(totals);
  report.never.assign(totals.never.begin(), totals.never.end());
  for (const Finding& finding : report.findings) {
    if (report.contract.empty()) report.contract = finding.contract;
  }
  return report;
}

}  // namespace

ir::Result<CampaignReport> ReportFromResults(std::span<const std::string> results) {
  Totals totals;
  bool first = true;
  for (const std::string& text : results) {
    // Exceptions are how the JSON library says that a member is missing or of another kind.
    try {
      FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(AddResult(json::parse(text), first, totals));
    } catch (const json::exception& error) {
      return ir::Error(ir::StatusCode::kSyntax,
                       fmt::format("no result of a campaign: {}", error.what()));
    }
    first = false;
  }
  return ReportOf(totals, results.size());
}

std::string FindingsText(std::span<const Finding> findings) {
  std::string text;
  for (size_t i = 0; i < findings.size(); ++i) {
    const Finding& finding = findings[i];
    text += fmt::format("{}. {}: {}\n", i + 1, finding.verdict, finding.title);
    const std::string size = finding.reduced.empty()
                                 ? std::string("not reduced")
                                 : fmt::format("reduced to {} op{}", finding.reduced_ops,
                                               finding.reduced_ops == 1 ? "" : "s");
    text += fmt::format("   {}, confirmed {} of {}, seen {} time{}\n", size, finding.confirmed,
                        finding.attempts, finding.count, finding.count == 1 ? "" : "s");
    if (!finding.detail.empty()) text += fmt::format("   {}\n", finding.detail);
    if (!finding.guilty.empty()) {
      text += fmt::format("   guilty: {}\n", fmt::join(finding.guilty, " "));
    }
    text += fmt::format("   {}\n", finding.replay);
  }
  return text;
}

std::string FindingsMarkdown(const CampaignReport& report) {
  std::string text = fmt::format("# {}\n\n{}\n\n", report.title, report.subtitle);
  for (const auto& [value, caption] : report.figures) {
    text += fmt::format("- {} {}\n", value, caption);
  }
  for (const Finding& finding : report.findings) {
    text += fmt::format("\n## {}: {}\n\n{}\n\n", finding.verdict, finding.title, finding.detail);
    text +=
        fmt::format("```\n{}```\n\nReplay: `{}`\n",
                    finding.reduced.empty() ? finding.program : finding.reduced, finding.replay);
  }
  return text;
}

}  // namespace faultline::harness
