// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/campaign/cost_check.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace faultline::harness {
namespace {

uint64_t RulesFired(const Backend& backend, const Statistics& statistics) {
  uint64_t fired = 0;
  for (std::string_view rule : backend.RuleNames()) {
    fired += statistics.Get(fmt::format("rule.{}", rule));
  }
  return fired;
}

}  // namespace

std::vector<reports::Finding> CheckCosts(const CampaignOptions& options, const Backend& backend,
                                         const Statistics& statistics, uint64_t programs) {
  std::vector<reports::Finding> findings;
  if (programs < kCostPrograms || options.max_decisions >= 0 || !options.deny.empty()) {
    return findings;
  }
  const auto check = [&](bool promised, uint64_t met, std::string_view what,
                         std::string_view title) {
    if (!promised || met > 0) return;
    reports::Finding& finding = findings.emplace_back();
    finding.key = fmt::format("cost/{}", what);
    finding.id = fmt::format("cost-{}", what);
    finding.signature = finding.key;
    finding.verdict = "cost";
    finding.title = fmt::format("cost: {}", title);
    finding.detail = fmt::format("{} in {} programs", title, programs);
    finding.backend = options.backend.name;
    finding.fault = options.backend.fault;
    finding.programs_to_find = programs;
    // A count over a campaign is its own confirmation.
    finding.attempts = 1;
    finding.confirmed = 1;
    finding.replay = fmt::format(
        "faultline fuzz --backend {} --runs {}{}", options.backend.name, kCostPrograms + 1000,
        options.backend.fault.empty() ? std::string()
                                      : fmt::format(" --fault {}", options.backend.fault));
  };
  const Economies economies = backend.economies();
  check(economies.fuses, RulesFired(backend, statistics), "fusion", "nothing was fused");
  check(economies.reuses_plans, statistics.Get("plan.cache_hits"), "plan-cache",
        "no plan came from the cache");
  check(economies.works_in_place, statistics.Get("plan.in_place"), "in-place",
        "no result took over a buffer");
  return findings;
}

}  // namespace faultline::harness
