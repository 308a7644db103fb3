// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Which planner decisions a fault needs: a smallest set without which it is gone and with which
// alone it is there. Knows of a backend only what a Judge tells; decisions are named, alternative 0
// is the safe one.

#ifndef HARNESS_BISECT_BISECT_H_
#define HARNESS_BISECT_BISECT_H_

#include <string>
#include <string_view>
#include <vector>

#include "harness/oracle/judge.h"
#include "ir/program.h"

namespace faultline::harness {

enum class BisectOutcome : uint8_t {
  kNotReproduced,  // the program does not show the key
  kNoDecisions,    // it does with every decision the safe one: the fault lies elsewhere
  kGuilty,         // `guilty` alone shows it, and without them it is gone
  kUnsettled,      // the budget ran out, or decisions shift each other
};
std::string_view BisectOutcomeName(BisectOutcome outcome);

struct BisectResult {
  BisectOutcome outcome = BisectOutcome::kNotReproduced;
  std::vector<std::string> guilty;  // names, in the order of the trace
  std::vector<std::string> rules;   // fusion rules that fire because of them
  int judged = 0;
  int decisions = 0;  // that took another alternative than the safe one
};

// Requires a verified program.
BisectResult Bisect(const ir::Program& program, std::string_view key, const Judge& judge,
                    const RunOptions& run, int judged_max = 400);

}  // namespace faultline::harness

#endif  // HARNESS_BISECT_BISECT_H_
