// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// y = permute(x); z = g(y)  ->  z = g(x at permuted indices)

#include "fusion/rules/rule.h"

namespace faultline::fusion {

// Requires that the views between the loop and what is stored are one index map for every extent
// (IsFeasible): a reshape that is no mere change of unit axes must lie at the top, where the loop
// visits elements in its linear order, or at the bottom, on dense memory. A layout op on a
// quantized tensor must move codes, so that each element keeps its scale.
std::expected<void, CutReason> ViewIntoRead(Graph& graph, Cluster& cluster, const FormOp& op,
                                            int32_t context) {
  if (!ir::IsView(op.op)) return std::unexpected(CutReason::kNoRule);
  const uint32_t operand = graph.segment().OperandsOf(op)[0];
  if (!graph.Storable(operand)) return std::unexpected(CutReason::kShared);
  std::vector<PathStep> path = graph.PathOf(cluster, context);
  AppendMovementSteps(graph.segment(), op, path);
  if (!IsFeasible(path, graph.dense(operand))) return std::unexpected(CutReason::kInfeasible);
  return {};
}

}  // namespace faultline::fusion
