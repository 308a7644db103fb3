// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/oracle/order.h"

#include <fmt/format.h>

#include <vector>

#include "harness/oracle/evidence.h"
#include "reference/certificate.h"

namespace faultline::harness {

Verdict CheckOrders(const ir::Program& program, const reference::Contract& contract,
                    const reference::Evaluation& evaluation,
                    std::span<const ir::HostTensor* const> observed) {
  Verdict verdict;
  std::vector<const ir::HostTensor*> results;
  for (const ir::Statement& statement : program.statements) {
    if (statement.kind != ir::StatementKind::kApply ||
        !ir::IsIndexResult(statement.op, statement.results.size() - 1)) {
      continue;
    }
    results.clear();
    for (const ir::ValueId result : statement.results) results.push_back(observed[result]);
    const reference::Enclosure& operand = *evaluation.values[statement.operands[0]].consumed;
    const auto wrong = reference::CheckOrder(statement, operand, results, contract);
    if (!wrong.has_value()) continue;
    verdict.kind = VerdictKind::kDivergence;
    verdict.aspect = Aspect::kNumber;
    verdict.pattern = MismatchPattern::kSingle;
    verdict.mismatches = 1;
    DescribeValue(program, statement.results[wrong->result], verdict);
    verdict.message = fmt::format("%{} ({}): element {} {}; no order of %{} gives this result",
                                  verdict.value, verdict.type, wrong->element, wrong->reason,
                                  program.values[statement.operands[0]].name);
    return verdict;
  }
  return verdict;
}

}  // namespace faultline::harness
