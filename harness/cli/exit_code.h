// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Exit codes of `faultline`: the worst of what happened is what the process ends with.

#ifndef HARNESS_CLI_EXIT_CODE_H_
#define HARNESS_CLI_EXIT_CODE_H_

#include "ir/base/status.h"

namespace faultline::harness {

enum class ExitCode : int {
  kOk = 0,
  kFindings = 1,  // or a known divergence that no longer fails
  kUsage = 2,
  kBadInput = 3,  // an unreadable or empty file, a text that is no program; the rest still ran
  kInternal = 4,
  kSetUp = 5,  // no such device, hooks not built, a disk that is full
};

// Internal, then set-up, usage, bad input, findings.
ExitCode Worse(ExitCode a, ExitCode b);

// What a failed status means for the process.
ExitCode ExitCodeOf(ir::StatusCode code);

}  // namespace faultline::harness

#endif  // HARNESS_CLI_EXIT_CODE_H_
