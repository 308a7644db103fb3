// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Program in, verdict out: evaluates the reference, runs the backend, compares. All that reduction,
// bisection and campaigns know of a backend.

#ifndef HARNESS_ORACLE_JUDGE_H_
#define HARNESS_ORACLE_JUDGE_H_

#include <functional>

#include "harness/backend/backend.h"
#include "harness/backend/observation.h"
#include "harness/backend/run.h"
#include "harness/oracle/verdict.h"
#include "ir/program.h"

namespace faultline::reference {
struct Evaluation;
}  // namespace faultline::reference

namespace faultline::harness {

struct Judgement {
  Verdict verdict;
  Observation observation;
  CompareStatistics statistics;
};

// Judges a verified program. Deterministic up to what the backend's contract leaves free.
using Judge = std::function<Judgement(const ir::Program&, const RunOptions&)>;

// Evaluates `program` under the backend's contract (unless `evaluation`, made without pins under
// that contract, is handed in), runs it, and holds the observation against the evaluation. The
// program's `# needs:` and `# decisions:` are applied on top of `options`. Requires a verified
// program.
Judgement JudgeProgram(const ir::Program& program, Backend& backend, const RunOptions& options,
                       const reference::Evaluation* evaluation = nullptr);

// A Judge in this process on one backend; a crash of the backend is a crash of the caller.
Judge InProcessJudge(Backend& backend);

}  // namespace faultline::harness

#endif  // HARNESS_ORACLE_JUDGE_H_
