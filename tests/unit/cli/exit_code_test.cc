// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/exit_code.h"

#include <catch2/catch.hpp>

namespace faultline::harness {
namespace {

TEST_CASE("the worst exit code wins: internal, set-up, usage, bad input, findings, ok") {
  constexpr ExitCode kOrder[] = {ExitCode::kInternal, ExitCode::kSetUp,    ExitCode::kUsage,
                                 ExitCode::kBadInput, ExitCode::kFindings, ExitCode::kOk};
  for (int i = 0; i < 6; ++i) {
    for (int j = i; j < 6; ++j) {
      CHECK(Worse(kOrder[i], kOrder[j]) == kOrder[i]);
      CHECK(Worse(kOrder[j], kOrder[i]) == kOrder[i]);
    }
  }
}

TEST_CASE("a status says what it means for the process") {
  CHECK(ExitCodeOf(ir::StatusCode::kOk) == ExitCode::kOk);
  CHECK(ExitCodeOf(ir::StatusCode::kUsage) == ExitCode::kUsage);
  CHECK(ExitCodeOf(ir::StatusCode::kSyntax) == ExitCode::kBadInput);
  CHECK(ExitCodeOf(ir::StatusCode::kInvalidProgram) == ExitCode::kBadInput);
  CHECK(ExitCodeOf(ir::StatusCode::kUnsupported) == ExitCode::kSetUp);
  CHECK(ExitCodeOf(ir::StatusCode::kIo) == ExitCode::kSetUp);
  CHECK(ExitCodeOf(ir::StatusCode::kInternal) == ExitCode::kInternal);
}

}  // namespace
}  // namespace faultline::harness
