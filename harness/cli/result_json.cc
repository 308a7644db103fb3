// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/result_json.h"

#include <nlohmann/json.hpp>

#include "reports/finding_json.h"

namespace faultline::harness {

std::string ResultToJson(const CampaignOptions& options, const CampaignResult& result,
                         const CampaignFigures& figures) {
  using Json = nlohmann::json;
  Json signatures = Json::array();
  Json findings = Json::array();
  for (const reports::Finding& finding : result.findings) {
    signatures.push_back(finding.signature.empty() ? finding.key : finding.signature);
    findings.push_back(Json::parse(reports::FindingToJson(finding)));
  }
  Json statistics = Json::object();
  for (const auto& [name, value] : result.statistics.NonZero()) statistics[name] = value;
  const Json json = {
      {"backend", options.backend.name},
      {"fault", options.backend.fault},
      {"seed", options.seed},
      {"jobs", result.jobs},
      {"out", options.out},
      {"interrupted", result.interrupted},
      {"programs", result.programs},
      {"seeds", result.seeds},
      {"rejected", result.rejected},
      {"seconds", result.seconds},
      {"programs_per_second_per_core", result.ProgramsPerSecondPerCore()},
      {"findings", result.findings.size()},
      {"findings_recorded", result.findings_recorded},
      {"signatures", signatures},
      {"vacuous_share", result.VacuousShare()},
      {"share_exact", figures.share_exact},
      {"share_exact_float", figures.share_exact_float},
      {"share_vacuous", figures.share_vacuous},
      {"median_radius_ulp", figures.median_radius_ulp},
      {"p99_radius_ulp", figures.p99_radius_ulp},
      {"elements_compared", figures.compared},
      {"ops_never_generated", figures.ops_never_generated},
      {"rules_never_fired", figures.rules_never_fired},
      {"scheme_uses", figures.scheme_uses},
      {"scheme_uses_never", figures.scheme_uses_never},
      {"plan_cache_hits", figures.plan_cache_hits},
      {"plan_cache_misses", figures.plan_cache_misses},
      {"in_place", figures.in_place},
      {"crashes", result.crashes},
      {"hangs", result.hangs},
      {"restarts", result.restarts},
      {"corpus", result.corpus},
      {"features", result.features},
      {"finding_records", findings},
      {"statistics", statistics},
  };
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace faultline::harness
