// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/oracle/judge.h"

#include <fmt/format.h>

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/oracle/compare.h"
#include "harness/oracle/needs.h"
#include "ir/print.h"
#include "reference/evaluate.h"

namespace faultline::harness {
namespace {

Judgement Undecided(VerdictKind kind, int statement, std::string message) {
  Judgement judgement;
  judgement.verdict.kind = kind;
  judgement.verdict.statement = statement;
  judgement.verdict.message = std::move(message);
  judgement.verdict.key = KeyOf(judgement.verdict);
  return judgement;
}

// The inputs of a program, made once for all that need them.
class Inputs {
 public:
  explicit Inputs(const ir::Program& program) : by_value_(program.values.size()) {
    for (const ir::Statement& statement : program.statements) {
      if (statement.kind != ir::StatementKind::kInput) continue;
      const ir::ValueId value = statement.results[0];
      tensors_.push_back(ir::Materialize(*statement.data, program.TypeOf(value)));
      by_value_[value] = &tensors_.back();
    }
  }
  Inputs(const Inputs&) = delete;
  Inputs& operator=(const Inputs&) = delete;

  std::span<const ir::HostTensor* const> by_value() const { return by_value_; }

 private:
  std::deque<ir::HostTensor> tensors_;
  std::vector<const ir::HostTensor*> by_value_;
};

// The first statement that the backend does not support, as an undecided judgement.
std::optional<Judgement> FindUnsupported(const ir::Program& program, const Backend& backend) {
  std::vector<ir::Type> operands;
  std::vector<ir::Type> results;
  for (size_t i = 0; i < program.statements.size(); ++i) {
    const ir::Statement& statement = program.statements[i];
    if (statement.kind != ir::StatementKind::kApply) continue;
    operands.clear();
    results.clear();
    for (ir::ValueId value : statement.operands) operands.push_back(program.TypeOf(value));
    for (ir::ValueId value : statement.results) results.push_back(program.TypeOf(value));
    const ir::Status status =
        backend.Supports(statement.op, statement.attributes, operands, results);
    if (status.ok()) continue;
    return Undecided(
        VerdictKind::kUnsupported, static_cast<int>(i),
        fmt::format("`{}`: {}", ir::PrintStatement(program, statement), status.message()));
  }
  return std::nullopt;
}

}  // namespace

Judgement JudgeProgram(const ir::Program& program, Backend& backend, const RunOptions& options,
                       const reference::Evaluation* evaluation) {
  RunOptions run = options;
  Needs needs;
  if (!program.header.needs.empty()) {
    ir::Result<Needs> parsed = ParseNeeds(program.header.needs);
    if (!parsed.has_value()) {
      return Undecided(VerdictKind::kInconclusive, -1, "needs: " + parsed.error().message());
    }
    needs = std::move(*parsed);
    ApplyNeeds(needs, run);
    run.trace |= !needs.fused.empty();
  }
  run.session.decisions.insert(run.session.decisions.end(), program.header.decisions.begin(),
                               program.header.decisions.end());
  if (std::optional<Judgement> unsupported = FindUnsupported(program, backend)) {
    return std::move(*unsupported);
  }
  const Inputs inputs(program);
  reference::Evaluation made;
  if (evaluation == nullptr) {
    made = reference::Evaluate(program, backend.contract(), {}, {.inputs = inputs.by_value()});
    evaluation = &made;
  }
  Judgement judgement;
  judgement.observation = RunProgram(program, backend, run, inputs.by_value());
  const CompareOptions compare = {.memory_may_run_out = run.session.memory_limit > 0 ||
                                                        run.session.fail_allocation > 0};
  Comparison comparison =
      Compare(program, backend.contract(), *evaluation, judgement.observation, compare);
  judgement.verdict = std::move(comparison.verdict);
  judgement.statistics = std::move(comparison.statistics);
  if (judgement.verdict.kind == VerdictKind::kAgree && run.session.fusion) {
    const std::string unmet = UnmetFusion(needs, judgement.observation.trace);
    if (!unmet.empty()) {
      judgement.verdict.kind = VerdictKind::kVacuous;
      judgement.verdict.message = fmt::format("the plan does not meet {}", unmet);
      judgement.verdict.key = KeyOf(judgement.verdict);
    }
  }
  return judgement;
}

Judge InProcessJudge(Backend& backend) {
  return [&backend](const ir::Program& program, const RunOptions& options) {
    return JudgeProgram(program, backend, options);
  };
}

}  // namespace faultline::harness
