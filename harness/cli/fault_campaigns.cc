// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/fault_campaigns.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "harness/backend/registry.h"

namespace faultline::harness {

std::vector<SeededFault> FaultsOf(const FaultArguments& arguments) {
  std::vector<SeededFault> faults = SeededFaults(arguments.backend.names[0]);
  std::erase_if(faults, [&](const SeededFault& fault) {
    return !arguments.only.empty() && std::ranges::count(arguments.only, fault.id) == 0;
  });
  return faults;
}

CampaignOptions CampaignAgainst(const FaultArguments& arguments, const SeededFault& fault,
                                std::string_view what) {
  CampaignOptions campaign;
  campaign.backend.name = arguments.backend.names[0];
  campaign.backend.fault = fault.id;
  campaign.seeds = arguments.corpus;
  campaign.seconds = arguments.seconds;
  campaign.jobs = static_cast<int>(arguments.jobs);
  campaign.quiet = true;
  campaign.out = fmt::format("{}/{}-{}", arguments.out, fault.id, what);
  return campaign;
}

ir::Result<CampaignResult> RunFresh(const CampaignOptions& options) {
  std::error_code error;
  std::filesystem::remove_all(options.out, error);
  ir::Result<CampaignResult> result = RunCampaign(options);
  if (result && result->interrupted) return ir::Error(ir::StatusCode::kInternal, "interrupted");
  return result;
}

}  // namespace faultline::harness
