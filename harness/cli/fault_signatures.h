// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Whether signatures say what is wrong: many findings of one fault are to share few of them, and
// different faults are to have different ones.

#ifndef HARNESS_CLI_FAULT_SIGNATURES_H_
#define HARNESS_CLI_FAULT_SIGNATURES_H_

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "harness/backend/seeded_fault.h"
#include "harness/cli/exit_code.h"
#include "harness/cli/fault_campaigns.h"
#include "reports/finding.h"

namespace faultline::harness {

// Of one fault: as many as this at most; and at least nine signatures of ten faults.
inline constexpr int kSignaturesMax = 3;
inline constexpr double kDistinctMin = 0.9;

struct FaultSignatures {
  SeededFault fault;
  uint64_t findings = 0;
  std::vector<reports::Finding> causes;  // folded, with counts
};

// The signatures of the largest cause of each fault, without repetitions.
int DistinctSignatures(std::span<const FaultSignatures> faults);
// Stricter: faults whose largest cause has a signature that is no other fault's, when the findings
// of all are folded together as if one backend had all the faults. Faults without findings are left
// out.
int ToldApart(std::span<const FaultSignatures> faults);

nlohmann::json SignaturesToJson(std::span<const FaultSignatures> faults, int64_t wanted);

// Runs a campaign a fault to `arguments.signatures` findings, prints a line each and the closing
// one; kFindings if a limit above is not kept.
ExitCode MeasureSignatures(const FaultArguments& arguments, std::span<const SeededFault> faults);

}  // namespace faultline::harness

#endif  // HARNESS_CLI_FAULT_SIGNATURES_H_
