// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Holds what a backend gave against what a correct execution could give. Runs nothing but the
// reference, and that again only where a read value was not a point and something read depends on
// it (observation splitting).

#ifndef HARNESS_ORACLE_COMPARE_H_
#define HARNESS_ORACLE_COMPARE_H_

#include <optional>

#include "harness/backend/observation.h"
#include "harness/oracle/verdict.h"
#include "ir/program.h"
#include "reference/contract.h"
#include "reference/evaluate.h"

namespace faultline::harness {

struct CompareOptions {
  // Allocations were made to fail, so that a call may say out of memory.
  bool memory_may_run_out = false;
};

struct Comparison {
  Verdict verdict;
  CompareStatistics statistics;
  // What was decided by, where observed values were taken as given; else it was `evaluation`.
  std::optional<reference::Evaluation> pinned;
};

// `evaluation` was made of `program` under `contract` without pins. The verdict is agree,
// divergence, leak, unsupported or vacuous (nothing compared could have failed); the earliest
// wrong statement is the one reported.
Comparison Compare(const ir::Program& program, const reference::Contract& contract,
                   const reference::Evaluation& evaluation, const Observation& observation,
                   const CompareOptions& options = {});

}  // namespace faultline::harness

#endif  // HARNESS_ORACLE_COMPARE_H_
