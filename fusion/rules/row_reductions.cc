// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// m = max(x); e = exp(x - m); s = sum(e); y = e / s  ->  one launch, row by row

#include "fusion/fault.h"
#include "fusion/rules/rule.h"

namespace faultline::fusion {

// Requires a producer that works on rows, and a consumer that is either elementwise over the full
// shape (it takes elements, or reduced values broadcast along the row), or itself works on rows of
// the same shape along the same axis. What an element of a later phase needs of its row is known
// when the phase begins.
RuleAnswer RowReductions(const Graph& graph, const Meeting& meeting) {
  const Cluster& producer = graph.cluster(meeting.producer);
  const Cluster& consumer = graph.cluster(meeting.consumer);
  if (producer.kind != ClusterKind::kRow) return std::unexpected(CutReason::kNoRule);
  if (consumer.kind != ClusterKind::kElement && consumer.kind != ClusterKind::kRow) {
    return std::unexpected(CutReason::kNoRule);
  }
  if (!(consumer.full == producer.full)) return std::unexpected(CutReason::kOtherSpace);
  // What is not wanted for each element is a value of the row, wanted as such or for each of its
  // elements; in rows of one element the shapes do not tell.
  if (meeting.context != kFullContext) {
    const auto broadcasts = [&](const Context& at) {
      return at.parent == kFullContext &&
             at.step == ExpandStep(producer.full, producer.row_shape);
    };
    const bool of_row = meeting.context == kRowContext || broadcasts(consumer.At(meeting.context));
    if (!of_row || graph.FindRowMember(producer, meeting.value) == nullptr) {
      return std::unexpected(CutReason::kOtherSpace);
    }
  }
  if (consumer.kind == ClusterKind::kRow && consumer.axis != producer.axis &&
      !FAULT(rows_of_other_axis)) {
    return std::unexpected(CutReason::kOtherSpace);
  }
  return Joining{.producer_hosts = true, .context = kFullContext};
}

}  // namespace faultline::fusion
