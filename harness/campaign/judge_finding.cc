// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/campaign/judge_finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "harness/bisect/bisect.h"
#include "harness/campaign/make_finding.h"
#include "harness/oracle/forked_judge.h"
#include "harness/reduce/reduce.h"
#include "ir/parse.h"
#include "ir/print.h"

namespace faultline::harness {
namespace {

// Rules and ops of the launches that made the diverging program, sorted: what tells causes apart
// beyond the key.
std::string SignatureOf(const reports::Finding& finding) {
  std::vector<std::string> rules = finding.rules;
  std::vector<std::string> ops;
  for (const reports::FindingBlock& block : finding.blocks) {
    ops.insert(ops.end(), block.ops.begin(), block.ops.end());
    if (finding.rules.empty()) rules.insert(rules.end(), block.rules.begin(), block.rules.end());
  }
  for (std::vector<std::string>* names : {&rules, &ops}) {
    std::ranges::sort(*names);
    names->erase(std::ranges::unique(*names).begin(), names->end());
  }
  return fmt::format("{} rules={} ops={}", finding.key, fmt::join(rules, ","), fmt::join(ops, ","));
}

int Confirm(const Judge& judge, const ir::Program& program, const RunOptions& run,
            std::string_view key) {
  int confirmed = 0;
  for (int i = 0; i < kConfirmations; ++i) {
    if (judge(program, run).verdict.key == key) ++confirmed;
  }
  return confirmed;
}

}  // namespace

void JudgeFinding(const JudgeFindingOptions& options, reports::Finding& finding) {
  finding.signature = finding.key;
  const auto program = ir::ParseAndVerify(finding.program);
  if (!program) {
    finding.detail += "\nthe text does not verify: " + program.error().message();
    return;
  }
  const Judge judge = ForkedJudge([&] { return MakeBackend(options.backend); }, options.timeout_s);
  RunOptions run;
  run.fresh = true;
  if (finding.verdict == VerdictName(VerdictKind::kCrash)) {
    // What is known of a worker that died is its exit; a run of its own says what killed it.
    const Judgement again = judge(*program, run);
    if (again.verdict.kind == VerdictKind::kCrash) {
      DescribeVerdict(*program, again.verdict, nullptr, finding);
      finding.signature = finding.key;
    }
  }
  finding.attempts = kConfirmations;
  finding.confirmed = Confirm(judge, *program, run, finding.key);
  finding.history_dependent = finding.confirmed == 0;
  if (!finding.history_dependent) finding.history.clear();
  if (finding.confirmed == 0 || !options.reduce) return;

  ReduceOptions reduce;
  reduce.run = run;
  reduce.seconds_max = options.reduce_seconds;
  const ReduceResult reduced = Reduce(*program, finding.key, judge, reduce);
  if (!reduced.reproduced) return;
  finding.reduced = ir::Print(reduced.program);
  finding.reduced_ops = CountApplications(reduced.program);
  // Positions of the reduced text, for the line in the report.
  const auto printed = ir::Parse(finding.reduced);
  DescribeVerdict(printed ? *printed : reduced.program, reduced.judgement.verdict,
                  &reduced.judgement.observation.trace, finding);
  // Forced decisions of the program's header are answers already; what is bisected is the rest.
  BisectResult bisected = Bisect(reduced.program, finding.key, judge, run);
  finding.guilty = std::move(bisected.guilty);
  finding.rules = std::move(bisected.rules);
  finding.signature = SignatureOf(finding);
}

}  // namespace faultline::harness
