// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/exit_code.h"

namespace faultline::harness {
namespace {

int Badness(ExitCode code) {
  switch (code) {
    case ExitCode::kOk:
      return 0;
    case ExitCode::kFindings:
      return 1;
    case ExitCode::kBadInput:
      return 2;
    case ExitCode::kUsage:
      return 3;
    case ExitCode::kSetUp:
      return 4;
    case ExitCode::kInternal:
      return 5;
  }
  return 5;
}

}  // namespace

ExitCode Worse(ExitCode a, ExitCode b) { return Badness(a) < Badness(b) ? b : a; }

ExitCode ExitCodeOf(ir::StatusCode code) {
  switch (code) {
    case ir::StatusCode::kOk:
      return ExitCode::kOk;
    case ir::StatusCode::kSyntax:
    case ir::StatusCode::kInvalidProgram:
    case ir::StatusCode::kIndexOutOfRange:
      return ExitCode::kBadInput;
    case ir::StatusCode::kUsage:
      return ExitCode::kUsage;
    case ir::StatusCode::kOutOfMemory:
    case ir::StatusCode::kUnsupported:
    case ir::StatusCode::kDeviceLost:
    case ir::StatusCode::kIo:
      return ExitCode::kSetUp;
    case ir::StatusCode::kInternal:
      return ExitCode::kInternal;
  }
  return ExitCode::kInternal;
}

}  // namespace faultline::harness
