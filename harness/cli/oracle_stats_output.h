// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// What `faultline oracle-stats` writes: fields for machines, a table for people.

#ifndef HARNESS_CLI_ORACLE_STATS_OUTPUT_H_
#define HARNESS_CLI_ORACLE_STATS_OUTPUT_H_

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "harness/account/tally.h"
#include "harness/cli/oracle_stages.h"
#include "harness/oracle/certify/certify.h"

namespace faultline::harness {

struct OracleFigures {
  Tally tally;                     // of generated programs
  CertifyTally certified;          // by MPFR
  std::vector<PowerRow> compared;  // with other oracles
};

// Whether a correct execution was flagged, or a correct value lies outside its set.
bool IsFaulty(const OracleFigures& figures);
// The fields of docs/cli.md that follow from them.
nlohmann::json FiguresToJson(const OracleFigures& figures);
// A line an op, over its dtypes, and the sums.
std::string FiguresToText(const OracleFigures& figures);

}  // namespace faultline::harness

#endif  // HARNESS_CLI_ORACLE_STATS_OUTPUT_H_
