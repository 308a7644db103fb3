// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/fault_score.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace faultline::harness {
namespace {

// Decisions about buffers are no rules of fusion; the fault lists them under this name.
constexpr std::string_view kAlias = "alias";

bool NamesRule(const reports::Finding& finding, std::string_view rules) {
  while (!rules.empty()) {
    const size_t comma = rules.find(',');
    const std::string_view rule = rules.substr(0, comma);
    rules = comma == std::string_view::npos ? std::string_view() : rules.substr(comma + 1);
    if (std::ranges::count(finding.rules, rule) > 0) return true;
    if (rule == kAlias && std::ranges::any_of(finding.guilty, [](const std::string& decision) {
          return decision.starts_with("alias(");
        })) {
      return true;
    }
  }
  return false;
}

struct Totals {
  int found = 0;
  int in_rules = 0;  // found faults that are a rule's
  double rule_named = 0;
  std::vector<double> seconds;
  std::vector<double> reduced_ops;

  // None where no fault that was found is a rule's: there was nothing to name.
  std::optional<double> RuleNamedShare() const {
    if (in_rules == 0) return std::nullopt;
    return rule_named / in_rules;
  }
  double P95Seconds() const {
    if (seconds.empty()) return 0;
    std::vector<double> sorted = seconds;
    std::ranges::sort(sorted);
    return sorted[std::min(sorted.size() - 1, sorted.size() * 95 / 100)];
  }
};

Totals TotalsOf(std::span<const FaultScore> scores) {
  Totals totals;
  for (const FaultScore& score : scores) {
    if (score.found() == 0) continue;
    ++totals.found;
    totals.seconds.push_back(Median(score.seconds));
    if (!score.reduced_ops.empty()) totals.reduced_ops.push_back(Median(score.reduced_ops));
    if (!score.in_a_rule()) continue;
    ++totals.in_rules;
    totals.rule_named += static_cast<double>(score.rule_named) / score.found();
  }
  return totals;
}

std::string RuleText(const FaultScore& score) {
  if (!score.in_a_rule() || score.found() == 0) return "-";
  return fmt::format("{} of {}", score.rule_named, score.found());
}

}  // namespace

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void FaultScore::Count(const reports::Finding& finding) {
  seconds.push_back(finding.seconds_to_find);
  programs.push_back(static_cast<double>(finding.programs_to_find));
  if (!finding.reduced.empty()) reduced_ops.push_back(finding.reduced_ops);
  if (NamesRule(finding, fault.rules)) ++rule_named;
  key = finding.key;
}

std::string ScoreLine(const FaultScore& score) {
  return fmt::format("{:<32} {:<13} {:>2} of {:<2} {:>6.1f} s {:>8.0f} {:>4.0f} {:>7}  {}\n",
                     score.fault.id, score.fault.fault_class, score.found(), score.campaigns,
                     Median(score.seconds), Median(score.programs), Median(score.reduced_ops),
                     RuleText(score), score.found() > 0 ? score.key : "not found");
}

std::string ScoreSummary(std::span<const FaultScore> scores) {
  const Totals totals = TotalsOf(scores);
  const std::optional<double> share = totals.RuleNamedShare();
  return fmt::format(
      "{} of {} found; median {:.1f} s, 95th percentile {:.1f} s; reduced to {:.0f} ops "
      "(median){}\n",
      totals.found, scores.size(), Median(totals.seconds), totals.P95Seconds(),
      Median(totals.reduced_ops),
      share ? fmt::format("; the rule named in {:.0f} % of those in a rule", 100 * *share) : "");
}

nlohmann::json ScoresToJson(std::span<const FaultScore> scores) {
  nlohmann::json list = nlohmann::json::array();
  for (const FaultScore& score : scores) {
    nlohmann::json named = nullptr;  // not to be named
    if (score.in_a_rule() && score.found() > 0) named = 2 * score.rule_named > score.found();
    list.push_back({{"id", score.fault.id},
                    {"class", score.fault.fault_class},
                    {"text", score.fault.text},
                    {"campaigns", score.campaigns},
                    {"found", score.found()},
                    {"seconds", Median(score.seconds)},
                    {"programs", Median(score.programs)},
                    {"reduced_ops", Median(score.reduced_ops)},
                    {"rule_named", named},
                    {"key", score.key}});
  }
  const Totals totals = TotalsOf(scores);
  const std::optional<double> share = totals.RuleNamedShare();
  return {{"seeded", scores.size()},
          {"equivalent", std::ranges::count_if(scores, &FaultScore::equivalent)},
          {"found", totals.found},
          {"median_seconds", Median(totals.seconds)},
          {"p95_seconds", totals.P95Seconds()},
          {"median_reduced_ops", Median(totals.reduced_ops)},
          {"rule_named_share", share ? nlohmann::json(*share) : nlohmann::json()},
          {"faults", list}};
}

std::string ScoresToMarkdown(std::span<const FaultScore> scores) {
  std::string text =
      "| fault | class | found | seconds | programs | ops | rule | what it is |\n"
      "|---|---|---|---|---|---|---|---|\n";
  for (const FaultScore& score : scores) {
    text += fmt::format("| `{}` | {} | {} of {} | {:.1f} | {:.0f} | {:.0f} | {} | {} |\n",
                        score.fault.id, score.fault.fault_class, score.found(), score.campaigns,
                        Median(score.seconds), Median(score.programs), Median(score.reduced_ops),
                        RuleText(score), score.fault.text);
  }
  return text;
}

}  // namespace faultline::harness
