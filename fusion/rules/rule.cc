// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/rules/rule.h"

#include <algorithm>

namespace faultline::fusion {
namespace {

// The more special first. Each answers kNoRule for what is not its own.
constexpr JoinRule kJoinRules[] = {
    {Rule::kDequantizeIntoRead, DequantizeIntoRead},
    {Rule::kCastIntoWrite, CastIntoWrite},
    {Rule::kElementwiseIntoElementwise, ElementwiseIntoElementwise},
    {Rule::kElementwiseIntoQuantize, ElementwiseIntoQuantize},
    {Rule::kElementwiseIntoReduction, ElementwiseIntoReduction},
    {Rule::kElementwiseIntoScan, ElementwiseIntoScan},
    {Rule::kElementwiseIntoMatmul, ElementwiseIntoMatmul},
    {Rule::kSliceAssignIntoWrite, SliceAssignIntoWrite},
    {Rule::kReductionIntoElementwise, ReductionIntoElementwise},
    {Rule::kScanIntoElementwise, ScanIntoElementwise},
    {Rule::kRowReductions, RowReductions},
    {Rule::kMatmulIntoElementwise, MatmulIntoElementwise},
};

constexpr ThroughRule kThroughRules[] = {
    {Rule::kViewIntoRead, ViewIntoRead},
    {Rule::kGatherIntoRead, GatherIntoRead},
    {Rule::kCatIntoRead, CatIntoRead},
};

}  // namespace

std::span<const JoinRule> JoinRules() { return kJoinRules; }
std::span<const ThroughRule> ThroughRules() { return kThroughRules; }

bool OnlyUsedHere(const Graph& graph, const Meeting& meeting) {
  if (!meeting.single_use) return false;
  const Cluster& producer = graph.cluster(meeting.producer);
  for (const Member& member : producer.members) {
    const uint32_t result = graph.op(member.op).result;
    if (graph.stored(result)) return false;
    if (result == meeting.value) continue;
    uint32_t inside = 0;
    const auto count = [&](uint32_t op) {
      const auto operands = graph.segment().OperandsOf(graph.op(op));
      inside += static_cast<uint32_t>(std::ranges::count(operands, result));
    };
    for (const Member& other : producer.members) count(other.op);
    for (const Through& through : producer.through) {
      count(static_cast<uint32_t>(graph.value(through.value).producer));
    }
    if (inside != graph.uses(result)) return false;
  }
  return true;
}

bool ComputesPositions(const Graph& graph, uint32_t cluster) {
  return std::ranges::any_of(graph.cluster(cluster).members, [&](const Member& member) {
    return IsPositional(graph.op(member.op));
  });
}

RuleAnswer IntoConsumer(const Graph& graph, const Meeting& meeting) {
  const Cluster& producer = graph.cluster(meeting.producer);
  const Cluster& consumer = graph.cluster(meeting.consumer);
  if (meeting.context == kFullContext) {
    if (!(producer.full == consumer.full)) return std::unexpected(CutReason::kOtherSpace);
    return Joining{.producer_hosts = false, .context = kFullContext};
  }
  if (!OnlyUsedHere(graph, meeting)) return std::unexpected(CutReason::kShared);
  if (ComputesPositions(graph, meeting.producer)) return std::unexpected(CutReason::kInfeasible);
  return Joining{.producer_hosts = false, .context = meeting.context};
}

}  // namespace faultline::fusion
