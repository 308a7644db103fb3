// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// c = cumsum(x); z = g(c)  ->  g runs on each output of the scan

#include "fusion/rules/rule.h"

namespace faultline::fusion {

// Requires that the value is the output of a scan and that the consumer is elementwise over its
// shape at the same index.
RuleAnswer ScanIntoElementwise(const Graph& graph, const Meeting& meeting) {
  const auto producer = static_cast<uint32_t>(graph.value(meeting.value).producer);
  if (!ir::HasTrait(graph.op(producer).op, ir::kScanning) ||
      graph.cluster(meeting.producer).kind != ClusterKind::kRow ||
      graph.cluster(meeting.consumer).kind != ClusterKind::kElement ||
      meeting.context != kFullContext) {
    return std::unexpected(CutReason::kNoRule);
  }
  if (!(graph.cluster(meeting.consumer).full == graph.cluster(meeting.producer).full)) {
    return std::unexpected(CutReason::kOtherSpace);
  }
  return Joining{.producer_hosts = true, .context = kFullContext};
}

}  // namespace faultline::fusion
