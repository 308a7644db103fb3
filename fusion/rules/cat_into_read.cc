// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// y = cat(a, b); z = g(y)  ->  z = g(a or b, by position along the joined axis)

#include <algorithm>

#include "fusion/rules/rule.h"

namespace faultline::fusion {

// Requires plain parts that can be had in memory, and a loop that visits the joined tensor in its
// linear order: which part an element comes from is then a matter of its linear index.
std::expected<void, CutReason> CatIntoRead(Graph& graph, Cluster& cluster, const FormOp& op,
                                           int32_t context) {
  if (!ir::HasTrait(op.op, ir::kJoin)) return std::unexpected(CutReason::kNoRule);
  for (uint32_t part : graph.segment().OperandsOf(op)) {
    if (graph.value(part).quantized() || !graph.Storable(part)) {
      return std::unexpected(CutReason::kShared);
    }
  }
  if (!KeepsLinearOrder(graph.PathOf(cluster, context))) {
    return std::unexpected(CutReason::kInfeasible);
  }
  return {};
}

}  // namespace faultline::fusion
