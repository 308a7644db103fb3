// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// `expect` and `expect-error` lines: literal results that were not computed by us. They are held
// against the reference first (the file is bad if it disagrees), then the backend's bytes are held
// against them.

#ifndef HARNESS_ORACLE_EXPECT_H_
#define HARNESS_ORACLE_EXPECT_H_

#include "harness/oracle/verdict.h"
#include "ir/base/status.h"
#include "ir/data.h"
#include "ir/program.h"
#include "reference/evaluate.h"

namespace faultline::harness {

// Whether each expected element is the only member of its set and each expected error is the
// predicted one, under our own contract. kInvalidProgram with the position of the line if not.
// Evaluates the program if it has such lines.
ir::Status VerifyExpects(const ir::Program& program);

// Holds an admissible tensor that was read as `value` against its expect line, if it has one.
// Returns false, with the verdict filled in, if they differ. An element whose set has several
// members under the backend's own contract is left to the set.
bool CheckExpect(const ir::Program& program, ir::ValueId value,
                 const reference::Evaluated& evaluated, const ir::HostTensor& tensor,
                 Verdict& verdict);

// The code that an `expect-error` line demands of a read, kOk if there is none.
ir::StatusCode ExpectedError(const ir::Program& program, const ir::Statement& read);

}  // namespace faultline::harness

#endif  // HARNESS_ORACLE_EXPECT_H_
