// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Runs a campaign: starts workers, restarts those that die, hands findings to judges, keeps the
// budget, shows progress, and gathers what came out.

#ifndef HARNESS_CAMPAIGN_SUPERVISOR_H_
#define HARNESS_CAMPAIGN_SUPERVISOR_H_

#include <cstdint>
#include <string>
#include <vector>

#include "harness/campaign/options.h"
#include "harness/campaign/statistics.h"
#include "ir/base/status.h"
#include "reports/finding.h"

namespace faultline::harness {

struct CampaignResult {
  uint64_t programs = 0;  // judged, without seeds, confirmations and reductions
  uint64_t seeds = 0;
  uint64_t vacuous = 0;
  uint64_t rejected = 0;
  double seconds = 0;  // first to last judged program
  int jobs = 1;
  uint64_t corpus = 0;
  uint64_t features = 0;
  uint64_t crashes = 0;
  uint64_t hangs = 0;
  uint64_t restarts = 0;
  uint64_t findings_recorded = 0;
  bool interrupted = false;
  // One entry a signature (a key where not judged), with counts; confirmed ones first.
  std::vector<reports::Finding> findings;
  Statistics statistics;

  double ProgramsPerSecondPerCore() const;
  double VacuousShare() const;
};

// Requires options.out to be set. Errors are those of set-up: folders, backend, a worker that dies
// at once each time. Findings are results. SIGINT and SIGTERM end it cleanly.
ir::Result<CampaignResult> RunCampaign(const CampaignOptions& options);

}  // namespace faultline::harness

#endif  // HARNESS_CAMPAIGN_SUPERVISOR_H_
