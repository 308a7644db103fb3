// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Campaigns against seeded faults: what `faultline faults` was asked for, and one campaign of it.

#ifndef HARNESS_CLI_FAULT_CAMPAIGNS_H_
#define HARNESS_CLI_FAULT_CAMPAIGNS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/backend/seeded_fault.h"
#include "harness/campaign/options.h"
#include "harness/campaign/supervisor.h"
#include "harness/cli/backend_options.h"
#include "ir/base/status.h"

namespace faultline::harness {

struct FaultArguments {
  BackendOptions backend;
  std::vector<std::string> corpus;
  std::vector<std::string> only;
  std::string out = "out/faults";
  std::string json;
  std::string markdown;
  double seconds = 60;
  int64_t seeds = 1;
  int64_t jobs = 1;
  int64_t signatures = 0;  // findings a fault whose signatures are counted; 0: not the question
  int64_t feedback = 0;    // programs a campaign that is compared with blind ones; 0: likewise
};

// Those asked for; none where this build has no such faults.
std::vector<SeededFault> FaultsOf(const FaultArguments& arguments);

// A campaign with the fault on and the seed corpus, in a fresh folder OUT/FAULT-WHAT.
CampaignOptions CampaignAgainst(const FaultArguments& arguments, const SeededFault& fault,
                                std::string_view what);

// Fresh each time: what an earlier campaign kept would be a hint. Interrupted is an error.
ir::Result<CampaignResult> RunFresh(const CampaignOptions& options);

}  // namespace faultline::harness

#endif  // HARNESS_CLI_FAULT_CAMPAIGNS_H_
