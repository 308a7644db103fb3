// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The comparison with other oracles, as fields and as the table of docs/oracle-power.md.

#ifndef HARNESS_CLI_ORACLE_COMPARISON_H_
#define HARNESS_CLI_ORACLE_COMPARISON_H_

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "harness/cli/oracle_stages.h"

namespace faultline::harness {

nlohmann::json ComparisonToJson(std::span<const PowerRow> rows);
// Markdown.
std::string ComparisonToText(std::span<const PowerRow> rows);

}  // namespace faultline::harness

#endif  // HARNESS_CLI_ORACLE_COMPARISON_H_
