// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// y = f(x); z = g(y)  ->  z = g(f(x)) in one loop, y in a register

#include "fusion/rules/rule.h"

namespace faultline::fusion {

// Requires that both sides are elementwise, and either
// - z needs y at the index at which it is made and both have the same shape: y may then also be
//   stored and used elsewhere, or
// - z needs y through views or a broadcast, and this is the only use of y and of everything
//   computed on the way to it: y is then computed at the index at which it is needed.
// The register holds y as rounded to its dtype, so z has the same bits either way. Results of
// movement ops are copied bitwise by a launch of their own and are not kept in registers.
RuleAnswer ElementwiseIntoElementwise(const Graph& graph, const Meeting& meeting) {
  if (graph.cluster(meeting.producer).kind != ClusterKind::kElement ||
      graph.cluster(meeting.consumer).kind != ClusterKind::kElement) {
    return std::unexpected(CutReason::kNoRule);
  }
  return IntoConsumer(graph, meeting);
}

}  // namespace faultline::fusion
