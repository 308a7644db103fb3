// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// What happens to a finding after it was recorded: confirmed with fresh engines, reduced, bisected,
// given its signature. Runs in a process of its own (the hidden `judge` command), since the program
// may kill whoever runs it.

#ifndef HARNESS_CAMPAIGN_JUDGE_FINDING_H_
#define HARNESS_CAMPAIGN_JUDGE_FINDING_H_

#include "harness/backend/registry.h"
#include "reports/finding.h"

namespace faultline::harness {

inline constexpr int kConfirmations = 3;

struct JudgeFindingOptions {
  BackendSpec backend;
  double timeout_s = 10;  // of one program
  double reduce_seconds = 20;
  bool reduce = true;
};

// Fills in confirmed, history_dependent, reduced, guilty, rules, signature, replay and the evidence
// of the reduced program. Requires that this process has no other threads.
void JudgeFinding(const JudgeFindingOptions& options, reports::Finding& finding);

}  // namespace faultline::harness

#endif  // HARNESS_CAMPAIGN_JUDGE_FINDING_H_
