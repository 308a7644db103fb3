// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// What a program means, for people: values, admissible sets and predicted errors as text.

#ifndef HARNESS_ORACLE_EXPLAIN_H_
#define HARNESS_ORACLE_EXPLAIN_H_

#include <string>

#include "ir/program.h"
#include "reference/contract.h"

namespace faultline::harness {

// A line a value, in the order of their statements, with the plain result and the admissible set of
// its first `elements_max` elements, then the prediction of each read.
std::string ExplainProgram(const ir::Program& program, const reference::Contract& contract,
                           int64_t elements_max);

}  // namespace faultline::harness

#endif  // HARNESS_ORACLE_EXPLAIN_H_
