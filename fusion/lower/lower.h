// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// A grown cluster becomes launches: blocks with their accesses and parameters, or one of the
// target's other launches. Structure only; recipes say how the numbers follow at launch.

#ifndef FUSION_LOWER_LOWER_H_
#define FUSION_LOWER_LOWER_H_

#include "fusion/plan/graph.h"
#include "fusion/plan/plan.h"
#include "ir/base/status.h"

namespace faultline::fusion {

// Appends the steps of one cluster to the plan, compiled for the target. Requires
// plan.values to hold the segment's values. Fails as Target::Compile does.
ir::Status LowerCluster(Graph& graph, uint32_t cluster, Target& target, Plan& plan);

}  // namespace faultline::fusion

#endif  // FUSION_LOWER_LOWER_H_
