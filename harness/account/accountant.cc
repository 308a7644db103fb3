// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/account/accountant.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "harness/account/sharpness.h"
#include "harness/backend/run.h"
#include "harness/generate/choice_stream.h"
#include "harness/generate/for_backend.h"
#include "harness/oracle/compare.h"
#include "reference/evaluate.h"

namespace faultline::harness {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kTimingPasses = 3;

int64_t StepNs(reference::Evaluator& evaluator, int statement) {
  const auto start = Clock::now();
  evaluator.Step(statement);
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
}

}  // namespace

Accountant::Accountant(std::unique_ptr<Backend> generated_for, std::unique_ptr<Backend> adversary,
                       uint64_t seed)
    : generated_for_(std::move(generated_for)),
      adversary_(std::move(adversary)),
      generate_(OptionsFor(*generated_for_)),
      seed_(seed) {}

void Accountant::Run(uint64_t index, Tally& tally) {
  ChoiceStream choices(MixSeed(seed_, index));
  const ir::Program program = Generate(choices, generate_);
  const reference::Contract& contract = adversary_->contract();
  if (index % kTimedOneIn == 0) Time(program, tally);
  const reference::Evaluation evaluation = reference::Evaluate(program, contract);
  const RunOptions run = {.session = {.chaos = MixSeed(seed_ + 1, index)}, .trace = false};
  const Observation observation = RunProgram(program, *adversary_, run);
  const Comparison comparison = Compare(program, contract, evaluation, observation);
  ++tally.programs;
  if (comparison.verdict.kind == VerdictKind::kVacuous) ++tally.vacuous_programs;
  if (IsFinding(comparison.verdict.kind)) {
    ++tally.flagged;
    tally.alarms.push_back({index, comparison.verdict.message});
    if (tally.alarms.size() > Tally::kAlarmsMax) tally.alarms.pop_back();
  }
  CountSharpness(program, contract, comparison.pinned ? *comparison.pinned : evaluation,
                 observation, tally);
}

void Accountant::Time(const ir::Program& program, Tally& tally) const {
  const std::vector<int64_t> enclosed = StatementTimes(program, true);
  const std::vector<int64_t> plain = StatementTimes(program, false);
  for (size_t i = 0; i < program.statements.size(); ++i) {
    const ir::Statement& statement = program.statements[i];
    tally.enclosed_ns += enclosed[i];
    tally.plain_ns += plain[i];
    if (statement.kind != ir::StatementKind::kApply) continue;
    OpTally& op = tally.ops[{statement.op, CountedDtype(program, statement)}];
    ++op.applications;
    op.enclosed_ns += enclosed[i];
    op.plain_ns += plain[i];
  }
}

// The least of several times, by statement: what else runs on the machine only adds.
std::vector<int64_t> Accountant::StatementTimes(const ir::Program& program, bool enclosures) const {
  std::vector<int64_t> least(program.statements.size(), std::numeric_limits<int64_t>::max());
  for (int pass = 0; pass < kTimingPasses; ++pass) {
    reference::Evaluator evaluator(program, adversary_->contract(), {.enclosures = enclosures});
    for (size_t i = 0; i < least.size(); ++i) {
      least[i] = std::min(least[i], StepNs(evaluator, static_cast<int>(i)));
    }
  }
  return least;
}

}  // namespace faultline::harness
