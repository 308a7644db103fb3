// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// s = sum(x); z = g(s)  ->  g runs once a row, on the reduced value

#include <algorithm>

#include "fusion/rules/rule.h"

namespace faultline::fusion {

// Requires that the consumer is elementwise over the reduced shape and that everything it takes
// from this launch is a value of a row: a row phase cannot see elements, and its loop is not that
// of the reduced shape, so that nothing in it may depend on its position. A reduced value may be
// stored as well.
RuleAnswer ReductionIntoElementwise(const Graph& graph, const Meeting& meeting) {
  const Cluster& producer = graph.cluster(meeting.producer);
  const Cluster& consumer = graph.cluster(meeting.consumer);
  if (producer.kind != ClusterKind::kRow || consumer.kind != ClusterKind::kElement ||
      meeting.context != kFullContext || !(consumer.full == producer.row_shape)) {
    return std::unexpected(CutReason::kNoRule);
  }
  if (ComputesPositions(graph, meeting.consumer)) return std::unexpected(CutReason::kInfeasible);
  for (const Member& member : consumer.members) {
    for (uint32_t v : graph.segment().OperandsOf(graph.op(member.op))) {
      if (graph.ProducerCluster(v) == meeting.producer &&
          graph.FindRowMember(producer, v) == nullptr) {
        return std::unexpected(CutReason::kNoRule);
      }
    }
  }
  return Joining{.producer_hosts = true, .context = kRowContext};
}

}  // namespace faultline::fusion
