// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Observed indices held against what they index, row by row: an oracle of whole results, where
// comparison element by element says nothing more.

#ifndef HARNESS_ORACLE_ORDER_H_
#define HARNESS_ORACLE_ORDER_H_

#include <span>

#include "harness/oracle/verdict.h"
#include "ir/data.h"
#include "ir/program.h"
#include "reference/contract.h"
#include "reference/evaluate.h"

namespace faultline::harness {

// `observed` gives by value what its first read gave, or null. Verdict::statement is left open.
Verdict CheckOrders(const ir::Program& program, const reference::Contract& contract,
                    const reference::Evaluation& evaluation,
                    std::span<const ir::HostTensor* const> observed);

}  // namespace faultline::harness

#endif  // HARNESS_ORACLE_ORDER_H_
