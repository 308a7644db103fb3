// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// A smaller program that shows the same fault: chunked delta debugging over a list of passes, each
// of which only ever proposes programs that verify. Knows of backends only what a Judge tells.

#ifndef HARNESS_REDUCE_REDUCE_H_
#define HARNESS_REDUCE_REDUCE_H_

#include <functional>
#include <string>
#include <string_view>

#include "harness/oracle/judge.h"
#include "ir/program.h"

namespace faultline::harness {

struct ReduceOptions {
  RunOptions run;
  double seconds_max = 10;
  int judged_max = 20000;
  // Called after each accepted step with the pass's name and the new program; may be empty.
  std::function<void(std::string_view pass, const ir::Program& program)> progress;
};

struct ReduceResult {
  ir::Program program;  // verifies; equal to the input if nothing could be taken away
  Judgement judgement;  // of `program`
  int judged = 0;       // programs tried
  int accepted = 0;
  bool reproduced = false;  // the input itself showed `key`; false: nothing was done
  bool minimal = false;     // a whole round of every pass found nothing more within the budget
};

// Requires a verified program. The result has the given key (Verdict::key) under `judge`.
ReduceResult Reduce(const ir::Program& program, std::string_view key, const Judge& judge,
                    const ReduceOptions& options);

}  // namespace faultline::harness

#endif  // HARNESS_REDUCE_REDUCE_H_
