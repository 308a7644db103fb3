// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/fault_signatures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "harness/campaign/causes.h"
#include "harness/cli/command.h"
#include "harness/cli/files.h"

namespace faultline::harness {
namespace {

size_t MostSignatures(std::span<const FaultSignatures> faults) {
  size_t most = 0;
  for (const FaultSignatures& fault : faults) most = std::max(most, fault.causes.size());
  return most;
}

int64_t Found(std::span<const FaultSignatures> faults) {
  return std::ranges::count_if(faults, [](const auto& fault) { return !fault.causes.empty(); });
}

std::string LineOf(const FaultSignatures& fault) {
  std::string text = fmt::format("{:<32} {:>6} findings {:>3} signatures\n", fault.fault.id,
                                 fault.findings, fault.causes.size());
  for (const reports::Finding& cause : fault.causes) {
    text += fmt::format("  {:>6} {}\n", cause.count, cause.signature);
  }
  return text;
}

}  // namespace

int DistinctSignatures(std::span<const FaultSignatures> faults) {
  std::set<std::string> signatures;
  for (const FaultSignatures& fault : faults) {
    if (fault.causes.empty()) continue;
    signatures.insert(
        std::ranges::max_element(fault.causes, {}, &reports::Finding::count)->signature);
  }
  return static_cast<int>(signatures.size());
}

int ToldApart(std::span<const FaultSignatures> faults) {
  std::vector<reports::Finding> all;
  for (const FaultSignatures& fault : faults) {
    all.insert(all.end(), fault.causes.begin(), fault.causes.end());
  }
  const std::vector<std::string> signatures = CauseSignatures(all);
  std::map<std::string, int> faults_of;  // signature: faults whose largest cause has it
  size_t at = 0;
  for (const FaultSignatures& fault : faults) {
    std::map<std::string, uint64_t> counts;
    for (const reports::Finding& cause : fault.causes) counts[signatures[at++]] += cause.count;
    if (counts.empty()) continue;
    ++faults_of[std::ranges::max_element(counts, {}, [](const auto& c) {
                  return c.second;
                })->first];
  }
  return static_cast<int>(
      std::ranges::count_if(faults_of, [](const auto& entry) { return entry.second == 1; }));
}

nlohmann::json SignaturesToJson(std::span<const FaultSignatures> faults, int64_t wanted) {
  nlohmann::json list = nlohmann::json::array();
  for (const FaultSignatures& fault : faults) {
    nlohmann::json signatures = nlohmann::json::array();
    for (const reports::Finding& cause : fault.causes) {
      signatures.push_back({{"signature", cause.signature}, {"count", cause.count}});
    }
    list.push_back({{"id", fault.fault.id},
                    {"class", fault.fault.fault_class},
                    {"findings", fault.findings},
                    {"signatures", signatures}});
  }
  return {{"findings_wanted", wanted},
          {"seeded", faults.size()},
          {"found", Found(faults)},
          {"most_signatures", MostSignatures(faults)},
          {"distinct_signatures", DistinctSignatures(faults)},
          {"told_apart", ToldApart(faults)},
          {"faults", list}};
}

ExitCode MeasureSignatures(const FaultArguments& arguments, std::span<const SeededFault> faults) {
  std::vector<FaultSignatures> measured;
  for (const SeededFault& fault : faults) {
    CampaignOptions campaign = CampaignAgainst(arguments, fault, "signatures");
    campaign.findings_max = static_cast<uint64_t>(arguments.signatures);
    auto result = RunFresh(campaign);
    if (!result) return Failed(result.error());
    measured.push_back({fault, result->findings_recorded, std::move(result->findings)});
    std::fputs(LineOf(measured.back()).c_str(), stderr);
  }
  const int64_t found = Found(measured);
  const int distinct = DistinctSignatures(measured);
  const size_t most = MostSignatures(measured);
  fmt::print(
      "{} of {} faults found; at most {} signatures a fault, {} distinct ones of the largest; {} "
      "faults told apart if one backend had them all\n",
      found, measured.size(), most, distinct, ToldApart(measured));
  if (!arguments.json.empty()) {
    const nlohmann::json json = SignaturesToJson(measured, arguments.signatures);
    const ir::Status written = WriteText(arguments.json, json.dump(2) + "\n");
    if (!written.ok()) return Failed(written);
  }
  const bool kept = most <= kSignaturesMax && distinct >= kDistinctMin * static_cast<double>(found);
  return kept ? ExitCode::kOk : ExitCode::kFindings;
}

}  // namespace faultline::harness
