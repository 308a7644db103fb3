// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The figures of a finished campaign, with the meanings that docs/cli.md gives them, and the one
// screen of text that people see.

#ifndef HARNESS_CAMPAIGN_SUMMARY_H_
#define HARNESS_CAMPAIGN_SUMMARY_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/backend/backend.h"
#include "harness/campaign/supervisor.h"

namespace faultline::harness {

struct CampaignFigures {
  double share_exact = 0;        // of compared elements
  double share_exact_float = 0;  // of compared float elements
  double share_vacuous = 0;      // of compared elements
  double median_radius_ulp = 0;  // of bounded non-point floats
  double p99_radius_ulp = 0;
  uint64_t compared = 0;
  uint64_t plan_cache_hits = 0;
  uint64_t plan_cache_misses = 0;
  uint64_t in_place = 0;
  uint64_t operations = 0;
  uint64_t blocks = 0;
  std::vector<std::string> ops_never_generated;  // "op/dtype" of what the backend supports
  std::vector<std::string> rules_never_fired;
  // Uses of quantization schemes that some program had, of all that there are (scheme_uses.h).
  uint64_t scheme_uses = 0;
  uint64_t scheme_uses_of = 0;
  std::vector<std::string> scheme_uses_never;
};

CampaignFigures FiguresOf(const CampaignResult& result, const Backend& backend);

// One line a stage: where the workers' time went.
std::string TimeShares(const Statistics& statistics);

// `report` and `out` are paths to name; may be empty.
std::string SummaryText(const CampaignOptions& options, const CampaignResult& result,
                        const CampaignFigures& figures, std::string_view report);

}  // namespace faultline::harness

#endif  // HARNESS_CAMPAIGN_SUMMARY_H_
