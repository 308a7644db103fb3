// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// How campaigns fared against a seeded fault, and the forms that people and scripts read.

#ifndef HARNESS_CLI_FAULT_SCORE_H_
#define HARNESS_CLI_FAULT_SCORE_H_

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "harness/backend/seeded_fault.h"
#include "reports/finding.h"

namespace faultline::harness {

struct FaultScore {
  SeededFault fault;
  int campaigns = 0;
  // One entry a campaign that found it.
  std::vector<double> seconds;
  std::vector<double> programs;
  std::vector<double> reduced_ops;  // of those that could be reduced
  int rule_named = 0;               // campaigns whose bisection named one of the fault's rules
  std::string key;                  // of the last one

  int found() const { return static_cast<int>(seconds.size()); }
  // Shown to change nothing that can be observed, so that no campaign can find it: a fault says so
  // by its class.
  bool equivalent() const { return fault.fault_class == "equivalent"; }
  // Whether bisection is to name a rule at all.
  bool in_a_rule() const { return !fault.rules.empty(); }
  void Count(const reports::Finding& finding);
};

double Median(std::vector<double> values);

// One line for the terminal.
std::string ScoreLine(const FaultScore& score);
// The closing line over all.
std::string ScoreSummary(std::span<const FaultScore> scores);
nlohmann::json ScoresToJson(std::span<const FaultScore> scores);
// A table with one row a fault.
std::string ScoresToMarkdown(std::span<const FaultScore> scores);

}  // namespace faultline::harness

#endif  // HARNESS_CLI_FAULT_SCORE_H_
