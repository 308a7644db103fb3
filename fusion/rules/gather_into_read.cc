// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// y = gather(x, i); z = g(y)  ->  z = g(x at looked-up indices)

#include <algorithm>

#include "fusion/rules/rule.h"

namespace faultline::fusion {

// Requires a plain tensor, at most one lookup on the way down, and a feasible map. The index tensor
// is checked as a whole before the launch, so that reading only part of it hides no error.
std::expected<void, CutReason> GatherIntoRead(Graph& graph, Cluster& cluster, const FormOp& op,
                                              int32_t context) {
  if (!ir::HasTrait(op.op, ir::kIndexing)) return std::unexpected(CutReason::kNoRule);
  const uint32_t operand = graph.segment().OperandsOf(op)[0];
  if (graph.value(operand).quantized() || !graph.Storable(operand) ||
      !graph.Storable(graph.segment().OperandsOf(op)[1])) {
    return std::unexpected(CutReason::kShared);
  }
  std::vector<PathStep> path = graph.PathOf(cluster, context);
  if (std::ranges::find(path, StepKind::kGather, &PathStep::kind) != path.end()) {
    return std::unexpected(CutReason::kInfeasible);
  }
  if (!IsFeasible(path, true)) return std::unexpected(CutReason::kInfeasible);
  AppendMovementSteps(graph.segment(), op, path);
  if (!IsFeasible(path, graph.dense(operand))) return std::unexpected(CutReason::kInfeasible);
  return {};
}

}  // namespace faultline::fusion
