// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// y = matmul(a, b); z = g(y + bias)  ->  g runs on a panel of the product

#include "fusion/rules/rule.h"

namespace faultline::fusion {

// Requires that the consumer is elementwise over the shape of the product, at the same index. The
// tail starts from the product rounded to its dtype; the product may be stored as well.
RuleAnswer MatmulIntoElementwise(const Graph& graph, const Meeting& meeting) {
  const Cluster& producer = graph.cluster(meeting.producer);
  const Cluster& consumer = graph.cluster(meeting.consumer);
  if (producer.kind != ClusterKind::kMatmul || consumer.kind != ClusterKind::kElement ||
      meeting.context != kFullContext) {
    return std::unexpected(CutReason::kNoRule);
  }
  if (!(consumer.full == producer.full)) return std::unexpected(CutReason::kOtherSpace);
  return Joining{.producer_hosts = true, .context = kFullContext};
}

}  // namespace faultline::fusion
