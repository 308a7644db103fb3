// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// What `faultline oracle-stats` writes: fields for machines, a table for people.

#ifndef HARNESS_CLI_ORACLE_STATS_OUTPUT_H_
#define HARNESS_CLI_ORACLE_STATS_OUTPUT_H_

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "harness/account/tally.h"

namespace faultline::harness {

// The fields of docs/cli.md that follow from generated programs.
nlohmann::json TallyToJson(const Tally& tally);
// A line an op, over its dtypes, and the sums.
std::string TallyToText(const Tally& tally);

}  // namespace faultline::harness

#endif  // HARNESS_CLI_ORACLE_STATS_OUTPUT_H_
