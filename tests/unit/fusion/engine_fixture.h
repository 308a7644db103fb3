// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Runs a program's text on an engine, one statement after another, for the tests of stream and
// plan.

#ifndef TESTS_UNIT_FUSION_ENGINE_FIXTURE_H_
#define TESTS_UNIT_FUSION_ENGINE_FIXTURE_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fusion/engine.h"
#include "ir/base/status.h"
#include "ir/data.h"

namespace faultline::fusion {

struct ProgramRun {
  std::vector<ir::Result<std::vector<ir::HostTensor>>> reads;
  std::vector<ir::Status> failures;  // of every other call
  Trace trace;
  LiveCounts live;  // after everything was dropped
};

std::unique_ptr<Engine> MakeEngine(const EngineOptions& options = {});

// Requires a text that parses and verifies (the version line is added).
ProgramRun RunText(Engine& engine, std::string_view text, const SessionOptions& options = {});

// The bytes of every read, one after another; failed reads by their message.
std::string BytesOf(const ProgramRun& run);

}  // namespace faultline::fusion

#endif  // TESTS_UNIT_FUSION_ENGINE_FIXTURE_H_
