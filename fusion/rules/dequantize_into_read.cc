// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// y = dequantize(q); z = g(y)  ->  z = g(code * scale), decoded where it is loaded

#include "fusion/rules/rule.h"

namespace faultline::fusion {

// Requires that the producing op is a dequantize and that a rule for elementwise producers joins
// the two. The register holds fl32(code * scale) rounded to the declared dtype, which is what a
// stored y would hold.
RuleAnswer DequantizeIntoRead(const Graph& graph, const Meeting& meeting) {
  const auto producer = static_cast<uint32_t>(graph.value(meeting.value).producer);
  if (graph.op(producer).op != ir::Opcode::kDequantize) return std::unexpected(CutReason::kNoRule);
  for (const auto rule : {ElementwiseIntoElementwise, ElementwiseIntoReduction, ElementwiseIntoScan,
                          ElementwiseIntoMatmul, ElementwiseIntoQuantize}) {
    RuleAnswer answer = rule(graph, meeting);
    if (answer.has_value() || answer.error() != CutReason::kNoRule) return answer;
  }
  return std::unexpected(CutReason::kNoRule);
}

}  // namespace faultline::fusion
