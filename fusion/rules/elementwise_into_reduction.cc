// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// y = f(x); s = sum(y)  ->  the reduction folds f(x) as it is computed

#include "fusion/rules/rule.h"

namespace faultline::fusion {

// Requires an elementwise producer and a reduction (or another row-wise op that is no scan), and
// that y has the shape that is reduced, or is used here alone. y may be stored by the same loop;
// then it is written at its own place while rows are walked along the reduced axis.
RuleAnswer ElementwiseIntoReduction(const Graph& graph, const Meeting& meeting) {
  const Cluster& consumer = graph.cluster(meeting.consumer);
  if (graph.cluster(meeting.producer).kind != ClusterKind::kElement ||
      consumer.kind != ClusterKind::kRow ||
      !ir::HasTrait(graph.op(meeting.op).op, ir::kReducing | ir::kRowwise)) {
    return std::unexpected(CutReason::kNoRule);
  }
  return IntoConsumer(graph, meeting);
}

}  // namespace faultline::fusion
