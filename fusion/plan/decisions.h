// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// How a session wants the planner's choices to be made: by cost, at random, by a list, and up to a
// limit. The names are those of fusion/trace.h; no planning here.

#ifndef FUSION_PLAN_DECISIONS_H_
#define FUSION_PLAN_DECISIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/program.h"

namespace faultline::fusion {

struct DecisionOptions {
  // Without a seed the planner takes what the cost model prefers. With one, every choice is drawn
  // from the seed and the decision's place in its segment.
  std::optional<uint64_t> chaos_seed;
  // Choices by name, above cost and chaos: {"fuse(%a,%y)", 0}. A choice beyond the alternatives is
  // clamped; a name that never comes up is ignored.
  std::vector<ir::Decision> by_name;
  // Every decision after so many in the session takes alternative 0. Negative: no limit.
  int64_t max_decisions = -1;
  // Decisions that take alternative 0: a full name, a kind ("fuse", "alias", "threads") or the name
  // of a rule.
  std::vector<std::string> deny;
};

}  // namespace faultline::fusion

#endif  // FUSION_PLAN_DECISIONS_H_
