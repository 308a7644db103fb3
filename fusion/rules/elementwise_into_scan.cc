// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// y = f(x); c = cumsum(y)  ->  the scan runs over f(x) as it is computed

#include "fusion/rules/rule.h"

namespace faultline::fusion {

// Requires an elementwise producer and a scan over a value of the same shape, or one used here
// alone.
RuleAnswer ElementwiseIntoScan(const Graph& graph, const Meeting& meeting) {
  if (graph.cluster(meeting.producer).kind != ClusterKind::kElement ||
      graph.cluster(meeting.consumer).kind != ClusterKind::kRow ||
      !ir::HasTrait(graph.op(meeting.op).op, ir::kScanning)) {
    return std::unexpected(CutReason::kNoRule);
  }
  return IntoConsumer(graph, meeting);
}

}  // namespace faultline::fusion
