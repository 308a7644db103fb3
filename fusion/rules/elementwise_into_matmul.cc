// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// a = cast(x); y = matmul(a, b)  ->  the cast runs while the product packs its operand

#include "fusion/rules/rule.h"

namespace faultline::fusion {

// Requires an elementwise producer all of whose values are used here alone, and an operand that is
// not broadcast along batch axes, which would compute it again for each. A packed operand has the
// bits that the stored one would have: rounded to its dtype, then widened.
RuleAnswer ElementwiseIntoMatmul(const Graph& graph, const Meeting& meeting) {
  const Cluster& consumer = graph.cluster(meeting.consumer);
  if (graph.cluster(meeting.producer).kind != ClusterKind::kElement ||
      consumer.kind != ClusterKind::kMatmul) {
    return std::unexpected(CutReason::kNoRule);
  }
  const SymbolicShape& operand = graph.value(meeting.value).shape;
  if (operand.rank != consumer.full.rank) return std::unexpected(CutReason::kOtherSpace);
  for (int i = 0; i < operand.rank - 2; ++i) {
    if (operand[i] != consumer.full[i]) return std::unexpected(CutReason::kOtherSpace);
  }
  if (!OnlyUsedHere(graph, meeting)) return std::unexpected(CutReason::kShared);
  return Joining{.producer_hosts = false, .context = meeting.context};
}

}  // namespace faultline::fusion
