// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// What feedback to libFuzzer is worth: the same number of programs from nothing, blind and led,
// until a seeded fault is met.

#ifndef HARNESS_CLI_FAULT_FEEDBACK_H_
#define HARNESS_CLI_FAULT_FEEDBACK_H_

#include <span>

#include "harness/backend/seeded_fault.h"
#include "harness/cli/exit_code.h"
#include "harness/cli/fault_campaigns.h"

namespace faultline::harness {

// Campaigns of `arguments.feedback` programs with each kind of feedback and seeds 1 to
// `arguments.seeds`; prints a row a fault and what came of all.
ExitCode CompareFeedback(const FaultArguments& arguments, std::span<const SeededFault> faults);

}  // namespace faultline::harness

#endif  // HARNESS_CLI_FAULT_FEEDBACK_H_
