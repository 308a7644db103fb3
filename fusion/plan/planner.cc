// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/plan/planner.h"

#include <utility>
#include <vector>

#include "fusion/lower/lower.h"
#include "fusion/plan/graph.h"
#include "fusion/plan/in_place.h"
#include "fusion/plan/search.h"
#include "ir/base/check.h"

namespace faultline::fusion {
namespace {

void DescribeValues(const Segment& segment, const Graph& graph, Plan& plan) {
  plan.values.reserve(segment.values.size());
  for (uint32_t v = 0; v < segment.values.size(); ++v) {
    const FormValue& value = segment.values[v];
    plan.values.push_back(
        {value.element, value.shape, graph.stored(v), value.survives, value.producer});
  }
}

// Clusters so that each comes after those it depends on, in program order where that leaves a
// choice.
std::vector<uint32_t> OrderClusters(const Graph& graph) {
  const auto count = static_cast<uint32_t>(graph.segment().ops.size());
  std::vector<uint32_t> waiting;
  for (uint32_t c = 0; c < count; ++c) {
    if (graph.cluster(c).alive) waiting.push_back(c);
  }
  std::vector<uint32_t> order;
  ClusterSet done;
  while (!waiting.empty()) {
    bool moved = false;
    for (size_t i = 0; i < waiting.size(); ++i) {
      const uint32_t c = waiting[i];
      if (!done.HasAll(graph.cluster(c).depends)) continue;
      done.Add(c);
      order.push_back(c);
      waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(i));
      moved = true;
      break;
    }
    FAULTLINE_CHECK(moved, "clusters depend on each other in a cycle");
  }
  return order;
}

// What depends on size when a plan runs. As decisions, so that small tensors get there too.
void DecideSizes(const Segment& segment, const EngineFacts& facts, Chooser& chooser, Plan& plan) {
  if (!segment.fusion) return;
  for (PlanStep& step : plan.steps) {
    const uint32_t y = step.outputs.empty() ? step.to.value : step.outputs[0];
    if (y >= segment.values.size()) continue;
    const auto decide = [&](DecisionKind kind, uint8_t alternatives, uint8_t preferred) {
      PlanDecision decision;
      decision.kind = kind;
      decision.alternatives = alternatives;
      decision.choice = preferred;
      decision.a = y;
      decision.b = y;
      decision.choice = chooser.Choose(decision);
      plan.decisions.push_back(decision);
      return decision.choice;
    };
    if (facts.threaded) step.threads = decide(DecisionKind::kThreads, 3, 1);
    const bool tiled = step.kind == LaunchKind::kBlock || step.kind == LaunchKind::kMatmul;
    if (tiled) step.tiles = decide(DecisionKind::kTiles, 2, 0);
    const auto tiers = static_cast<uint8_t>(step.kernel->tiers());
    if (tiers > 1) step.tier = decide(DecisionKind::kTier, tiers, static_cast<uint8_t>(tiers - 1));
  }
}

}  // namespace

ir::Result<std::shared_ptr<Plan>> MakePlan(std::span<const uint32_t> words,
                                           const EngineFacts& facts, Chooser& chooser,
                                           Target& target) {
  const Segment segment = DecodeForm(words);
  Graph graph(segment, facts.pitched);
  auto plan = std::make_shared<Plan>();
  GrowClusters(graph, chooser, *plan);
  DescribeValues(segment, graph, *plan);
  const std::vector<uint32_t> order = OrderClusters(graph);
  plan->steps.reserve(order.size());  // a few clusters take more than one
  for (uint32_t cluster : order) {
    FAULTLINE_RETURN_UNEXPECTED_IF_ERROR(LowerCluster(graph, cluster, target, *plan));
  }
  if (segment.fusion) GrantInPlace(graph, chooser, *plan);
  ScheduleReleases(*plan);
  DecideSizes(segment, facts, chooser, *plan);
  return plan;
}

}  // namespace faultline::fusion
