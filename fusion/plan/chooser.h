// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Who makes the planner's choices. The planner proposes what the cost model prefers; a chooser
// takes it or not. Values are numbers of the segment; names come in only where a session asks for
// choices by name.

#ifndef FUSION_PLAN_CHOOSER_H_
#define FUSION_PLAN_CHOOSER_H_

#include <cstdint>

#include "fusion/plan/plan.h"

namespace faultline::fusion {

class Chooser {
 public:
  virtual ~Chooser() = default;
  // `proposal.choice` is the preferred alternative. Returns one below proposal.alternatives; 0 is
  // always the safe one. Called in the order in which the planner decides.
  virtual uint8_t Choose(const PlanDecision& proposal) = 0;
};

// Takes what is preferred.
class CostChooser final : public Chooser {
 public:
  uint8_t Choose(const PlanDecision& proposal) override { return proposal.choice; }
};

// Draws from a seed and the decision itself, so that the same segment gets the same choices.
class ChaosChooser final : public Chooser {
 public:
  explicit ChaosChooser(uint64_t seed) : seed_(seed) {}
  uint8_t Choose(const PlanDecision& proposal) override;

 private:
  uint64_t seed_;
};

}  // namespace faultline::fusion

#endif  // FUSION_PLAN_CHOOSER_H_
