// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The summary of a replay as JUnit XML, for continuous integration.

#ifndef HARNESS_CLI_JUNIT_H_
#define HARNESS_CLI_JUNIT_H_

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace faultline::harness {

// One suite a backend, one case a file. Findings and known divergences that no longer fail are
// failures, bad input is an error, what said nothing (unsupported, vacuous, inconclusive, expected
// failures) is skipped with its reason.
std::string ReplayToJUnit(const nlohmann::json& summary);

}  // namespace faultline::harness

#endif  // HARNESS_CLI_JUNIT_H_
