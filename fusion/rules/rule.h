// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Fusion rules. A rule looks at a producer and a consumer that meet over a value and says whether
// one launch may compute both, and how. Laws:
// 1. Deterministic: the answer follows from the graph alone, which knows no extents.
// 2. Total: any two clusters that meet may be shown to any rule.
// 3. A rule looks and does not touch; the search joins, and keeps dependences acyclic.
// 4. Joined or not, every stored value has the same bits.

#ifndef FUSION_RULES_RULE_H_
#define FUSION_RULES_RULE_H_

#include <cstdint>
#include <expected>
#include <span>

#include "fusion/plan/graph.h"
#include "fusion/trace.h"

namespace faultline::fusion {

// `consumer` needs `value`, which `producer` makes, at `context` (of the consumer).
struct Meeting {
  uint32_t producer = 0;  // clusters
  uint32_t consumer = 0;
  uint32_t value = 0;
  uint32_t op = 0;  // the consuming op
  int32_t context = kFullContext;
  // The value and every view of it on the way have this one use.
  bool single_use = false;
};

// Who takes whom in, and at which context of the host.
struct Joining {
  bool producer_hosts = false;
  int32_t context = kFullContext;
};

using RuleAnswer = std::expected<Joining, CutReason>;

struct JoinRule {
  Rule rule;
  RuleAnswer (*meet)(const Graph& graph, const Meeting& meeting);
};

// Rules that join two clusters, in the order in which they are tried: the first that does not
// answer kNoRule decides.
std::span<const JoinRule> JoinRules();

// A movement or creation op that a consumer may look through instead of loading its result.
struct ThroughRule {
  Rule rule;
  // Whether `op` may be looked through at `context` of the cluster (kNoRule: not of this kind).
  std::expected<void, CutReason> (*look)(Graph& graph, Cluster& cluster, const FormOp& op,
                                         int32_t context);
};
std::span<const ThroughRule> ThroughRules();

RuleAnswer ElementwiseIntoElementwise(const Graph& graph, const Meeting& meeting);
RuleAnswer CastIntoWrite(const Graph& graph, const Meeting& meeting);
RuleAnswer DequantizeIntoRead(const Graph& graph, const Meeting& meeting);
RuleAnswer ElementwiseIntoQuantize(const Graph& graph, const Meeting& meeting);
RuleAnswer ElementwiseIntoReduction(const Graph& graph, const Meeting& meeting);
RuleAnswer ElementwiseIntoScan(const Graph& graph, const Meeting& meeting);
RuleAnswer ReductionIntoElementwise(const Graph& graph, const Meeting& meeting);
RuleAnswer RowReductions(const Graph& graph, const Meeting& meeting);
RuleAnswer ScanIntoElementwise(const Graph& graph, const Meeting& meeting);
RuleAnswer MatmulIntoElementwise(const Graph& graph, const Meeting& meeting);
RuleAnswer ElementwiseIntoMatmul(const Graph& graph, const Meeting& meeting);
RuleAnswer SliceAssignIntoWrite(const Graph& graph, const Meeting& meeting);

// Whether op `o` may be made by the launch of its sibling, the op before it.
bool ResultsTogether(const Graph& graph, uint32_t o);

std::expected<void, CutReason> ViewIntoRead(Graph& graph, Cluster& cluster, const FormOp& op,
                                            int32_t context);
std::expected<void, CutReason> GatherIntoRead(Graph& graph, Cluster& cluster, const FormOp& op,
                                              int32_t context);
std::expected<void, CutReason> CatIntoRead(Graph& graph, Cluster& cluster, const FormOp& op,
                                           int32_t context);

// Shared by the rules: what a join in one direction takes.

// The producer's values are used by nothing but itself and this one use of `value`, and none is
// stored: it may be computed at any index instead.
bool OnlyUsedHere(const Graph& graph, const Meeting& meeting);
// Whether a member of the cluster depends on its position, and so on the loop it is in.
bool ComputesPositions(const Graph& graph, uint32_t cluster);
// Joins an elementwise producer into the consumer: at the same index if `value` is needed where it
// is made, else at the context it is needed at.
RuleAnswer IntoConsumer(const Graph& graph, const Meeting& meeting);

}  // namespace faultline::fusion

#endif  // FUSION_RULES_RULE_H_
