// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Faults that only counters show: a backend that should fuse, reuse plans or work in place, and
// over thousands of programs never did.

#ifndef HARNESS_CAMPAIGN_COST_CHECK_H_
#define HARNESS_CAMPAIGN_COST_CHECK_H_

#include <vector>

#include "harness/backend/backend.h"
#include "harness/campaign/options.h"
#include "harness/campaign/statistics.h"
#include "reports/finding.h"

namespace faultline::harness {

// Programs after which an economy that was never met is a finding. A healthy backend meets each of
// them within its first ten.
inline constexpr uint64_t kCostPrograms = 2000;

// One finding, of verdict "cost" and without a program, for each economy of the backend that the
// statistics of `programs` programs do not show. None before kCostPrograms, or where the options
// deny the planner its decisions.
std::vector<reports::Finding> CheckCosts(const CampaignOptions& options, const Backend& backend,
                                         const Statistics& statistics, uint64_t programs);

}  // namespace faultline::harness

#endif  // HARNESS_CAMPAIGN_COST_CHECK_H_
