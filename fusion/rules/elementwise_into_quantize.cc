// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// y = g(x); q = quantize(y)  ->  y is computed where it is quantized, and not kept

#include "fusion/rules/rule.h"

namespace faultline::fusion {

// Requires an elementwise producer all of whose values are used here alone. What is quantized has
// the bits that the stored y would have: rounded to its dtype, then widened. Given scales are read
// as they are.
RuleAnswer ElementwiseIntoQuantize(const Graph& graph, const Meeting& meeting) {
  const Cluster& consumer = graph.cluster(meeting.consumer);
  if (graph.cluster(meeting.producer).kind != ClusterKind::kElement ||
      consumer.kind != ClusterKind::kQuantize) {
    return std::unexpected(CutReason::kNoRule);
  }
  if (!consumer.tensors.empty()) return std::unexpected(CutReason::kNoRule);
  if (!OnlyUsedHere(graph, meeting)) return std::unexpected(CutReason::kShared);
  return Joining{.producer_hosts = false, .context = meeting.context};
}

}  // namespace faultline::fusion
