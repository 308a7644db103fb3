// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Generated programs of several streams, a client thread a stream: whatever the order of calls,
// each read has to be admissible. Under ThreadSanitizer a race is a failure too.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

#include "harness/backend/fusion/fusion_backend.h"
#include "harness/generate/for_backend.h"
#include "harness/oracle/judge.h"
#include "ir/print.h"

namespace faultline::harness {
namespace {

constexpr uint64_t kPrograms = 150;

bool HasStream(const ir::Program& program, int stream) {
  return std::ranges::any_of(program.statements, [stream](const ir::Statement& statement) {
    return statement.kind == ir::StatementKind::kStream && statement.stream == stream;
  });
}

TEST_CASE("programs of several streams agree in whatever order their clients call") {
  const auto backend = MakeFusionBackend("");
  REQUIRE(backend.has_value());
  GenerateOptions options = OptionsFor(**backend);
  options.focus = Focus::kStreams;
  uint64_t judged = 0;
  for (uint64_t i = 0; judged < kPrograms && i < 20 * kPrograms; ++i) {
    ChoiceStream choices(MixSeed(77, i));
    const ir::Program program = Generate(choices, options);
    if (!HasStream(program, 1)) continue;
    const Judgement judgement =
        JudgeProgram(program, **backend, {.session = {.threads = 2}, .streams = StreamMode::kFree});
    CAPTURE(ir::Print(program), judgement.verdict.message);
    REQUIRE_FALSE(IsFinding(judgement.verdict.kind));
    ++judged;
  }
  CHECK(judged == kPrograms);
}

}  // namespace
}  // namespace faultline::harness
