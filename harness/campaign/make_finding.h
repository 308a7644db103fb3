// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// From a verdict and its evidence to a finding record.

#ifndef HARNESS_CAMPAIGN_MAKE_FINDING_H_
#define HARNESS_CAMPAIGN_MAKE_FINDING_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/backend/backend.h"
#include "harness/backend/run.h"
#include "harness/oracle/judge.h"
#include "ir/program.h"
#include "reports/finding.h"

namespace faultline::harness {

// The program with `# needs:` and `# decisions:` lines that say how it was run, so that its text
// alone reproduces the run. Random decisions are written out as `trace` gives them, or as the seed
// they come from if there is no trace.
ir::Program WithRunConditions(const ir::Program& program, const RunOptions& run,
                              const PlanTrace* trace);

// Everything but confirmation, reduction and times. `text` is the program as run, with conditions.
reports::Finding MakeFinding(const ir::Program& program, std::string text, const Verdict& verdict,
                             const PlanTrace* trace);

// Fills in what describes the verdict (also used again after reduction).
void DescribeVerdict(const ir::Program& program, const Verdict& verdict, const PlanTrace* trace,
                     reports::Finding& finding);

// Commit, compiler, CPU, preset: pairs for reports.
std::vector<std::pair<std::string, std::string>> DescribeEnvironment();

int CountApplications(const ir::Program& program);

}  // namespace faultline::harness

#endif  // HARNESS_CAMPAIGN_MAKE_FINDING_H_
