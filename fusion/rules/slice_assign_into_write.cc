// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// y = f(x); z = slice_assign(base, y)  ->  f stores straight into its place in a copy of base

#include "fusion/rules/rule.h"

namespace faultline::fusion {

// Requires an elementwise producer all of whose values are used here alone, and that y is the value
// that is written and not the base. The base is copied before, or taken over, in a step of its own;
// the producer cannot read that copy, because its result comes after.
RuleAnswer SliceAssignIntoWrite(const Graph& graph, const Meeting& meeting) {
  if (graph.cluster(meeting.producer).kind != ClusterKind::kElement ||
      graph.cluster(meeting.consumer).kind != ClusterKind::kSliceAssign ||
      graph.cluster(meeting.consumer).tensors.size() != 1) {
    return std::unexpected(CutReason::kNoRule);
  }
  if (!OnlyUsedHere(graph, meeting)) return std::unexpected(CutReason::kShared);
  return Joining{.producer_hosts = false, .context = meeting.context};
}

}  // namespace faultline::fusion
