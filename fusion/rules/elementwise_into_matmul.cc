// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// a = cast(x); y = matmul(a, b)  ->  the cast runs while the product packs its operand

#include "fusion/rules/rule.h"

namespace faultline::fusion {

// Requires an elementwise producer all of whose values are used here alone. A packed operand has
// the bits that the stored one would have: rounded to its dtype, then widened.
RuleAnswer ElementwiseIntoMatmul(const Graph& graph, const Meeting& meeting) {
  if (graph.cluster(meeting.producer).kind != ClusterKind::kElement ||
      graph.cluster(meeting.consumer).kind != ClusterKind::kMatmul) {
    return std::unexpected(CutReason::kNoRule);
  }
  if (!OnlyUsedHere(graph, meeting)) return std::unexpected(CutReason::kShared);
  return Joining{.producer_hosts = false, .context = meeting.context};
}

}  // namespace faultline::fusion
