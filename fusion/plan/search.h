// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The greedy search: visits ops in order, founds a cluster for each that needs a launch, and lets
// it join the clusters of its operands where a rule, the dependences and the chooser allow.

#ifndef FUSION_PLAN_SEARCH_H_
#define FUSION_PLAN_SEARCH_H_

#include <cstdint>
#include <vector>

#include "fusion/plan/chooser.h"
#include "fusion/plan/graph.h"
#include "fusion/plan/plan.h"

namespace faultline::fusion {

// Grows the clusters of `graph`; decisions and reasons go to the plan. Afterwards every value that
// is stored is made by exactly one cluster, and the clusters' dependences have no cycle.
void GrowClusters(Graph& graph, Chooser& chooser, Plan& plan);

}  // namespace faultline::fusion

#endif  // FUSION_PLAN_SEARCH_H_
