// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// From a relative form to a plan. All that a plan can depend on are the arguments.

#ifndef FUSION_PLAN_PLANNER_H_
#define FUSION_PLAN_PLANNER_H_

#include <cstdint>
#include <memory>
#include <span>

#include "fusion/plan/chooser.h"
#include "fusion/plan/plan.h"
#include "ir/base/status.h"

namespace faultline::fusion {

// What a plan may assume of the engine it runs on; one set for a plan cache.
struct EngineFacts {
  bool threaded = false;  // more than one thread
  bool pitched = false;   // the pool pads rows, so no buffer is dense for certain
};

// Requires words that a FormWriter wrote. Fails as Target::Compile does.
ir::Result<std::shared_ptr<Plan>> MakePlan(std::span<const uint32_t> words,
                                           const EngineFacts& facts, Chooser& chooser,
                                           Target& target);

}  // namespace faultline::fusion

#endif  // FUSION_PLAN_PLANNER_H_
