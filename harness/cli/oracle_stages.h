// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The stages of `faultline oracle-stats`, cut into items that run in child processes, with a line
// of progress. Figures do not depend on the number of processes.

#ifndef HARNESS_CLI_ORACLE_STAGES_H_
#define HARNESS_CLI_ORACLE_STAGES_H_

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "harness/account/power.h"
#include "harness/account/tally.h"
#include "harness/oracle/certify/certify.h"
#include "ir/base/status.h"

namespace faultline::harness {

struct StageOptions {
  uint64_t seed = 1;
  int jobs = 1;
  std::function<bool()> stopped;  // a stage ends early, with what it has, once this is true
};

using PowerRow = std::pair<PowerRun, PowerCounts>;

// Legal executions of this many programs.
ir::Status RunPrograms(int64_t programs, const StageOptions& options, Tally& tally);
// So many elements of each op by MPFR.
ir::Status RunCertification(int64_t elements, const StageOptions& options, CertifyTally& tally);
// This many programs on every backend, without a fault and with each.
ir::Status RunComparison(int64_t programs, const StageOptions& options,
                         std::vector<PowerRow>& rows);

}  // namespace faultline::harness

#endif  // HARNESS_CLI_ORACLE_STAGES_H_
