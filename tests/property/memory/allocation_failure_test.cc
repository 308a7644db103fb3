// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Every allocation of a program may fail: each in turn is made to. The rest of the program has to
// be right or to fail for want of memory, nothing may stay behind, and the engine has to be usable.
//
// FAULTLINE_SWEEP_PROGRAMS sets how many programs are swept (default 60).

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "harness/backend/registry.h"
#include "harness/backend/run.h"
#include "harness/generate/for_backend.h"
#include "harness/generate/generate.h"
#include "harness/oracle/judge.h"
#include "ir/print.h"
#include "reference/evaluate.h"

namespace faultline::harness {
namespace {

// A failure shows only if something reads what it spoils: after so many silent ones in a row there
// are no more allocations.
constexpr int kSilentMax = 24;

int64_t ProgramsToSweep() {
  const char* wanted = std::getenv("FAULTLINE_SWEEP_PROGRAMS");
  return wanted == nullptr ? 60 : std::strtoll(wanted, nullptr, 10);
}

bool RanOutOfMemory(const Observation& seen) {
  const auto out = [](const ir::Status& status) {
    return status.code() == ir::StatusCode::kOutOfMemory;
  };
  for (const auto& failure : seen.failures) {
    if (out(failure.status)) return true;
  }
  for (const ReadObservation& read : seen.reads) {
    if (out(read.status)) return true;
  }
  return false;
}

TEST_CASE("any one allocation of a program may fail") {
  const auto backend = MakeBackend({});
  REQUIRE(backend.has_value());
  const GenerateOptions options = OptionsFor(**backend);
  int64_t failures = 0;
  for (int64_t i = 0; i < ProgramsToSweep(); ++i) {
    ChoiceStream choices(MixSeed(11, static_cast<uint64_t>(i)));
    const ir::Program program = Generate(choices, options);
    const reference::Evaluation evaluation = reference::Evaluate(program, (*backend)->contract());
    RunOptions run;
    run.session.pool = i % 2 == 0 ? PoolMode::kGuard : PoolMode::kPitch;
    int silent = 0;
    for (int64_t n = 1; silent < kSilentMax; ++n) {
      run.session.fail_allocation = n;
      const Judgement judgement = JudgeProgram(program, **backend, run, &evaluation);
      INFO("program " << i << ", allocation " << n << ": " << judgement.verdict.message << "\n"
                      << ir::Print(program));
      REQUIRE_FALSE(IsFinding(judgement.verdict.kind));
      REQUIRE(judgement.observation.live == LiveCounts{});
      const bool failed = RanOutOfMemory(judgement.observation);
      silent = failed ? 0 : silent + 1;
      failures += failed ? 1 : 0;
    }
    run.session.fail_allocation = 0;
    const Judgement healthy = JudgeProgram(program, **backend, run, &evaluation);
    INFO("program " << i << " afterwards: " << healthy.verdict.message);
    REQUIRE_FALSE(IsFinding(healthy.verdict.kind));
  }
  CHECK(failures > ProgramsToSweep());
}

}  // namespace
}  // namespace faultline::harness
