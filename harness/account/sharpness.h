// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// How wide the sets were that one observation was held against, by the op that made the value.

#ifndef HARNESS_ACCOUNT_SHARPNESS_H_
#define HARNESS_ACCOUNT_SHARPNESS_H_

#include "harness/account/tally.h"
#include "harness/backend/observation.h"
#include "ir/program.h"
#include "reference/contract.h"
#include "reference/evaluate.h"

namespace faultline::harness {

// The dtype an application is counted under: that of its first operand, or of its result.
ir::Dtype CountedDtype(const ir::Program& program, const ir::Statement& application);

// Adds every computed value of `program` that was read, once, as `evaluation` encloses it.
void CountSharpness(const ir::Program& program, const reference::Contract& contract,
                    const reference::Evaluation& evaluation, const Observation& observation,
                    Tally& tally);

}  // namespace faultline::harness

#endif  // HARNESS_ACCOUNT_SHARPNESS_H_
