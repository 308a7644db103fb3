// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/campaign/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/backend/support.h"
#include "harness/campaign/scheme_uses.h"
#include "harness/campaign/status_line.h"
#include "harness/campaign/worker_totals.h"

namespace faultline::harness {
namespace {

constexpr size_t kNamesShown = 6;
constexpr size_t kFindingsShown = 10;

double Share(uint64_t part, uint64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

// The radius below which `share` of the sampled radii lie.
double RadiusQuantile(const Statistics& statistics, double share) {
  std::array<uint64_t, kRadiusBuckets> counts = {};
  uint64_t total = 0;
  for (int i = 0; i < kRadiusBuckets; ++i) {
    counts[static_cast<size_t>(i)] = statistics.Get(fmt::format("radius.{}", i));
    total += counts[static_cast<size_t>(i)];
  }
  if (total == 0) return 0;
  const auto wanted = static_cast<uint64_t>(share * static_cast<double>(total));
  uint64_t seen = 0;
  for (int i = 0; i < kRadiusBuckets; ++i) {
    seen += counts[static_cast<size_t>(i)];
    if (seen > wanted) return RadiusOf(i);
  }
  return RadiusOf(kRadiusBuckets - 1);
}

std::string Names(const std::vector<std::string>& names) {
  if (names.empty()) return "none";
  const size_t shown = std::min(names.size(), kNamesShown);
  std::string text = fmt::format(
      "{}", fmt::join(names.begin(), names.begin() + static_cast<ptrdiff_t>(shown), " "));
  if (shown < names.size()) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

std::string FindingLines(size_t number, const reports::Finding& finding) {
  std::string how = finding.reduced.empty() ? fmt::format("{} ops, not reduced", finding.ops)
                                            : fmt::format("reduced to {} op{}", finding.reduced_ops,
                                                          finding.reduced_ops == 1 ? "" : "s");
  if (finding.attempts > 0) {
    how += finding.history_dependent
               ? ", not seen again with a fresh engine: depends on what ran before"
               : fmt::format(", confirmed {} of {}", finding.confirmed, finding.attempts);
  }
  if (finding.count > 1) how += fmt::format(", seen {} times", finding.count);
  return fmt::format("  {}. {}\n     {}; after {}\n     {}\n", number, finding.title, how,
                     FormatSeconds(finding.seconds_to_find), finding.replay);
}

}  // namespace

CampaignFigures FiguresOf(const CampaignResult& result, const Backend& backend) {
  const Statistics& statistics = result.statistics;
  CampaignFigures figures;
  figures.compared = statistics.Get("compare.compared");
  figures.share_exact = Share(statistics.Get("compare.exact"), figures.compared);
  figures.share_vacuous = Share(statistics.Get("compare.vacuous"), figures.compared);
  figures.share_exact_float =
      Share(statistics.Get("compare.exact_float"), statistics.Get("compare.compared_float"));
  figures.median_radius_ulp = RadiusQuantile(statistics, 0.5);
  figures.p99_radius_ulp = RadiusQuantile(statistics, 0.99);
  figures.plan_cache_hits = statistics.Get("plan.cache_hits");
  figures.plan_cache_misses = statistics.Get("plan.cache_misses");
  figures.in_place = statistics.Get("plan.in_place");
  figures.operations = statistics.Get("plan.operations");
  figures.blocks = statistics.Get("plan.blocks");
  for (const auto& [op, dtype] : SupportedOpDtypes(backend)) {
    if (statistics.OpDtype(op, dtype) > 0) continue;
    figures.ops_never_generated.push_back(
        fmt::format("{}/{}", ir::Mnemonic(op), ir::DtypeName(dtype)));
  }
  for (const size_t cell : ReachableSchemeCells()) {
    ++figures.scheme_uses_of;
    const std::string name = SchemeCellName(cell);
    if (statistics.Get("scheme_use." + name) > 0) {
      ++figures.scheme_uses;
    } else {
      figures.scheme_uses_never.push_back(name);
    }
  }
  for (std::string_view rule : backend.RuleNames()) {
    if (statistics.Get(fmt::format("rule.{}", rule)) == 0) {
      figures.rules_never_fired.emplace_back(rule);
    }
  }
  return figures;
}

std::string TimeShares(const Statistics& statistics) {
  uint64_t total = 0;
  std::array<uint64_t, kStageCount> spent = {};
  for (size_t i = 0; i < spent.size(); ++i) {
    spent[i] = statistics.Get(fmt::format("time.{}_ns", StageName(static_cast<Stage>(i))));
    total += spent[i];
  }
  std::string text;
  for (size_t i = 0; i < spent.size(); ++i) {
    text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", StageName(static_cast<Stage>(i)),
                        100 * Share(spent[i], total));
  }
  return text;
}

std::string SummaryText(const CampaignOptions& options, const CampaignResult& result,
                        const CampaignFigures& figures, std::string_view report) {
  std::string text = fmt::format(
      "\ncampaign of {}{}: {} in {}, {} job{}, seed {}\n", options.backend.name,
      options.backend.fault.empty() ? "" : fmt::format(" with fault {}", options.backend.fault),
      result.interrupted ? "interrupted" : "done", FormatSeconds(result.seconds), result.jobs,
      result.jobs == 1 ? "" : "s", options.seed);
  const auto line = [&](std::string_view label, std::string value) {
    text += fmt::format("  {:<10} {}\n", label, value);
  };
  line("programs", fmt::format("{} judged, {:.0f} a second and core; {:.2f} % vacuous",
                               FormatCount(static_cast<double>(result.programs)),
                               result.ProgramsPerSecondPerCore(), 100 * result.VacuousShare()));
  line("corpus", fmt::format("{} programs, {} features", result.corpus, result.features));
  line("oracle", fmt::format("{} elements compared, {:.1f} % exactly; the rest within {:.2g} ulp "
                             "(median)",
                             FormatCount(static_cast<double>(figures.compared)),
                             100 * figures.share_exact, figures.median_radius_ulp));
  line("plans", fmt::format("{:.0f} % from the cache, {} results in place, {:.1f} ops a launch",
                            100 * Share(figures.plan_cache_hits,
                                        figures.plan_cache_hits + figures.plan_cache_misses),
                            FormatCount(static_cast<double>(figures.in_place)),
                            Share(figures.operations, figures.blocks)));
  line("unmet", fmt::format("ops: {}; rules: {}", Names(figures.ops_never_generated),
                            Names(figures.rules_never_fired)));
  if (options.focus == "quantized-transactions") {
    line("schemes", fmt::format("{} of {} uses reached (scheme x read, view then read, matmul, "
                                "elementwise, requantize); unmet: {}",
                                figures.scheme_uses, figures.scheme_uses_of,
                                Names(figures.scheme_uses_never)));
  }
  line("time", TimeShares(result.statistics));
  line("findings", fmt::format("{} ({} records, {} crashes, {} hangs)", result.findings.size(),
                               result.findings_recorded, result.crashes, result.hangs));
  for (size_t i = 0; i < std::min(result.findings.size(), kFindingsShown); ++i) {
    text += FindingLines(i + 1, result.findings[i]);
  }
  if (result.findings.size() > kFindingsShown) {
    text += fmt::format("  ... and {} more\n", result.findings.size() - kFindingsShown);
  }
  if (!report.empty()) text += fmt::format("\nreport: {}\n", report);
  return text;
}

}  // namespace faultline::harness
