// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// v = max(x); i = argmax(x)  ->  one launch, where both are results of one op

#include "fusion/rules/rule.h"

namespace faultline::fusion {

// Requires that the op before makes another result of the same application, hence from the same
// operand along the same axis, and that its launch still works on that operand as it is: its rows,
// or the sort of it.
bool ResultsTogether(const Graph& graph, uint32_t o) {
  if (o == 0 || !graph.op(o).sibling) return false;
  const FormOp& before = graph.op(o - 1);
  const uint32_t c = graph.ClusterOf(o - 1);
  if (c == kNoCluster) return false;
  const Cluster& cluster = graph.cluster(c);
  if (!cluster.alive || cluster.members.size() >= kClusterMembersMax) return false;
  if (cluster.kind == ClusterKind::kSort) return true;
  const uint32_t operand = graph.segment().OperandsOf(before)[0];
  return ir::HasTrait(before.op, ir::kReducing) && cluster.kind == ClusterKind::kRow &&
         cluster.full == graph.value(operand).shape && cluster.axis == AxisOf(before) &&
         graph.FindRowMember(cluster, before.result) != nullptr;
}

}  // namespace faultline::fusion
