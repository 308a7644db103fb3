// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// y = f(x); z = cast(y)  ->  z = cast(f(x)) in one loop, stored in the new dtype

#include "fusion/rules/rule.h"

namespace faultline::fusion {

// Requires what elementwise_into_elementwise does, and that the consumer is a cast. The cast is
// never elided: it converts the register that holds y as rounded to its own dtype.
RuleAnswer CastIntoWrite(const Graph& graph, const Meeting& meeting) {
  if (graph.op(meeting.op).op != ir::Opcode::kCast) return std::unexpected(CutReason::kNoRule);
  return ElementwiseIntoElementwise(graph, meeting);
}

}  // namespace faultline::fusion
